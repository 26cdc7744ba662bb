"""What the load client takes for one whole answer, and what it sends."""

from __future__ import annotations

import pytest

from bench.latency.client import Answer, request

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nabcde"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\na;x=1\r\n0123456789\r\n0\r\n\r\n"
EMPTY = b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"
CLOSES = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\ncontent-length: 0\r\n\r\n"
JSON = b"%s HTTP/1.1\r\nContent-Type: application/json\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n"
HIT = b"HTTP/1.1 200 OK\r\nCache-Status: akg; hit\r\nContent-Length: 2\r\n\r\n{}"
STALE = b"HTTP/1.1 200 OK\r\nCache-Status: akg; hit; fwd=stale\r\nContent-Length: 2\r\n\r\n{}"


@pytest.mark.parametrize(
    ("sent", "expected"),  # status, size, closes, hit
    [
        (PLAIN, (200, 5, False, False)),
        (CHUNKED, (200, 13, False, False)),
        (EMPTY, (304, 0, False, False)),
        (CLOSES, (503, 0, True, False)),
        (HIT, (200, 2, False, True)),
        (STALE, (200, 2, False, False)),
    ],
)
@pytest.mark.parametrize("step", [1, 7, 1000])
def test_an_answer_is_whole_with_its_last_byte(sent: bytes, expected: tuple[int, int, bool, bool], step: int) -> None:
    answer = Answer()
    pieces = [sent[start : start + step] for start in range(0, len(sent), step)]
    assert [answer.feed(piece) for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    assert (answer.status, answer.size, answer.closes, answer.hit) == expected


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (("GET", "/graph"), b"GET /graph HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
        (
            ("POST", "/recommend", b"{}"),
            JSON % b"POST /recommend" + b"{}",
        ),
        (
            ("POST", "/a/_msearch", b"x\n", {"Content-Type": "application/x-ndjson"}),
            JSON.replace(b"json", b"x-ndjson") % b"POST /a/_msearch" + b"x\n",
        ),
    ],
)
def test_a_request_is_as_short_as_can_be(given: tuple[str, str, bytes], sent: bytes) -> None:
    assert request(*given) == sent
