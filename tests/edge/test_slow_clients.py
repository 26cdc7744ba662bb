"""Thousands of clients that send or read too slowly do not keep a polite client waiting, and are let go."""

import asyncio
import resource
import socket
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.edge import Edge, edge
from tests.support.serving import process

ESTABLISHED = 1  # state of a connection in TCP_INFO
PATIENCE_SECONDS = 2.0  # the longest wait of the polite client
HOLD_SECONDS = 5.0
RELEASE_SECONDS = 40.0  # 10 to read a response, then 15 without a request, and what a busy machine adds
RECEIVE_BYTES = 16_384  # the kernel of a client must not take all pages, however much its TLS layer has read
HEAD = b"Host: localhost\r\n"
UNFINISHED_HEAD = b"GET /search?query=a HTTP/1.1\r\n" + HEAD
UNFINISHED_BODY = (
    b"POST /recommend HTTP/1.1\r\n" + HEAD + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
)
ONE_PAGE = b"GET /openapi.json HTTP/1.1\r\n" + HEAD + b"\r\n"  # 120 kB
MANY_PAGES = ONE_PAGE * 30
POLITE = b"GET %b HTTP/1.1\r\n" + HEAD + b"Connection: close\r\n\r\n"
PATHS = (b"/healthz", b"/search?query=crohns", b"/disability/crohns-disease")


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Return a frame of HTTP/2."""
    return len(payload).to_bytes(3) + bytes((kind, flags)) + stream.to_bytes(4) + payload


HEADERS, SETTINGS, END_STREAM, END_HEADERS = 1, 4, 1, 4
NO_WINDOW = b"\x00\x04" + bytes(4)  # a setting: the client accepts no bytes of a body
GRAPH, RECOMMEND = (
    method + b"\x87\x04" + path + b"\x01\x09localhost"
    for method, path in ((b"\x82", b"\x06/graph"), (b"\x83", b"\x0a/recommend"))
)
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HTTP_2 = (
    PREFACE + frame(SETTINGS, 0, 0, b""),
    PREFACE + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, END_STREAM, 1, GRAPH),
    PREFACE + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, END_HEADERS, 1, RECOMMEND),
    PREFACE
    + frame(SETTINGS, 0, 0, NO_WINDOW)
    + b"".join(frame(HEADERS, END_STREAM | END_HEADERS, stream, GRAPH) for stream in range(1, 60, 2)),
)
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture(scope="module")
def front(node_url: str, direct: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    """Start an edge in front of a service with a process of its own, which does not wait for thousands of clients."""
    assert direct  # the world is published
    settings = {
        "AKG_OPENSEARCH_URL": node_url,
        "AKG_ALIAS": "akg-world",
        "AKG_RATE_LIMIT": "0",
        "AKG_USAGE_MONTHS": "0",
        "AKG_TRUSTED_PROXIES": "1",
        "AKG_DEADLINE_SECONDS": "20",
    }
    with process(settings) as served, edge(served.url, tmp_path_factory.mktemp("edge")) as found:
        for path in ("/openapi.json", *(path.decode() for path in PATHS)):  # the first of each does work for all others
            httpx.get(found.url + path, timeout=30).raise_for_status()
        yield found


@pytest.fixture(autouse=True)
def many_files() -> None:
    """Allow this process as many connections as the system does."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def connect(port: int, tls: ssl.SSLContext | None, text: bytes, count: int) -> AsyncIterator[Connection]:
    """Open connections, send the text on each, and read nothing, but for 512 kB that a TLS layer takes by itself."""
    for _ in range(count):
        end = socket.socket()
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        end.setblocking(False)  # noqa: FBT003 - a parameter without a name
        await asyncio.get_running_loop().sock_connect(end, ("127.0.0.1", port))
        reader, writer = await asyncio.open_connection(
            sock=end, limit=1, ssl=tls, server_hostname="localhost" if tls else None
        )
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # of a transport that reads
        writer.write(text)
        yield reader, writer


async def ask(port: int, tls: ssl.SSLContext | None, path: bytes) -> float:
    """Return the seconds until the whole response is here."""
    began = time.monotonic()
    async with asyncio.timeout(PATIENCE_SECONDS):
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=tls, server_hostname="localhost" if tls else None
        )
        writer.write(POLITE % path)
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 200 "), answer[:200]
    writer.close()
    return time.monotonic() - began


def is_open(connection: Connection) -> bool:
    """Return whether the edge holds the connection, without reading: a reader would be let go in time."""
    end = connection[1].get_extra_info("socket")  # None if it was reset
    return end is not None and end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == ESTABLISHED


async def test_a_polite_client_is_answered_while_thousands_are_slow(front: Edge) -> None:
    await attack(front.port, None, kinds(1_000, 500))


async def test_the_same_over_tls(front: Edge) -> None:
    tls = ssl.create_default_context(cafile=front.folder / "trial.pem")
    await attack(front.tls_port, tls, kinds(200, 100))  # fewer, because of the handshakes


async def test_the_same_over_http_2(front: Edge) -> None:
    tls, http_2 = (ssl.create_default_context(cafile=front.folder / "trial.pem") for _ in range(2))
    http_2.set_alpn_protocols(["h2"])
    await attack(front.tls_port, tls, [(text, 50) for text in HTTP_2], http_2)


def kinds(slow: int, never_reading: int) -> list[tuple[bytes, int]]:
    return [(b"", slow), (UNFINISHED_HEAD, slow), (UNFINISHED_BODY, slow), (MANY_PAGES, never_reading)]


async def attack(
    port: int, tls: ssl.SSLContext | None, attacks: list[tuple[bytes, int]], of_attacks: ssl.SSLContext | None = None
) -> None:
    """Hold connections of each kind, ask politely, then wait until the edge has let all go."""
    of_attacks = of_attacks or tls
    held = [connection for text, count in attacks async for connection in connect(port, of_attacks, text, count)]
    try:
        ends = time.monotonic() + HOLD_SECONDS
        waits = []
        while time.monotonic() < ends:
            waits += [await ask(port, tls, path) for path in PATHS]
        assert len(waits) > len(PATHS)
        deadline = time.monotonic() + RELEASE_SECONDS
        while time.monotonic() < deadline and any(map(is_open, held)):  # noqa: ASYNC110 - the kernel tells nobody
            await asyncio.sleep(0.5)
        left = [number for number, connection in enumerate(held) if is_open(connection)]
        assert left == []
    finally:
        for _, writer in held:
            writer.transport.abort()
        await asyncio.sleep(0.5)  # until they are closed


async def test_the_edge_lets_a_client_go_that_never_reads_a_small_response(front: Edge) -> None:
    """It fits into the buffers of the kernel, which keeps it for minutes after nginx closed the connection."""
    async for connection in connect(front.port, None, ONE_PAGE, 1):
        own = connection[1].get_extra_info("sockname")[1]
        assert own in clients_held(front.port)
        deadline = time.monotonic() + RELEASE_SECONDS
        while time.monotonic() < deadline and own in clients_held(front.port):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.5)
        assert own not in clients_held(front.port)
        assert is_open(connection)  # the client cannot know yet
        connection[1].transport.abort()


def clients_held(port: int) -> set[int]:
    """Return the ports of the clients whose connections a process holds open at this port."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    ends = ((row[1].split(":")[1], row[2].split(":")[1], row[9]) for row in rows)  # the last is the number of a file
    return {int(client, 16) for own, client, inode in ends if int(own, 16) == port and inode != "0"}
