"""Proxies between a client and OpenSearch: one for HTTP, and one for TCP that can delay, mute and cut connections."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from aiohttp import ClientSession, web

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from random import Random

PIECE_BYTES = 65_536
MAX_REQUEST_BYTES = 64 * 1024**2
PassOn = Callable[[web.Request], Awaitable[web.Response]]


@contextlib.asynccontextmanager
async def http_proxy(
    target: str, handle: Callable[[web.Request, PassOn], Awaitable[web.Response]]
) -> AsyncIterator[str]:
    """Listen on a free port and give the address; `handle` gets each request and what passes it on to `target`."""

    async def pass_on(request: web.Request) -> web.Response:
        async with session.request(
            request.method, target + request.path_qs, data=await request.read(), headers=request.headers
        ) as response:
            body = await response.read()
            return web.Response(status=response.status, body=body, content_type=response.content_type)

    async def handler(request: web.Request) -> web.Response:
        return await handle(request, pass_on)

    server = web.Application(client_max_size=MAX_REQUEST_BYTES)
    server.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(server)
    async with ClientSession() as session:
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            host, port = runner.addresses[0][:2]
            yield f"http://{host}:{port}"
        finally:
            await runner.cleanup()


class Mode(StrEnum):
    """How a line behaves."""

    OPEN = "open"
    DELAYED = "delayed"
    SILENT = "silent"  # takes everything and passes nothing on
    CUT = "cut"  # hangs up, and takes no more
    FLAKY = "flaky"  # hangs up in the middle of some answers


@dataclass(eq=False, slots=True)
class Line:
    """Passes bytes on to a node of this machine. Switch it with `turn`."""

    target: int
    chance: Random
    mode: Mode = Mode.OPEN
    delay: float = 0.3  # seconds each way, while delayed
    cuts: float = 0.1  # share of the pieces after which a flaky line hangs up
    port: int = 0
    _open: set[asyncio.StreamWriter] = field(default_factory=set)
    _may_pass: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def turn(self, mode: Mode) -> None:
        """Behave like this from now on."""
        self.mode = mode
        if mode is Mode.CUT:
            self._hang_up()
        if mode is Mode.SILENT:
            self._may_pass.clear()
        else:
            self._may_pass.set()

    def _hang_up(self) -> None:
        for writer in self._open:
            writer.transport.abort()

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[Line]:
        """Listen on a free port."""
        self._may_pass.set()
        server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            self._hang_up()
            await asyncio.sleep(0.1)  # for those that pass bytes on to see that nobody is there

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.mode is Mode.CUT:
            writer.transport.abort()
            return
        try:
            beyond, into = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()  # nobody listens there, and so nobody does here
            return
        self._open |= {writer, into}
        try:
            await asyncio.gather(self._pass(reader, into, cuts=False), self._pass(beyond, writer, cuts=True))
        finally:
            self._open -= {writer, into}
            writer.transport.abort()
            into.transport.abort()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, cuts: bool) -> None:
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(PIECE_BYTES):
                await self._may_pass.wait()
                if self.mode is Mode.DELAYED:
                    await asyncio.sleep(self.delay)
                if cuts and self.mode is Mode.FLAKY and self.chance.random() < self.cuts:
                    writer.write(piece[: len(piece) // 2])
                    break
                writer.write(piece)
                await writer.drain()
        with contextlib.suppress(ConnectionError, OSError):
            await writer.drain()
        writer.close()
