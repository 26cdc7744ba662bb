"""The service while OpenSearch is down, hangs, closes connections or has too little time."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from opensearchpy import OpenSearch

from akg.node import start, stop
from api import models
from api.deadline import until
from api.engine.circuit_breaker import MAX_FAILURES, PAUSE_SECONDS
from api.engine.search_engine import SearchEngine
from api.errors import DeadlineError, EngineUnavailableError
from api.health import CACHE_SECONDS
from api.settings import Settings
from tests.support.fixture_graphs import WORLD, publish, serving
from tests.support.misbehaving_servers import peer

CACHED_PATH = "/disability/crohns-disease/neighbors?edge=affects"  # can be served stale
CACHED_PAGE = "/explore/search?query=crohns"
READS = (
    *("/search?query=adhd", "/disability", "/disability/crohns-disease", "/graph"),
    "/related_conditions/crohns-disease",
)
STALE_SECONDS = 12  # longer than the node takes to stop
DEADLINE_SECONDS = 2.0  # the default of AKG_DEADLINE_SECONDS
ANYTHING: dict[str, Any] = {"query": {"match_all": {}}}


@asynccontextmanager
async def engine_at(url: str, deadline_seconds: float = 0.05) -> AsyncIterator[SearchEngine]:
    engine = SearchEngine(Settings(deadline_seconds=deadline_seconds), [url])
    yield engine
    await engine.close()


@dataclass(frozen=True, slots=True)
class Node:
    """A node with a release of the test world, which each test stops and starts."""

    root: Path
    cache: Path
    url: str
    http_port: int

    async def stop(self) -> None:
        """Stop it, while the services of this process go on."""
        await asyncio.to_thread(stop, self.root)

    async def start(self) -> None:
        """Start it at the same address."""
        await asyncio.to_thread(start, self.root, cache=self.cache, http_port=self.http_port)


@pytest.fixture(scope="module")
def root(guarded_folder: Path) -> Iterator[Path]:
    """The folder of the node, whose release outlives a stop."""
    folder = guarded_folder / "outage"
    yield folder
    stop(folder)


@pytest.fixture
def node(root: Path, engine_cache: Path) -> Node:
    """Start the node unless the previous test left it running, and publish a release on it."""
    running = start(root, cache=engine_cache, http_port=0)
    with OpenSearch(hosts=[running.url], timeout=60) as client:
        if not client.indices.exists_alias(name="akg-entities"):
            publish(client, "akg-entities", WORLD)
    return Node(root, engine_cache, running.url, running.http_port)


async def test_the_service_survives_an_outage_of_opensearch(node: Node) -> None:
    async with serving(node.url, "akg-entities") as service:
        assert (await service.get("/readyz")).json()["status"] == "ready"
        fresh = (await service.get(CACHED_PATH)).json()
        for path in ("/guides", CACHED_PAGE):
            assert (await service.get(path)).status_code == 200
        await node.stop()
        await assert_down(service)
        await assert_degraded(service)
        await assert_stale(service, fresh)
        await assert_stale_page_and_guides(service)
        await node.start()
        assert (await service.get("/readyz")).status_code == 200
        for path in READS:
            assert (await service.get(path)).status_code == 200
        assert (await service.get(CACHED_PATH)).json() == fresh
        assert (await service.get("/healthz")).json()["engine"] == "up"


async def assert_degraded(service: httpx.AsyncClient) -> None:
    """A process that has stale responses stays in the load balancer, which would lose them otherwise."""
    response = await service.get("/readyz")
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
    health = models.Health.model_validate_json(response.content)
    assert (health.status, health.engine) == ("degraded", "down")
    assert health.data_version


async def test_the_first_requests_after_an_outage_succeed(node: Node) -> None:
    """Also those that arrive together, over connections of before the outage, while the circuit breaker is open."""
    async with serving(node.url, "akg-entities", response_cache_bytes=0) as service:

        async def statuses(count: int) -> set[int]:
            paths = [READS[number % len(READS)] for number in range(count)]
            return {response.status_code for response in await asyncio.gather(*map(service.get, paths))}

        assert await statuses(16) == {200}
        await node.stop()
        assert await statuses(MAX_FAILURES + 1) == {503}
        await node.start()
        assert await statuses(8) == {200}


async def test_is_degraded_only_while_a_stale_response_can_be_sent(node: Node) -> None:
    """With the cache for STALE_SECONDS, without a cache never, and not before the first contact with OpenSearch."""
    async with (
        serving(node.url, "akg-entities", stale_seconds=STALE_SECONDS) as cached,
        serving(node.url, "akg-entities", response_cache_bytes=0) as uncached,
        serving(node.url, "akg-entities") as later,
    ):
        await node.stop()
        assert (await cached.get("/readyz")).status_code == 503  # before the first contact
        await node.start()
        for service in (cached, uncached):
            assert (await service.get("/readyz")).json()["status"] == "ready"
        await node.stop()
        seen_at = time.monotonic()
        await asyncio.sleep(CACHE_SECONDS)
        await assert_degraded(cached)
        assert (await uncached.get("/readyz")).status_code == 503
        assert (await later.get("/readyz")).status_code == 503
        await asyncio.sleep(max(0.0, seen_at + STALE_SECONDS - time.monotonic()) + 2 * CACHE_SECONDS)
        assert (await cached.get("/readyz")).status_code == 503


async def assert_down(service: httpx.AsyncClient) -> None:
    await asyncio.sleep(CACHE_SECONDS)  # until then the last check is cached
    health = await service.get("/healthz")
    assert (health.status_code, health.json()["engine"]) == (200, "down")
    for path in READS:
        began = time.monotonic()
        response = await service.get(path)
        assert time.monotonic() - began < DEADLINE_SECONDS + 1
        assert response.status_code == 503, response.text
        assert response.headers["retry-after"]
        assert models.Problem.model_validate_json(response.content).title == "Search engine unavailable"


async def assert_stale(service: httpx.AsyncClient, fresh: dict[str, Any]) -> None:
    response = await service.get(CACHED_PATH)
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
    stale = models.NeighborPage.model_validate_json(response.content)
    assert stale.provenance.stale_seconds is not None
    found = response.json()
    del found["provenance"]["stale_seconds"]
    assert found == fresh


async def assert_stale_page_and_guides(service: httpx.AsyncClient) -> None:
    """What a process holds of the release is stale too, because another may be live."""
    page = await service.get(CACHED_PAGE, headers={"Accept": "text/html"})
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    assert "The search engine does not respond. This page is" in page.text
    guides = await service.get("/guides")
    assert (guides.status_code, guides.headers["cache-control"]) == (200, "no-store")
    assert guides.json()["provenance"]["stale_seconds"] is not None
    assert (await service.get("/guides?limit=1")).status_code == 503


@pytest.mark.parametrize("path", ["/readyz", "/search?query=a", "/disability", "/disability/x", "/graph"])
async def test_returns_503_before_the_first_release(node_url: str, path: str) -> None:
    async with serving(node_url, "akg-never-built") as service:
        response = await service.get(path)
        assert response.status_code == 503
        assert "No data has been published yet" in response.json()["detail"]
        assert response.json()["provenance"]["data_version"] is None
        assert (await service.get("/healthz")).status_code == 200


async def test_a_closed_connection_is_retried_once() -> None:
    async with peer(hangs_up=True) as server, engine_at(server.url, DEADLINE_SECONDS) as engine:
        with pytest.raises(EngineUnavailableError):
            await engine.search(ANYTHING)
        assert server.calls == 2


async def test_a_hanging_request_is_not_retried_and_ends_at_the_deadline() -> None:
    async with peer(hangs_up=False) as server, engine_at(server.url) as engine:
        with pytest.raises(DeadlineError):
            await engine.search(ANYTHING)
        assert server.calls == 1


async def test_after_several_timeouts_only_a_probe_is_sent() -> None:
    async with peer(hangs_up=False) as server, engine_at(server.url) as engine:
        for _ in range(MAX_FAILURES):
            with pytest.raises(DeadlineError):
                await engine.search(ANYTHING)
        assert engine.is_unavailable
        for _ in range(20):
            with pytest.raises(EngineUnavailableError):
                await engine.fetch(["a"])
        assert server.calls == MAX_FAILURES
        await asyncio.sleep(PAUSE_SECONDS)
        results = await asyncio.gather(*(engine.search(ANYTHING) for _ in range(5)), return_exceptions=True)
        assert sorted(type(result).__name__ for result in results) == ["DeadlineError"] + ["EngineUnavailableError"] * 4
        assert server.calls == MAX_FAILURES + 1


async def test_a_request_without_time_left_is_not_a_failure_of_opensearch() -> None:
    async with peer(hangs_up=False) as server, engine_at(server.url) as engine:
        for seconds in (-1.0, 0.0, 0.01):
            for _ in range(MAX_FAILURES):
                with until(time.monotonic() + seconds), pytest.raises(DeadlineError):
                    await engine.search(ANYTHING)
        assert server.calls <= MAX_FAILURES
        assert not engine.is_unavailable


async def test_many_health_requests_cause_few_requests_to_opensearch() -> None:
    async with peer(hangs_up=True) as server:
        async with serving(server.url, "akg-entities") as service:
            requests = [service.get(path) for path in ("/healthz", "/readyz") for _ in range(100)]
            responses = await asyncio.gather(*requests)
        assert {response.status_code for response in responses} == {200, 503}
        assert server.calls <= 20
