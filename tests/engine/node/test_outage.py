"""OpenSearch stops under a running service, and comes back."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest
from opensearchpy import OpenSearch

from akg.node import start, stop
from api import models
from api.health import CACHE_SECONDS
from tests.support.fixture_graphs import WORLD, publish, serving

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

SEEN = "/disability/crohns-disease/neighbors?edge=affects"  # cached, so it can be served stale
READS = (
    "/search?query=adhd",
    "/disability",
    "/disability/crohns-disease",
    "/graph",
    "/related_conditions/crohns-disease",
)
DEADLINE = 2.0  # the default of AKG_DEADLINE_SECONDS


async def test_the_service_survives_an_outage_of_opensearch(node_root: Path, engine_cache: Path) -> None:
    node = start(node_root, cache=engine_cache, http_port=0)
    with OpenSearch(hosts=[node.url], timeout=60) as client:
        publish(client, "akg-entities", WORLD)
    async with serving(node.url, "akg-entities") as service:
        assert (await service.get("/readyz")).status_code == 200
        fresh = (await service.get(SEEN)).json()
        stop(node_root)
        await _away(service)
        await _stands_in(service, fresh)
        start(node_root, cache=engine_cache, http_port=node.http_port)
        assert (await service.get("/readyz")).status_code == 200
        for path in READS:
            assert (await service.get(path)).status_code == 200
        assert (await service.get(SEEN)).json() == fresh
        assert (await service.get("/healthz")).json()["engine"] == "up"


async def _away(service: httpx.AsyncClient) -> None:
    await asyncio.sleep(CACHE_SECONDS)  # an engine that was ready this lately still counts as ready
    health = await service.get("/healthz")
    assert (health.status_code, health.json()["engine"]) == (200, "down")
    assert (await service.get("/readyz")).status_code == 503
    for path in READS:
        began = time.monotonic()
        answer = await service.get(path)
        assert time.monotonic() - began < DEADLINE + 1
        assert answer.status_code == 503, answer.text
        assert answer.headers["retry-after"]
        assert models.Problem.model_validate_json(answer.content).title == "Search engine unavailable"


async def _stands_in(service: httpx.AsyncClient, fresh: dict[str, Any]) -> None:
    answer = await service.get(SEEN)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    stale = models.NeighborPage.model_validate_json(answer.content)
    assert stale.provenance.stale_seconds is not None
    found = answer.json()
    del found["provenance"]["stale_seconds"]
    assert found == fresh


@pytest.mark.parametrize("path", ["/readyz", "/search?query=a", "/disability", "/disability/x", "/graph"])
async def test_returns_503_before_the_first_release(node_url: str, path: str) -> None:
    async with serving(node_url, "akg-never-built") as service:
        answer = await service.get(path)
        assert answer.status_code == 503
        assert "No data has been published yet" in answer.json()["detail"]
        assert answer.json()["provenance"]["data_version"] is None
        assert (await service.get("/healthz")).status_code == 200
