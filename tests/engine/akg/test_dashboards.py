"""Every panel of the dashboards has data for an index with counts of all kinds."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from api.mcp.tools import TOOLS
from api.telemetry.request_facts import RequestFacts
from api.telemetry.usage_counters import LATENCIES, UsageCounters, usage_document
from api.telemetry.usage_writer import usage_index_body
from tests.support.dashboards import files, search_of
from tests.support.fixture_graphs import MAPPINGS

if TYPE_CHECKING:
    from opensearchpy import OpenSearch

INDEX = "akg-usage-shown-2026.11"
ROUTES = ("/search", "/{type}/{id}", "/recommend", *TOOLS)
PANELS = [
    pytest.param(one, id=one["id"]) for objects in files().values() for one in objects if one["type"] == "visualization"
]


@pytest.fixture(scope="module")
def counted(client: OpenSearch) -> str:
    """An index with counts of many kinds of requests, of two versions and two processes."""
    client.indices.create(index=INDEX, body=usage_index_body(MAPPINGS))
    now = datetime.now(UTC)
    kinds = itertools.product(ROUTES, (200, 404, 429, 503), (None, 0, 30), ("none", "rule"), ("fresh", "stale"))
    usage = UsageCounters(ROUTES)
    for number, (route, status, results, synonyms, cache) in enumerate(kinds):
        transport = "mcp" if route in TOOLS else "rest"
        seen = RequestFacts(transport, route, status, 0, results, results == 0, synonyms, cache)
        usage.record(seen, number % len(LATENCIES) * 0.05)
    lines: list[dict[str, Any]] = []
    for number, (cell, count) in enumerate(usage.take().items()):
        minute = (now - timedelta(minutes=number % 600)).isoformat()
        live = {"service_version": "0.1.0", "data_version": f"2026.11.{number % 2}", "released": minute}
        more = {"minute": minute, "worker": f"worker-{number % 2}", **live}
        lines += [{"index": {}}, usage_document(cell, count, more)]
    assert not client.bulk(index=INDEX, body=lines, refresh=True)["errors"]
    return INDEX


@pytest.mark.parametrize("panel", PANELS)
def test_a_panel_has_data(client: OpenSearch, counted: str, panel: dict[str, Any]) -> None:
    response = client.search(index=counted, body=search_of(panel))
    assert response["_shards"]["failed"] == 0
    assert response["hits"]["total"]["value"] > 0
    for values in leaves(response["aggregations"]):
        assert all(value > 0 for value in values)


def leaves(level: dict[str, Any]) -> list[list[float]]:
    """Return the numbers of every innermost bucket; each level must have buckets."""
    split = next((one["buckets"] for one in level.values() if isinstance(one, dict) and "buckets" in one), None)
    if split is None:
        return [[one["value"] for one in level.values() if isinstance(one, dict) and "value" in one]]
    assert split
    inner = split.values() if isinstance(split, dict) else split
    return [values for bucket in inner for values in leaves(bucket)]
