"""The service on a real socket with clients that send too much, too slowly, or invalid HTTP."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import orjson
import pytest

from api.app import create_app
from api.asgi import SECURITY_HEADERS
from api.http.server import make_server
from api.models import Problem, ValidationProblem
from api.settings import Settings

NOWHERE = "http://127.0.0.1:9"  # rejections need no OpenSearch
BOUNDS = Settings(
    rate_limit=0,
    usage_months=0,
    url_limit_bytes=1024,
    header_limit_bytes=2048,
    body_limit_bytes=4096,
    client_timeout_seconds=0.3,
    idle_seconds=1,
    connections=50,
)
HEAD = b"Host: test\r\nConnection: close\r\n"


@pytest.fixture(scope="module")
async def port() -> AsyncIterator[int]:
    async with listening(BOUNDS) as found:
        yield found


@asynccontextmanager
async def listening(settings: Settings) -> AsyncIterator[int]:
    server = make_server(create_app(settings, [NOWHERE]), settings)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        task = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            await task


async def send_bytes(port: int, *pieces: bytes) -> tuple[int, dict[str, str], bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.close()
    first, *lines = head.decode("latin-1").split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    return int(first.split()[1]), fields, body


def get(target: bytes, *fields: bytes) -> bytes:
    return b"GET %b HTTP/1.1\r\n%b%b\r\n" % (target, HEAD, b"".join(field + b"\r\n" for field in fields))


def post(body: bytes, *fields: bytes) -> bytes:
    lines = b"".join(field + b"\r\n" for field in (b"Content-Type: application/json", *fields))
    return b"POST /recommend HTTP/1.1\r\nHost: test\r\n%b\r\n%b" % (lines, body)


MALFORMED = [
    (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 40),  # a TLS greeting
    (400, b"HELLO\r\n\r\n"),
    (400, b"FETCH /search HTTP/1.1\r\nHost: test\r\n\r\n"),
    (400, b"GET /search HTTP/9.9\r\nHost: test\r\n\r\n"),
    (400, b"GET /search?query=\xff\xfe HTTP/1.1\r\nHost: a\r\nbroken header\r\n\r\n"),
    (400, b"GET /a b c HTTP/1.1\r\nHost: test\r\n\r\n"),
    (400, b"GET /search HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\n"),
    (400, b"GET /search HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
    (400, b"POST /recommend HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
    (404, get(b"*")),
    (414, b"GET /" + b"a" * 1100 + b" HTTP/1.1\r\nHost: test\r\n\r\n"),
    (414, b"GET /search?query=" + b"a" * 1_000_000),
    (431, get(b"/", b"X-Long: " + b"a" * 3000)),
    (431, get(b"/", *(b"X-%d: a" % number for number in range(120)))),
    (431, b"GET / HTTP/1.1\r\nX-Long: " + b"a" * 900_000),
    (413, post(b"", b"Content-Length: 1073741824")),
    (413, post(b" " * 5000, b"Content-Length: 5000", b"Connection: close")),
    (413, post(b"1388\r\n" + b" " * 5000 + b"\r\n0\r\n\r\n", b"Transfer-Encoding: chunked", b"Connection: close")),
    (415, b"POST /recommend HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"),
    (422, post(b"{", b"Content-Length: 1", b"Connection: close")),
    (405, b"TRACE /graph HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"),
    (404, get(b"/%00/%ff/..%2f..%2fetc")),
]


@pytest.mark.parametrize(("status", "request_"), MALFORMED, ids=lambda value: str(value)[:45])
async def test_every_malformed_request_gets_a_json_error(port: int, status: int, request_: bytes) -> None:
    actual, fields, body = await send_bytes(port, request_)
    assert actual == status, body
    fields = {name.lower(): value for name, value in fields.items()}
    assert "server" not in fields
    assert {name: fields[name] for name in (name.decode() for name, _ in SECURITY_HEADERS)} == {
        name.decode(): value.decode() for name, value in SECURITY_HEADERS
    }
    if status == 422:
        ValidationProblem.model_validate_json(body)
    else:
        assert fields["content-type"] == "application/problem+json"
        assert Problem.model_validate_json(body).status == status


async def test_a_slow_request_head_times_out(port: int) -> None:
    status, _, body = await send_bytes(port, b"GET /search?query=a HT")
    assert (status, Problem.model_validate_json(body).title) == (408, "Request timeout")


async def test_a_second_request_head_has_the_same_timeout(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n")
    first = await reader.readuntil(b"\r\n\r\n")
    length = int(first.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    assert orjson.loads(await reader.readexactly(length))["status"] == "ok"
    writer.write(b"GET /healthz HTTP/1.1\r\nHo")
    assert (await reader.read()).startswith(b"HTTP/1.1 408 ")
    writer.close()


async def test_a_slow_body_times_out(port: int) -> None:
    status, _, body = await send_bytes(port, post(b'{"disa', b"Content-Length: 40"))
    assert (status, Problem.model_validate_json(body).title) == (408, "Request timeout")


async def test_a_silent_connection_is_closed_without_a_response(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert await reader.read() == b""
    writer.close()


async def test_an_early_response_leaves_the_connection_usable(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(post(b" " * 100, b"Content-Length: 5000"))  # rejected before the rest arrives
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 413 ")
    writer.write(b" " * 4900 + b"GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
    assert b"HTTP/1.1 200 OK" in await reader.read()
    writer.close()


async def test_pipelined_requests_are_answered_in_order(port: int) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n"
    _, _, rest = await send_bytes(port, request + request + get(b"/nowhere/at/all"))
    assert (rest.count(b"HTTP/1.1 200 OK"), rest.count(b"HTTP/1.1 404 Not Found")) == (1, 1)


async def test_slow_connections_are_closed_to_accept_new_ones(port: int) -> None:
    slow = [await asyncio.open_connection("127.0.0.1", port) for _ in range(BOUNDS.connections)]
    for _, writer in slow:
        writer.write(b"GET /search?query=")
    for _ in range(10):
        assert (await send_bytes(port, get(b"/healthz")))[0] == 200
    for _, writer in slow:
        writer.close()


async def test_a_client_that_never_reads_does_not_block_others(port: int) -> None:
    readers = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
    for _, writer in readers:
        writer.write(b"GET /openapi.json HTTP/1.1\r\nHost: test\r\n\r\n" * 20)
    for _ in range(10):
        assert (await send_bytes(port, get(b"/healthz")))[0] == 200
    for _, writer in readers:
        writer.transport.abort()
