"""Servers in the place of OpenSearch: silent, closing connections, echoing the request, or without documents."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from tests.support.http_servers import http_server
from tests.support.search_responses import META, RELEASE


class Peer:
    """A listener that counts connections, and either never responds or closes them."""

    def __init__(self, *, hangs_up: bool) -> None:
        self.calls = 0
        self.hangs_up = hangs_up
        self.url = ""

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Count a connection at its first byte; without a response, a client sends one request per connection."""
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
    try:
        yield listening
    finally:
        server.close()


STATUSES = (400, 200, None, 500, 404, 403)  # None: no response at all


@asynccontextmanager
async def rejecting() -> AsyncIterator[tuple[str, list[str]]]:
    """Serve rejections of many kinds, each of which echoes the request; yield the URL and the paths of all requests."""
    statuses = itertools.cycle(STATUSES)
    paths: list[str] = []

    async def repeat(request: web.Request) -> web.Response:
        paths.append(request.path_qs)
        status = next(statuses)
        if status is None and request.transport is not None:
            request.transport.abort()
        text = await request.text()
        error = {"type": "parsing_exception", "reason": text, "root_cause": [{"type": "x", "reason": text}]}
        return web.json_response({"error": error, "status": status}, status=status or 503, reason="Rejected")

    async with http_server(repeat) as (url, _):
        yield url, paths


@asynccontextmanager
async def empty_release() -> AsyncIterator[tuple[str, list[str]]]:
    """Serve a live release without documents; yield the URL and the paths that were requested."""
    paths: list[str] = []

    async def respond(request: web.Request) -> web.Response:
        paths.append(request.path)
        if request.path.endswith("/_mapping"):
            return web.json_response({RELEASE.index: {"mappings": {"_meta": {**META, "complete": True}}}})
        return web.json_response({"timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": []}})

    async with http_server(respond) as (url, _):
        yield url, paths
