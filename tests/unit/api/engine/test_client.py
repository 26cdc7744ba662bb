"""The client of OpenSearch: requests that end early, and nodes that fail."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import cast

import pytest
from aiohttp import web
from opensearchpy import AIOHttpConnection, AsyncOpenSearch
from opensearchpy.exceptions import ConnectionTimeout

from api.engine.client import close_client, create_client, has_alternative
from api.settings import Settings
from tests.support.http_servers import http_server


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

    async def respond(_: web.Request) -> web.Response:
        nonlocal requests
        requests += 1
        number = requests
        arrived.set()
        if number == 1:
            await released.wait()
        return web.json_response({"number": number})

    async with http_server(respond) as (url, server), client_of(url) as client:
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


async def never(_: web.Request) -> web.StreamResponse:
    await asyncio.sleep(60)
    return web.Response()


async def immediately(_: web.Request) -> web.StreamResponse:
    return web.json_response({})


async def test_a_node_that_failed_is_an_alternative_only_after_it_responds() -> None:
    """Even when its pause is over: a request that retries it must leave time for another node."""
    async with (
        http_server(never, cancel=True) as (silent, _),
        http_server(immediately) as (well, _),
        client_of(silent, well) as client,
    ):
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
    async with http_server(immediately) as (url, _), client_of(url) as client:
        assert not has_alternative(client)
        await search(client)
        assert not has_alternative(client)


async def test_closing_closes_connections_to_dead_nodes() -> None:
    async with http_server(never, cancel=True) as (first, _), http_server(never, cancel=True) as (second, _):
        client = create_client(Settings(), [first, second], connections=4, seconds=5)
        for _ in range(2):
            with pytest.raises(ConnectionTimeout):
                await search(client, seconds=0.1)
        connections = cast("list[AIOHttpConnection]", client.transport.seed_connections)
        sessions = [connection.session for connection in connections]
        await close_client(client)
        assert [session.closed for session in sessions] == [True, True]
