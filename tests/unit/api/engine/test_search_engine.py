"""Access to OpenSearch: invalid responses, and the circuit breaker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from api.engine.circuit_breaker import MAX_FAILURES
from api.engine.search_engine import PROBE_SHARE, SearchEngine
from api.errors import EngineUnavailableError
from api.settings import Settings
from tests.support.http_servers import http_server

SENSELESS = {
    "broken JSON": (b"{not json", "application/json"),
    "HTML": (b"<p>", "text/html"),
    "invalid UTF-8": (b"\xff\xfe", "text/plain"),
}


@pytest.mark.parametrize(("body", "media_type"), SENSELESS.values(), ids=SENSELESS)
async def test_a_response_that_cannot_be_read_counts_as_unavailable(body: bytes, media_type: str) -> None:
    async def respond(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type=media_type)

    async with http_server(respond) as (url, _):
        engine = SearchEngine(Settings(), [url])
        for read in (engine.refresh_live_release(), engine.fetch(["one"])):
            with pytest.raises(EngineUnavailableError):
                await read
        await engine.close()


class Node:
    """A node that is down, then responds after some seconds, from some call on."""

    def __init__(self) -> None:
        self.is_up = False
        self.seconds = 0.05
        self.failing_calls = 0
        self.calls = 0

    async def respond(self, request: web.Request) -> web.Response:
        """Respond, or close the connection."""
        self.calls += 1
        if self.is_up:
            await asyncio.sleep(self.seconds)
        if (not self.is_up or self.calls <= self.failing_calls) and request.transport is not None:
            request.transport.abort()
        return web.json_response({"hits": {"hits": []}})


@asynccontextmanager
async def after_an_outage(deadline_seconds: float = 5.0) -> AsyncIterator[tuple[SearchEngine, Node]]:
    """Yield an engine whose circuit breaker is open, and the node, which is up again."""
    node = Node()
    async with http_server(node.respond, cancel=True) as (url, _):
        engine = SearchEngine(Settings(deadline_seconds=deadline_seconds), [url])
        for _ in range(MAX_FAILURES):
            with pytest.raises(EngineUnavailableError):
                await engine.search_usage({})
        assert engine.is_unavailable
        node.is_up, node.calls = True, 0
        yield engine, node
        await engine.close()


async def test_requests_that_arrive_during_a_probe_wait_for_it() -> None:
    async with after_an_outage() as (engine, node):
        await asyncio.gather(*(engine.search_usage({}) for _ in range(8)))
        assert (node.calls, engine.is_unavailable) == (8, False)


async def test_requests_that_wait_for_a_probe_fail_with_it() -> None:
    async with after_an_outage() as (engine, node):
        node.is_up = False
        results = await asyncio.gather(*(engine.search_usage({}) for _ in range(8)), return_exceptions=True)
        assert {type(result) for result in results} == {EngineUnavailableError}
        assert node.calls == 4  # one probe, one that began after the other seven arrived, and their retries


async def test_the_first_request_after_an_outage_succeeds_whenever_the_node_returns() -> None:
    async with after_an_outage() as (engine, node):
        node.seconds = 0.0
        for number in (0, 1, 3):  # of requests that fail while the breaker is open
            node.is_up = False
            for _ in range(MAX_FAILURES + number):
                with pytest.raises(EngineUnavailableError):
                    await engine.search_usage({})
            node.is_up = True
            await engine.search_usage({})
            assert not engine.is_unavailable


async def test_a_request_does_not_fail_with_a_probe_that_began_before_it() -> None:
    async with after_an_outage() as (engine, node):
        node.failing_calls, node.seconds = 2, 0.05  # the probe and its retry, slowly
        probe = asyncio.create_task(engine.search_usage({}))
        await asyncio.sleep(0)
        await engine.search_usage({})
        with pytest.raises(EngineUnavailableError):
            await probe


async def test_after_a_cancelled_probe_a_request_that_waits_for_it_is_the_next() -> None:
    async with after_an_outage() as (engine, node):
        node.seconds = 60
        probe = asyncio.create_task(engine.search_usage({}))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(engine.search_usage({}))
        await asyncio.sleep(0.05)
        node.seconds = 0.0
        probe.cancel()
        await asyncio.wait_for(waiting, 1)
        assert not engine.is_unavailable


async def test_requests_do_not_wait_long_for_a_node_that_hangs() -> None:
    async with after_an_outage(deadline_seconds=0.4) as (engine, node):
        node.seconds = 60
        probe = asyncio.create_task(engine.search_usage({}))
        await asyncio.sleep(0)
        with pytest.raises(EngineUnavailableError):
            await asyncio.wait_for(engine.search_usage({}), 2 * 0.4 * PROBE_SHARE)
        probe.cancel()
