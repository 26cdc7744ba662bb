"""Proxy in front of the engine that forwards and records requests.

So what is sent to the engine directly is what the service sends, to the byte, and follows every change of it.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import ClientSession, web

from bench.latency.http1 import request

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LARGEST = 64_000_000  # bytes of a request that is passed on
ASKING = ("_search", "_msearch", "_mget")  # beside these the service only looks which release is live


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the engine: what is after the host, the form of its body, and the body."""

    method: str
    path: str
    content_type: str
    body: bytes

    @property
    def asks(self) -> bool:
        """Whether it asks for a part of an answer."""
        return self.path.partition("?")[0].rpartition("/")[2] in ASKING

    @property
    def raw(self) -> bytes:
        """The same request on a connection of one's own."""
        return request(self.method, self.path, self.body, {"Content-Type": self.content_type})


@dataclass(slots=True)
class Recorder:
    """Where it listens, and the calls since the last `take`."""

    address: str
    calls: list[Call]

    def take(self) -> list[Call]:
        """Return the requests since the last call, and clear them."""
        taken = [call for call in self.calls if call.asks]
        self.calls.clear()
        return taken


@asynccontextmanager
async def recording(engine_url: str) -> AsyncIterator[Recorder]:
    """Listen on a free port, as long as the block runs."""
    recorder = Recorder("", [])

    async def pass_on(incoming: web.Request) -> web.Response:
        body = await incoming.read()
        kind = incoming.headers.get("Content-Type", "application/json")
        recorder.calls.append(Call(incoming.method, incoming.path_qs, kind, body))
        address = engine_url + incoming.path_qs
        async with session.request(incoming.method, address, data=body, headers={"Content-Type": kind}) as answer:
            return web.Response(status=answer.status, body=await answer.read(), content_type=answer.content_type)

    server = web.Application(client_max_size=LARGEST)
    server.router.add_route("*", "/{path:.*}", pass_on)
    runner = web.AppRunner(server)
    async with ClientSession() as session:
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            host, port = runner.addresses[0][:2]
            recorder.address = f"http://{host}:{port}"
            yield recorder
        finally:
            await runner.cleanup()
