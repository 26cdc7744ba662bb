"""The client of OpenSearch: requests that end early, nodes that fail, invalid responses."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, cast

import pytest
from aiohttp import web
from opensearchpy.exceptions import ConnectionTimeout

from api.engine.client import close_client, create_client, has_alternative
from api.engine.search_engine import SearchEngine
from api.errors import EngineUnavailableError
from api.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from opensearchpy import AIOHttpConnection, AsyncOpenSearch

    Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def served(handler: Handler) -> AsyncIterator[tuple[str, web.Server]]:
    """A node that responds by `handler`: its address, and the server that knows its open connections."""
    server = web.Server(handler, handler_cancellation=True)
    runner = web.ServerRunner(server)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    try:
        yield f"http://{host}:{port}", server
    finally:
        await runner.cleanup()


@asynccontextmanager
async def client_of(*urls: str) -> AsyncIterator[AsyncOpenSearch]:
    client = create_client(Settings(), urls, connections=4, seconds=5)
    try:
        yield client
    finally:
        await close_client(client)


async def search(client: AsyncOpenSearch, seconds: float = 5.0) -> object:
    return await client.search(index="one", body={}, params={"request_timeout": seconds})


@pytest.mark.parametrize("leaves", ["cancelled", "late"])
async def test_a_request_that_ends_early_closes_its_connection(leaves: str) -> None:
    """Otherwise the next request on that connection would get the response of this one."""
    requests = 0
    arrived, released = asyncio.Event(), asyncio.Event()

    async def respond(_: web.BaseRequest) -> web.Response:
        nonlocal requests
        requests += 1
        number = requests
        arrived.set()
        if number == 1:
            await released.wait()
        return web.json_response({"number": number})

    async with served(respond) as (url, server), client_of(url) as client:
        if leaves == "late":
            with pytest.raises(ConnectionTimeout):
                await search(client, seconds=0.05)
        else:
            first = asyncio.create_task(search(client))
            await asyncio.wait_for(arrived.wait(), 10)
            first.cancel()
            with suppress(asyncio.CancelledError):
                await first
        released.set()
        assert [await search(client) for _ in range(2)] == [{"number": 2}, {"number": 3}]
        assert len(server.connections) == 1


async def never(_: web.BaseRequest) -> web.StreamResponse:
    await asyncio.sleep(60)
    return web.Response()


async def immediately(_: web.BaseRequest) -> web.StreamResponse:
    return web.json_response({})


async def test_a_node_that_failed_is_an_alternative_only_after_it_responds() -> None:
    """Even when its pause is over: a request that retries it must leave time for another node."""
    async with served(never) as (silent, _), served(immediately) as (well, _), client_of(silent, well) as client:
        assert has_alternative(client)
        with pytest.raises(ConnectionTimeout):
            await asyncio.gather(*(search(client, seconds=0.1) for _ in range(2)))
        pool = client.transport.connection_pool
        assert (len(pool.connections), has_alternative(client)) == (1, True)
        pool.resurrect(force=True)
        assert (len(pool.connections), has_alternative(client)) == (2, True)
        for connection in pool.orig_connections:
            pool.mark_dead(connection)
        assert not has_alternative(client)
        pool.resurrect(force=True)
        assert not has_alternative(client)


async def test_a_single_node_has_no_alternative() -> None:
    async with served(immediately) as (url, _), client_of(url) as client:
        assert not has_alternative(client)
        await search(client)
        assert not has_alternative(client)


async def test_closing_closes_connections_to_dead_nodes() -> None:
    async with served(never) as (first, _), served(never) as (second, _):
        client = create_client(Settings(), [first, second], connections=4, seconds=5)
        for _ in range(2):
            with pytest.raises(ConnectionTimeout):
                await search(client, seconds=0.1)
        connections = cast("list[AIOHttpConnection]", client.transport.seed_connections)
        sessions = [connection.session for connection in connections]
        await close_client(client)
        assert [session.closed for session in sessions] == [True, True]


SENSELESS = {
    "broken JSON": (b"{not json", "application/json"),
    "HTML": (b"<p>", "text/html"),
    "invalid UTF-8": (b"\xff\xfe", "text/plain"),
}


@pytest.mark.parametrize("name", SENSELESS)
async def test_a_response_that_cannot_be_read_counts_as_unavailable(name: str) -> None:
    body, media_type = SENSELESS[name]

    async def respond(_: web.BaseRequest) -> web.Response:
        return web.Response(body=body, content_type=media_type)

    async with served(respond) as (url, _):
        engine = SearchEngine(Settings(), [url])
        for read in (engine.refresh_live_release(), engine.fetch(["one"])):
            with pytest.raises(EngineUnavailableError):
                await read
        await engine.close()
