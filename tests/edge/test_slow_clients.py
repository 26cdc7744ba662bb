"""Thousands of clients that send or read too slowly do not keep a polite client waiting, and are let go."""

import asyncio
import resource
import socket
import ssl
import time
from collections.abc import AsyncIterator

import pytest

from tests.support.edge import Edge

ESTABLISHED = 1  # state of a connection in TCP_INFO
PATIENCE_SECONDS = 2.0  # the longest wait of the polite client
HOLD_SECONDS = 5.0
RELEASE_SECONDS = 25.0  # 8 to send, 10 to read, and what a busy machine adds
HEAD = b"Host: localhost\r\n"
UNFINISHED_HEAD = b"GET /search?query=a HTTP/1.1\r\n" + HEAD
UNFINISHED_BODY = (
    b"POST /recommend HTTP/1.1\r\n" + HEAD + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
)
MANY_PAGES = (b"GET /openapi.json HTTP/1.1\r\n" + HEAD + b"\r\n") * 30
POLITE = b"GET %b HTTP/1.1\r\n" + HEAD + b"Connection: close\r\n\r\n"
PATHS = (b"/healthz", b"/search?query=crohns", b"/disability/crohns-disease")
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture(autouse=True)
def many_files() -> None:
    """Allow this process as many connections as the system does."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def connect(port: int, tls: ssl.SSLContext | None, text: bytes, count: int) -> AsyncIterator[Connection]:
    """Open connections, send the text on each, and read nothing."""
    for _ in range(count):
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, limit=1, ssl=tls, server_hostname="localhost" if tls else None
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
    await attack(front.port, None, 1_000, 500)


async def test_a_polite_client_is_answered_over_tls_too(front: Edge) -> None:
    tls = ssl.create_default_context(cafile=front.folder / "trial.pem")
    await attack(front.tls_port, tls, 200, 100)  # fewer, because of the handshakes


async def attack(port: int, tls: ssl.SSLContext | None, slow: int, never_reading: int) -> None:
    """Hold connections of each kind, ask politely, then wait until the edge has let all go.

    Over TLS only the first part: the client's TLS layer reads on by itself, so its never-readers do read a little.
    """
    attacks = ((b"", slow), (UNFINISHED_HEAD, slow), (UNFINISHED_BODY, slow), (MANY_PAGES, never_reading))
    held = [connection for text, count in attacks async for connection in connect(port, tls, text, count)]
    try:
        ends = time.monotonic() + HOLD_SECONDS
        waits = []
        while time.monotonic() < ends:
            waits += [await ask(port, tls, path) for path in PATHS]
        assert len(waits) > len(PATHS)
        if tls is not None:
            return
        deadline = time.monotonic() + RELEASE_SECONDS
        while time.monotonic() < deadline and any(map(is_open, held)):  # noqa: ASYNC110 - the kernel tells nobody
            await asyncio.sleep(0.5)
        left = [number for number, connection in enumerate(held) if is_open(connection)]
        assert left == []
    finally:
        for _, writer in held:
            writer.transport.abort()
        await asyncio.sleep(0.5)  # until they are closed
