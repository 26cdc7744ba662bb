"""Requests and responses of the load client, figures of its turns, and the order of turns."""

import math
from collections.abc import Sequence
from operator import attrgetter, truediv

import pytest

from bench.latency.interleaved import Contender, Pace, Race, Turn, paired, race_result, run, schedule, spread
from bench.latency.load_client import ResponseParser, encode_request
from bench.latency.report import Spread
from bench.latency.route_requests import evenly

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nabcde"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\na;x=1\r\n0123456789\r\n0\r\n\r\n"
EMPTY = b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"
CLOSES = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\ncontent-length: 0\r\n\r\n"
JSON = b"%s HTTP/1.1\r\nContent-Type: application/json\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n"
HIT = b"HTTP/1.1 200 OK\r\nCache-Status: akg; hit\r\nContent-Length: 2\r\n\r\n{}"
STALE = b"HTTP/1.1 200 OK\r\nCache-Status: akg; hit; fwd=stale\r\nContent-Length: 2\r\n\r\n{}"


def turn(*micros: int, seconds: float = 1.0, failed: int = 0) -> Turn:
    return Turn(micros, seconds, size=10 * len(micros), hits=0, failed=failed, cpu=0.25)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 1, 2], Spread(2, 1, 3)),
        ([1.23456, 2.0], Spread(1.617, 1.235, 2)),
        ([math.nan, 5], Spread(5, 5, 5)),
        ([math.nan], None),
        ([], None),
    ],
)
def test_a_spread_is_median_minimum_and_maximum(values: Sequence[float], expected: Spread | None) -> None:
    assert spread(values) == expected


def test_contenders_are_compared_round_by_round() -> None:
    left, right = [turn(1, 1), turn(1)], [turn(1), turn(1, 1, 1, 1)]
    ratio = paired(left, right, attrgetter("rate"), truediv)
    assert ratio == Spread(1.125, 0.25, 2)
    empty = [turn(), turn()]
    assert paired(left, empty, attrgetter("rate"), truediv) is None


def race(calls: list[str]) -> Race:
    def contender(name: str, *micros: int, is_sequential: bool = False) -> Contender:
        def send(in_flight: int, warm: float, seconds: float) -> Turn:
            calls.append(f"{name} {in_flight} {warm:.1f} {seconds:g}")
            return turn(*micros, failed=1)

        return Contender(send, is_sequential=is_sequential)

    contenders = {
        "a": contender("a", 1000, 3000),
        "b": contender("b", 2000),
        "c": contender("c", 1, is_sequential=True),
    }
    return Race("x", contenders, [("a", "b"), ("a", "c")])


def test_contenders_take_turns_and_the_first_round_only_warms_up() -> None:
    calls: list[str] = []
    one = race(calls)
    pace = Pace(rounds=1, seconds=0.5, levels=(1, 8))
    names = [f"{number} {level} {name}" for number, _, level, name in schedule([one], pace)]
    assert names == ["0 1 a", "0 1 b", "0 1 c", "0 8 a", "0 8 b", "1 1 a", "1 1 b", "1 1 c", "1 8 a", "1 8 b"]
    turns = run([one], pace, lambda _: None)
    assert calls[:5] == ["a 1 0.1 0.5", "b 1 0.1 0.5", "c 1 0.1 0.5", "a 8 0.1 0.5", "b 8 0.1 0.5"]
    assert {key: len(found) for key, found in turns.items()} == {
        **{("x", name, 1): 1 for name in "abc"},
        **{("x", name, 8): 1 for name in "ab"},
    }
    result = race_result(one, turns, pace.levels)
    measurement = result.measurement("a", 8)
    assert measurement
    assert (measurement.answers, measurement.failed, measurement.bytes) == (2, 1, 10)
    assert (measurement.rate, measurement.client_cpu) == (Spread(2, 2, 2), 0.25)
    assert (measurement.p50_ms, measurement.p99_ms) == (Spread(1, 1, 1), Spread(3, 3, 3))
    comparison = result.comparison("a", "b", 1)
    assert comparison
    assert (comparison.rate, comparison.added_ms) == (Spread(2, 2, 2), Spread(-1, -1, -1))
    assert result.comparison("a", "c", 1)
    assert result.comparison("a", "c", 8) is None


@pytest.mark.parametrize(
    ("count", "expected"), [(3, [0, 3, 6]), (10, list(range(10))), (20, list(range(10))), (1, [0])]
)
def test_a_sample_is_evenly_spaced(count: int, expected: list[int]) -> None:
    assert evenly(range(10), count) == expected


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
def test_a_response_is_complete_with_its_last_byte(
    sent: bytes, expected: tuple[int, int, bool, bool], step: int
) -> None:
    answer = ResponseParser()
    pieces = [sent[start : start + step] for start in range(0, len(sent), step)]
    assert [answer.feed(piece) for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    assert (answer.status, answer.size, answer.closes, answer.hit) == expected


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        (("GET", "/graph"), b"GET /graph HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
        (("POST", "/recommend", b"{}"), JSON % b"POST /recommend" + b"{}"),
        (
            ("POST", "/a/_msearch", b"x\n", {"Content-Type": "application/x-ndjson"}),
            JSON.replace(b"json", b"x-ndjson") % b"POST /a/_msearch" + b"x\n",
        ),
    ],
)
def test_an_encoded_request_has_no_optional_header(arguments: tuple[str, str, bytes], sent: bytes) -> None:
    assert encode_request(*arguments) == sent
