"""Servers that are not an engine: silent, closing connections, or echoing the request."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Peer:
    """A listener that counts who calls, and either keeps silent or hangs up."""

    def __init__(self, *, hangs_up: bool) -> None:
        self.calls = 0
        self.hangs_up = hangs_up
        self.url = ""

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one connection: one call each, as long as nothing is answered."""
        await reader.read(1)
        self.calls += 1
        if not self.hangs_up:
            await reader.read()
        writer.close()


@asynccontextmanager
async def peer(*, hangs_up: bool) -> AsyncIterator[Peer]:
    listening = Peer(hangs_up=hangs_up)
    server = await asyncio.start_server(listening, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    listening.url = f"http://{host}:{port}"
    yield listening
    server.close()


QUARREL = (400, 200, None, 500, 404, 403)  # None: no word at all


@asynccontextmanager
async def quarrelling() -> AsyncIterator[str]:
    """A fake engine that rejects in many ways and echoes the request each time."""
    statuses = itertools.cycle(QUARREL)

    async def repeat(request: web.Request) -> web.Response:
        status = next(statuses)
        if status is None and request.transport is not None:
            request.transport.abort()
        said = await request.text()
        error = {"type": "parsing_exception", "reason": said, "root_cause": [{"type": "x", "reason": said}]}
        return web.json_response({"error": error, "status": status}, status=status or 503, reason="Quarrel")

    server = web.Application()
    server.router.add_route("*", "/{path:.*}", repeat)
    runner = web.AppRunner(server)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    yield f"http://{host}:{port}"
    await runner.cleanup()
