"""Usage counts on OpenSearch: every request is counted, without delay or failure of requests."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import orjson
from opensearchpy import OpenSearch

from api.models import UsageTotals
from api.settings import Settings
from api.telemetry.usage_counters import RequestFacts, UsageCounters, UsageKey
from api.telemetry.usage_writer import MAX_QUEUE_LENGTH, UsageWriter
from tests.support.fixture_graphs import MAPPINGS, serving

BODY = orjson.loads((MAPPINGS / "usage.json").read_bytes())
NOW = datetime(2026, 11, 21, 10, 30, 59, tzinfo=UTC)


def tool(name: str, **arguments: str) -> tuple[str, str, dict[str, Any]]:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return "POST", "/mcp", {"json": call}


# Number of times, request, and the dimensions that it must be counted under.
SENT: list[tuple[int, str, str, dict[str, Any], dict[str, Any]]] = [
    (12, "GET", "/search?query=adhd", {}, {"route": "/search", "synonyms": "alias"}),
    (3, "GET", "/search?query=telwork", {}, {"route": "/search", "did_you_mean": True}),
    (2, "HEAD", "/disability/crohns-disease", {}, {"route": "/{type}/{id}", "results": "none"}),
    (4, "GET", "/disability/nope", {}, {"route": "/{type}/{id}", "status": "4xx", "results": "none"}),
    (1, "GET", "/search", {}, {"route": "/search", "status": "4xx", "results": "none"}),
    (2, "GET", "/nowhere/at/all/ever", {}, {"route": "unrouted", "status": "4xx", "results": "none"}),
    (1, "GET", "/graph", {"headers": {"If-None-Match": "*"}}, {"route": "/graph", "status": "3xx"}),
    (5, "OPTIONS", "/search", {}, {"route": "options", "results": "none"}),
    (2, "POST", "/recommend", {"json": {"disability": "multiple-sclerosis"}}, {"route": "/recommend"}),
    (1, "GET", "/suggest?query=te", {}, {"route": "/suggest", "limited": False}),
    (3, "GET", "/suggest?query=te", {}, {"route": "/suggest", "status": "4xx", "limited": True, "results": "none"}),
    (2, *tool("search_accommodations", query="adhd"), {"route": "search_accommodations", "synonyms": "alias"}),
    (3, *tool("get_entity", id="disability:nope"), {"route": "get_entity", "status": "4xx", "results": "none"}),
    (1, *tool("drop_tables"), {"route": "/mcp", "results": "none"}),
]


async def test_counts_every_request_by_its_dimensions(
    service: httpx.AsyncClient, node_url: str, client: OpenSearch
) -> None:
    assert service  # the world is published
    settings = {"usage_months": 2, "usage_index": "akg-usage-sent", "rate_limit": 10_000, "rate_limit_suggest": 1}
    async with serving(node_url, "akg-world", **settings) as counted:
        for times, method, path, more, _ in SENT:
            for _ in range(times):
                await counted.request(method, path, **more)
        for probe in ("/healthz", "/readyz"):  # not use of the API
            assert (await counted.get(probe)).status_code == 200
        assert (await counted.get("/metrics")).status_code == 422  # no such type: `/metrics` has its own port
    client.indices.refresh(index="akg-usage-sent-*")
    found = client.search(index="akg-usage-sent-*", body={"size": 1000})["hits"]["hits"]
    documents = [hit["_source"] for hit in found]
    assert sum(document["count"] for document in documents) == sum(times for times, *_ in SENT) + 1
    for times, _, path, _, kind in SENT:
        matching = [document for document in documents if {"status": "2xx", **kind}.items() <= document.items()]
        assert sum(document["count"] for document in matching) == times, path
    cache_states = {
        document["cache"] for document in documents if document["route"] == "/search" and document["status"] == "2xx"
    }
    assert "fresh" in cache_states
    assert cache_states <= {"fresh", "hit"}
    counts: Counter[str] = Counter()
    for document in documents:
        counts[document["transport"]] += document["count"]
    assert counts == {"rest": sum(times for times, _, path, *_ in SENT if path != "/mcp") + 1, "mcp": 6}
    assert {document["data_version"] for document in documents if "data_version" in document} != set()


async def test_daily_totals_suppress_small_numbers(
    service: httpx.AsyncClient, node_url: str, client: OpenSearch
) -> None:
    assert service
    index = "akg-usage-totals"
    usage = UsageCounters(["/search", "/{type}/{id}"])
    store = _store(node_url, usage, index, datetime.now(UTC))
    for route, status, times in (("/search", 200, 40), ("/search", 404, 4), ("/{type}/{id}", 200, 20)):
        for _ in range(times):
            usage.record(RequestFacts(route=route, status=status), 0.01)
    store.collect()
    await store.flush()
    await store.close()
    client.indices.refresh(index=f"{index}-*")
    async with serving(node_url, "akg-world", usage_index=index) as usage_client:
        response = await usage_client.get("/usage?days=2")
        (day,) = UsageTotals.model_validate_json(response.content).days
        assert (day.requests, day.complete, day.by_transport) == (60, False, {"rest": 60})
        assert day.by_route == {"/search": 40, "/{type}/{id}": 20}
        assert day.by_status == {"2xx": None, "4xx": None}  # or the four could be computed from the total
    async with serving(node_url, "akg-world", usage_index="akg-usage-never") as usage_client:
        assert (await usage_client.get("/usage")).json()["days"] == []


def _store(url: str, usage: UsageCounters, index: str, now: datetime, months: int = 3) -> UsageWriter:
    settings = Settings(usage_index=index, usage_months=months)
    return UsageWriter(settings, [url], usage, BODY, lambda: now, dict, "worker")


async def test_counts_wait_while_opensearch_is_down_and_the_oldest_are_dropped(
    node_url: str, client: OpenSearch
) -> None:
    usage = UsageCounters([])
    store = _store("http://127.0.0.1:9", usage, "akg-usage-late", NOW)
    usage.record(RequestFacts(status=200), 0.0)
    store.collect()
    await store.flush()
    assert (len(store.queue), store.dropped) == (1, 0)
    waiting = store.queue[0]
    store.queue.extend([waiting] * (MAX_QUEUE_LENGTH - 1))
    usage.record(RequestFacts(status=404), 0.0)
    store.collect()
    assert (len(store.queue), store.dropped, store.queue[-1].key.status) == (MAX_QUEUE_LENGTH, 1, "4xx")
    await store.close()
    later = _store(node_url, usage, "akg-usage-late", NOW)
    later.queue.extend((waiting, waiting))  # the same counts twice, as after a lost response
    await later.flush()
    await later.close()
    client.indices.refresh(index="akg-usage-late-2026.11")
    assert client.count(index="akg-usage-late-2026.11")["count"] == 1


async def test_recreates_a_deleted_index(node_url: str, client: OpenSearch) -> None:
    index = "akg-usage-again-2026.11"
    usage = UsageCounters([])
    store = _store(node_url, usage, "akg-usage-again", NOW)
    for _ in range(2):
        usage.record(RequestFacts(status=200), 0.0)
        store.collect()
        await store.flush()
        mapping = client.indices.get_mapping(index=index)[index]["mappings"]
        assert mapping["properties"] == BODY["mappings"]["properties"]
        client.indices.delete(index=index)
    await store.close()


async def test_extends_the_index_of_an_older_version(node_url: str, client: OpenSearch) -> None:
    index = "akg-usage-older-2026.11"
    fields = {name: field for name, field in BODY["mappings"]["properties"].items() if name not in {"cache", "limited"}}
    client.indices.create(index=index, body={"mappings": {"dynamic": "strict", "properties": fields}})
    usage = UsageCounters([])
    store = _store(node_url, usage, "akg-usage-older", NOW)
    usage.record(RequestFacts(status=200), 0.0)
    store.collect()
    await store.flush()
    await store.close()
    assert (len(store.queue), store.dropped) == (0, 0)
    assert client.indices.get_mapping(index=index)[index]["mappings"]["properties"] == BODY["mappings"]["properties"]
    client.indices.refresh(index=index)
    assert client.count(index=index)["count"] == 1


async def test_counts_wait_while_an_index_is_blocked(node_url: str, client: OpenSearch) -> None:
    index = "akg-usage-blocked-2026.11"
    client.indices.create(index=index, body=BODY)
    client.indices.put_settings(index=index, body={"index.blocks.read_only_allow_delete": True})
    usage = UsageCounters([])
    store = _store(node_url, usage, "akg-usage-blocked", NOW)
    usage.record(RequestFacts(status=200), 0.0)
    store.collect()
    await store.flush()
    assert (len(store.queue), store.dropped) == (1, 0)
    client.indices.put_settings(index=index, body={"index.blocks.read_only_allow_delete": None})
    await store.flush()
    await store.close()
    assert (len(store.queue), store.dropped) == (0, 0)
    client.indices.refresh(index=index)
    assert client.count(index=index)["count"] == 1


async def test_each_month_has_an_index_and_expired_ones_are_deleted(node_url: str, client: OpenSearch) -> None:
    for month in ("2026.08", "2026.09", "2026.10"):
        client.indices.create(index=f"akg-usage-old-{month}", body=BODY)
    usage = UsageCounters([])
    store = _store(node_url, usage, "akg-usage-old", NOW)
    usage.record(RequestFacts(status=200), 0.0)
    store.collect()
    store.queue.appendleft(store.queue[0].__class__(NOW - timedelta(days=30), 7, store.queue[0].key, 1, {}))
    await store.flush()
    await store.close()
    indices = sorted(client.indices.get_alias(index="akg-usage-old-*"))
    assert indices == ["akg-usage-old-2026.09", "akg-usage-old-2026.10", "akg-usage-old-2026.11"]
    client.indices.refresh(index="akg-usage-old-*")
    counts = {month: client.count(index=f"akg-usage-old-{month}")["count"] for month in ("2026.10", "2026.11")}
    assert counts == {"2026.10": 1, "2026.11": 1}


def test_the_mapping_declares_every_field() -> None:
    declared = set(BODY["mappings"]["properties"])
    written = {*UsageKey._fields, "count", "minute", "worker", "service_version", "data_version", "released"}
    assert declared == written
    assert Counter(field["type"] for field in BODY["mappings"]["properties"].values()).keys() <= {
        *("keyword", "date", "boolean", "long")
    }
