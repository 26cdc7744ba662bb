"""A node in the engine's place that answers by script, on a real socket, and a client that asks it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from opensearchpy import AIOHttpConnection, AsyncOpenSearch

from api.connection import FastSerializer
from api.direct import DirectConnection

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
PATIENCE = 10.0  # seconds for what a test waits for


def whole(body: bytes, head: bytes = OK) -> bytes:
    return head % (len(body), body)


class Node:
    """Something in the engine's place. `says` are its answers in turn; one of None is silence, b"" hanging up."""

    def __init__(self, *says: bytes | None) -> None:
        self.says = list(says)
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self.connections = self.most = self.now = 0
        self.slow = asyncio.Event()
        self.slow.set()
        self.open: list[asyncio.StreamWriter] = []
        self.tasks: list[asyncio.Task[Any] | None] = []

    async def heard(self, requests: int) -> None:
        """Wait until so many were asked."""
        async with asyncio.timeout(PATIENCE):
            while len(self.heads) < requests:  # noqa: ASYNC110 - a test's own clock
                await asyncio.sleep(0.01)

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.connections += 1
        self.now += 1
        self.most = max(self.most, self.now)
        self.open.append(writer)
        self.tasks.append(asyncio.current_task())
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.heads.append(head)
                fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:] if line)
                self.bodies.append(await reader.readexactly(int(fields.get(b"content-length", b"0"))))
                said = self.says.pop(0) if self.says else whole(b"{}")
                await self.slow.wait()
                if said is None:
                    await reader.read()
                    break
                writer.write(said)
                await writer.drain()
                if not said or b"connection: close" in said or b"short" in said:
                    break
        self.now -= 1
        writer.close()


@asynccontextmanager
async def served(node: Node) -> AsyncIterator[str]:
    server = await asyncio.start_server(node, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.close()
        node.slow.set()
        for writer in node.open:
            writer.close()
        await asyncio.gather(*(task for task in node.tasks if task))


@asynccontextmanager
async def asked(
    node: Node,
    way: type[AIOHttpConnection] = DirectConnection,
    connections: int = 4,
    **more: Any,  # noqa: ANN401 - the client's own
) -> AsyncIterator[AsyncOpenSearch]:
    async with served(node) as url:
        client = AsyncOpenSearch(
            hosts=[url],
            connection_class=way,
            serializer=FastSerializer(),
            maxsize=connections,
            max_retries=0,
            **more,
        )
        try:
            yield client
        finally:
            await client.close()
