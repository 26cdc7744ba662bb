"""Access to OpenSearch: invalid responses, and the circuit breaker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from api.engine.search_engine import MAX_FAILURES, PAUSE_SECONDS, PROBE_SHARE, CircuitBreaker, SearchEngine
from api.errors import EngineUnavailableError
from api.settings import Settings
from tests.support.http_servers import http_server


def broken(failures: int = MAX_FAILURES) -> CircuitBreaker:
    breaker = CircuitBreaker()
    for _ in range(failures):
        assert breaker.allows(10.0)
        breaker.failed(10.0)
    return breaker


def test_a_few_failures_do_not_open_the_circuit_breaker() -> None:
    breaker = broken(MAX_FAILURES - 1)
    assert (breaker.open, [breaker.allows(10.0) for _ in range(3)]) == (False, [True] * 3)


def test_only_consecutive_failures_count() -> None:
    breaker = broken(MAX_FAILURES - 1)
    breaker.succeeded()
    breaker.failed(10.0)
    breaker.failed(10.0)
    assert not breaker.open


@pytest.mark.parametrize(
    ("times", "allowed"),
    [
        ((10.0, 10.2, 10.49), (False, False, False)),
        ((10.5, 10.5, 10.6, 10.99), (True, False, False, False)),
        ((10.5, 10.9, 11.0, 11.1), (True, False, True, False)),  # the first probe never ends
    ],
)
def test_after_the_maximum_of_failures_one_probe_per_pause_is_allowed(
    times: tuple[float, ...], allowed: tuple[bool, ...]
) -> None:
    breaker = broken()
    assert breaker.open
    assert tuple(map(breaker.allows, times)) == allowed


def test_a_successful_probe_closes_the_circuit_breaker() -> None:
    breaker = broken()
    assert breaker.allows(10.5)
    breaker.succeeded()
    assert (breaker.open, [breaker.allows(10.5) for _ in range(3)]) == (False, [True] * 3)


def test_a_failed_probe_restarts_the_pause() -> None:
    breaker = broken()
    assert breaker.allows(10.5)
    breaker.failed(10.9)
    assert [breaker.allows(now) for now in (11.0, 11.39, 11.4, 11.4)] == [False, False, True, False]


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
    """A node that is down, then responds after some seconds."""

    def __init__(self) -> None:
        self.is_up = False
        self.seconds = 0.05
        self.calls = 0

    async def respond(self, request: web.Request) -> web.Response:
        """Respond, or close the connection."""
        self.calls += 1
        if self.is_up:
            await asyncio.sleep(self.seconds)
        elif request.transport is not None:
            request.transport.abort()
        return web.json_response({"hits": {"hits": []}})


@asynccontextmanager
async def after_an_outage(deadline_seconds: float = 5.0) -> AsyncIterator[tuple[SearchEngine, Node]]:
    """Yield an engine whose circuit breaker is open and may send a probe to the node, which is up again."""
    node = Node()
    async with http_server(node.respond, cancel=True) as (url, _):
        engine = SearchEngine(Settings(deadline_seconds=deadline_seconds), [url])
        for _ in range(MAX_FAILURES):
            with pytest.raises(EngineUnavailableError):
                await engine.search_usage({})
        with pytest.raises(EngineUnavailableError):
            await engine.search_usage({})
        await asyncio.sleep(PAUSE_SECONDS)
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
        assert node.calls == 2  # the probe and its retry


async def test_a_cancelled_probe_releases_the_requests_that_wait_for_it() -> None:
    async with after_an_outage() as (engine, node):
        node.seconds = 60
        probe = asyncio.create_task(engine.search_usage({}))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(engine.search_usage({}))
        await asyncio.sleep(0.05)
        probe.cancel()
        with pytest.raises(EngineUnavailableError):
            await asyncio.wait_for(waiting, 1)


async def test_requests_do_not_wait_long_for_a_node_that_hangs() -> None:
    async with after_an_outage(deadline_seconds=0.4) as (engine, node):
        node.seconds = 60
        probe = asyncio.create_task(engine.search_usage({}))
        await asyncio.sleep(0)
        with pytest.raises(EngineUnavailableError):
            await asyncio.wait_for(engine.search_usage({}), 2 * 0.4 * PROBE_SHARE)
        probe.cancel()
