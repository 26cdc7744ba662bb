"""HTTP servers on loopback that respond by a function: a node that misbehaves, or a proxy of a real one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from ssl import SSLContext

from aiohttp import ClientSession, web

MAX_REQUEST_BYTES = 64 * 1024**2
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Forward = Callable[[web.Request], Awaitable[web.Response]]


@asynccontextmanager
async def http_server(
    handler: Handler, tls: SSLContext | None = None, *, cancel: bool = False
) -> AsyncIterator[tuple[str, web.Server]]:
    """Listen on a free port; yield the URL, and the server that knows its open connections.

    With `cancel`, a handler ends when its client disconnects.
    """
    application = web.Application(client_max_size=MAX_REQUEST_BYTES)
    application.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(application, handler_cancellation=cancel)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
        host, port = runner.addresses[0][:2]
        assert runner.server is not None
        yield f"{'https' if tls else 'http'}://{host}:{port}", runner.server
    finally:
        await runner.cleanup()


@asynccontextmanager
async def http_proxy(
    target: str, handle: Callable[[web.Request, Forward], Awaitable[web.Response]], tls: SSLContext | None = None
) -> AsyncIterator[str]:
    """Listen on a free port and yield the URL; `handle` gets each request and a function to forward it."""

    async def forward(request: web.Request) -> web.Response:
        async with session.request(
            request.method, target + request.path_qs, data=await request.read(), headers=request.headers
        ) as response:
            body = await response.read()
            return web.Response(status=response.status, body=body, content_type=response.content_type)

    async def handler(request: web.Request) -> web.Response:
        return await handle(request, forward)

    async with ClientSession() as session, http_server(handler, tls) as (url, _):
        yield url


@asynccontextmanager
async def held_back(target: str, method: str, part: str) -> AsyncIterator[tuple[str, asyncio.Event, asyncio.Event]]:
    """Run a proxy that holds back the first request of this method whose path has this part.

    Yield the URL, the event of its arrival, and the event that lets it go.
    """
    arrived, released = asyncio.Event(), asyncio.Event()

    async def handle(request: web.Request, forward: Forward) -> web.Response:
        if not arrived.is_set() and request.method == method and part in request.path:
            arrived.set()
            await released.wait()
        return await forward(request)

    async with http_proxy(target, handle) as url:
        try:
            yield url, arrived, released
        finally:
            released.set()
