"""Thousands of clients that send or read too slowly do not keep a polite client waiting, and are let go."""

import asyncio
import resource
import time
from collections.abc import AsyncIterator

import pytest

from tests.support.edge import Edge

SLOW, NEVER_READING = 1_000, 500
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


async def connect(port: int, text: bytes, count: int) -> AsyncIterator[Connection]:
    """Open connections, send the text on each, and read nothing."""
    for _ in range(count):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # of a transport that reads
        writer.write(text)
        yield reader, writer


async def ask(port: int, path: bytes) -> float:
    """Return the seconds until the whole response is here."""
    began = time.monotonic()
    async with asyncio.timeout(PATIENCE_SECONDS):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(POLITE % path)
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 200 "), answer[:200]
    writer.close()
    return time.monotonic() - began


async def is_closed(connection: Connection) -> bool:
    """Whether the edge has ended the connection."""
    reader, writer = connection
    writer.transport.resume_reading()  # type: ignore[attr-defined]
    try:
        async with asyncio.timeout(RELEASE_SECONDS):
            while await reader.read(1_000_000):
                pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    finally:
        writer.transport.abort()
    return True


async def test_a_polite_client_is_answered_while_thousands_are_slow(front: Edge) -> None:
    attacks = ((b"", SLOW), (UNFINISHED_HEAD, SLOW), (UNFINISHED_BODY, SLOW), (MANY_PAGES, NEVER_READING))
    held = [connection for text, count in attacks async for connection in connect(front.port, text, count)]
    ends = time.monotonic() + HOLD_SECONDS
    waits = []
    while time.monotonic() < ends:
        waits += [await ask(front.port, path) for path in PATHS]
    assert len(waits) > len(PATHS)
    await asyncio.sleep(RELEASE_SECONDS - HOLD_SECONDS)
    closed = await asyncio.gather(*(is_closed(connection) for connection in held))
    assert sum(closed) == len(held)
