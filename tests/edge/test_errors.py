"""What the edge answers itself: a problem document or a page, with the notice, for each request that it refuses."""

import socket

import pytest

from api import about, models
from tests.support.edge import Edge, parse

HOST = b"Host: localhost\r\n"
CLOSE = b"Connection: close\r\n"
JSON = b"Content-Type: application/json\r\n"
TIMEOUT_SECONDS = 2.0  # no refusal takes longer

REFUSED = [
    (400, b"HELLO\r\n\r\n"),
    (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 40 + b"\r\n\r\n"),
    (400, b"GET /graph HTTP/1.1\r\n\r\n"),
    (400, b"GET /graph HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
    (400, b"GET /graph HTTP/1.1\r\nHost: ev/il\r\n\r\n"),
    *(
        (400, b"GET /graph HTTP/1.1\r\nHost: " + host + b"\r\n" + CLOSE + b"\r\n")
        for host in (
            b"localhost:80@evil.com",
            b"localhost:evil",
            b"[::1]x",
            b"localhost:80:90",
            b"localhost:99999",
            b"a@b",
        )
    ),
    (400, "POST /é HTTP/1.1\r\n".encode() + HOST + b"Content-Length: 500000000\r\n\r\n"),
    (405, b"PUT /graph HTTP/1.1\r\n" + HOST + b"Content-Length: 500000000\r\n\r\n"),
    (405, b"DELETE /graph HTTP/1.1\r\n" + HOST + b"Content-Length: 70000\r\n\r\n"),
    (400, b"GET /search?query=caf\xc3\xa9 HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n"),
    (400, b"GET /%00 HTTP/1.1\r\n" + HOST + b"\r\n"),
    (400, b"GET /graph HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\nContent-Length: 7\r\n\r\n"),
    (400, b"GET /graph HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n"),
    (400, b"POST /recommend HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
    (400, b"POST /recommend HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
    (400, b"CONNECT a:80 HTTP/1.1\r\n" + HOST + b"\r\n"),
    (404, b"GET /graph HTTP/1.1\r\nHost: evil.example\r\n" + CLOSE + b"\r\n"),
    (404, b"GET http://evil.example/graph HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n"),
    (404, b"GET /graph HTTP/1.0\r\n\r\n"),
    (405, b"TRACE /graph HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n"),
    (405, b"DELETE /graph HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n"),
    (405, b"FETCH /graph HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n"),
    (412, b"GET /graph HTTP/1.1\r\n" + HOST + b'If-Match: "other"\r\n' + CLOSE + b"\r\n"),
    (
        412,
        b"GET /graph HTTP/1.1\r\n" + HOST + b"If-Unmodified-Since: Sat, 01 Jan 2000 00:00:00 GMT\r\n" + CLOSE + b"\r\n",
    ),
    (413, b"POST /recommend HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 1073741824\r\n\r\n"),
    (413, b"POST /recommend HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 65537\r\n\r\n"),
    (414, b"GET /search?query=" + b"a" * 9_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n"),
    (431, b"GET /graph HTTP/1.1\r\n" + HOST + b"X-Long: " + b"a" * 9_000 + b"\r\n\r\n"),
    (431, b"GET /graph HTTP/1.1\r\n" + HOST + b"".join(b"X-%d: %b\r\n" % (n, b"a" * 900) for n in range(60)) + b"\r\n"),
    (501, b"POST /recommend HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: gzip\r\n\r\n"),
    (505, b"GET /graph HTTP/3.7\r\n" + HOST + b"\r\n"),
]


def exchange(port: int, request: bytes) -> bytes:
    """Send bytes and return the answer; the edge may read on for a moment, so that the client gets to see it."""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS) as connection:
        connection.sendall(request)
        answer = b""
        while not _is_whole(answer):
            try:
                piece = connection.recv(65_536)
            except ConnectionResetError:  # it closed with some of the request unread
                return answer
            if not piece:
                return answer
            answer += piece
        return answer


def _is_whole(answer: bytes) -> bool:
    if b"\r\n\r\n" not in answer:
        return False
    _, headers, body = parse(answer)
    return len(body) >= int(headers.get("content-length", "0"))


@pytest.mark.parametrize(("status", "request_"), REFUSED, ids=lambda value: str(value)[:60])
def test_a_refusal_is_a_problem_document(front: Edge, status: int, request_: bytes) -> None:
    actual, headers, body = parse(exchange(front.port, request_))
    assert (actual, headers["content-type"]) == (status, "application/problem+json")
    problem = models.Problem.model_validate_json(body)
    assert problem.status == status
    assert problem.detail
    assert problem.provenance.service == about.SERVICE_NAME
    assert (problem.provenance.version, problem.provenance.data_version) == (about.VERSION, None)
    assert problem.notice.model_dump(exclude_unset=True) == about.notice("https://askjan.org/")
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert ("allow" in headers) == (status == 405)


def test_http_09_gets_no_answer(front: Edge) -> None:
    assert exchange(front.port, b"GET /graph\r\n") == b""


def test_a_browser_gets_a_page(front: Edge) -> None:
    request = b"GET /graph HTTP/1.1\r\nHost: evil.example\r\nAccept: text/html,*/*;q=0.8\r\n" + CLOSE + b"\r\n"
    status, headers, body = parse(exchange(front.port, request))
    assert (status, headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert about.NOTICE in body.decode()
    assert "evil" not in body.decode()


@pytest.mark.parametrize("path", ["/.edge/json", "/.edge/html"])
def test_the_errors_have_no_address_of_their_own(front: Edge, path: str) -> None:
    answer = exchange(front.port, b"GET %b HTTP/1.1\r\n" % path.encode() + HOST + CLOSE + b"\r\n")
    assert parse(answer)[0] == 404
