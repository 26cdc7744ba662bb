"""The dashboards: references resolve, fields are declared, and every panel has data."""

import itertools
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from opensearchpy import OpenSearch

from api.mcp.tools import TOOLS
from api.telemetry.usage_counters import LATENCIES, RequestFacts, UsageCounters, usage_document
from api.telemetry.usage_writer import usage_index_body
from tests.support.project import MAPPINGS

Body = dict[str, Any]

METRICS = {"sum", "max", "cardinality"}
BUCKETS = {"terms", "date_histogram", "filters"}
USAGE: Body = json.loads((MAPPINGS / "usage.json").read_text("utf-8"))["mappings"]["properties"]
KINDS = {"keyword": "string", "date": "date", "boolean": "boolean", "long": "number"}
FILES: dict[str, list[Body]] = {
    path.stem: [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for path in sorted((MAPPINGS / "dashboards").glob("*.ndjson"))
}
PANELS = [
    pytest.param(item, id=item["id"])
    for objects in FILES.values()
    for item in objects
    if item["type"] == "visualization"
]
INDEX = "akg-usage-shown-2026.11"
ROUTES = ("/search", "/{type}/{id}", "/recommend", *TOOLS)


def source_of(panel: Body) -> Body:
    found: Body = json.loads(panel["attributes"]["kibanaSavedObjectMeta"]["searchSourceJSON"])
    return found


def aggregations_of(panel: Body) -> list[Body]:
    found: list[Body] = json.loads(panel["attributes"]["visState"])["aggs"]
    return found


def fields_of(panel: Body) -> Iterator[str]:
    for aggregation in aggregations_of(panel):
        if "field" in aggregation["params"]:
            yield aggregation["params"]["field"]
        for filter_ in aggregation["params"].get("filters", ()):
            query = filter_["input"]["query"]
            if query != "*":
                yield query.partition(":")[0]
    for filter_ in source_of(panel)["filter"]:
        yield filter_["meta"]["key"]


def search_of(panel: Body) -> Body:
    """Return the search of a panel over the last day, as Dashboards builds it."""
    aggregations = aggregations_of(panel)
    inner: Body = {
        aggregation["id"]: {aggregation["type"]: {"field": aggregation["params"]["field"]}}
        for aggregation in aggregations
        if aggregation["type"] in METRICS
    }
    for aggregation in reversed([aggregation for aggregation in aggregations if aggregation["type"] in BUCKETS]):
        inner = {aggregation["id"]: {**bucket(aggregation), "aggs": inner}}
    filters = [filter_["query"] for filter_ in source_of(panel)["filter"]]
    recent = {"range": {"minute": {"gte": "now-24h", "lte": "now"}}}
    return {"size": 0, "query": {"bool": {"filter": [recent, *filters]}}, "aggs": inner}


def bucket(aggregation: Body) -> Body:
    params = aggregation["params"]
    if aggregation["type"] == "filters":
        named = {
            filter_["label"]: {"query_string": {"query": filter_["input"]["query"]}} for filter_ in params["filters"]
        }
        return {"filters": {"filters": named}}
    if aggregation["type"] == "date_histogram":
        return {"date_histogram": {"field": params["field"], "fixed_interval": "30m", "min_doc_count": 1}}
    return {"terms": {"field": params["field"], "size": params["size"]}}


def test_there_is_a_dashboard_for_each_topic() -> None:
    titles = {
        name: [item["attributes"]["title"] for item in objects if item["type"] == "dashboard"]
        for name, objects in FILES.items()
    }
    assert titles == {
        "errors": ["AKG: Errors and limits"],
        "mcp": ["AKG: MCP tools"],
        "release": ["AKG: Release and freshness"],
        "search": ["AKG: Search quality"],
        "traffic": ["AKG: Traffic and latency"],
    }


@pytest.mark.parametrize("name", FILES)
def test_every_reference_of_a_file_is_to_an_object_in_it(name: str) -> None:
    defined = [(item["type"], item["id"]) for item in FILES[name]]
    assert len(set(defined)) == len(defined)
    referenced = {(reference["type"], reference["id"]) for item in FILES[name] for reference in item["references"]}
    assert referenced <= set(defined)
    assert set(defined) - referenced == {("dashboard", f"akg-{name}")}  # everything else is shown


@pytest.mark.parametrize("name", FILES)
def test_a_dashboard_shows_each_panel_once_without_overlaps(name: str) -> None:
    (dashboard,) = (item for item in FILES[name] if item["type"] == "dashboard")
    panels = json.loads(dashboard["attributes"]["panelsJSON"])
    assert [panel["panelRefName"] for panel in panels] == [reference["name"] for reference in dashboard["references"]]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        grid = panel["gridData"]
        assert grid["x"] + grid["w"] <= 48
        cells = {
            (x, y) for x in range(grid["x"], grid["x"] + grid["w"]) for y in range(grid["y"], grid["y"] + grid["h"])
        }
        assert not cells & taken
        taken |= cells


@pytest.mark.parametrize("name", FILES)
def test_the_index_pattern_matches_the_mapping(name: str) -> None:
    (pattern,) = (item for item in FILES[name] if item["type"] == "index-pattern")
    assert (pattern["id"], pattern["attributes"]["title"], pattern["attributes"]["timeFieldName"]) == (
        *("akg-usage", "akg-usage-*", "minute"),
    )
    listed = {field["name"]: field["type"] for field in json.loads(pattern["attributes"]["fields"])}
    assert listed == {field: KINDS[kind["type"]] for field, kind in USAGE.items()}


@pytest.mark.parametrize("panel", PANELS)
def test_every_name_in_a_panel_is_defined(panel: Body) -> None:
    assert set(fields_of(panel)) <= set(USAGE)
    source = source_of(panel)
    named = {source["indexRefName"], *(filter_["meta"]["indexRefName"] for filter_ in source["filter"])}
    assert named == {reference["name"] for reference in panel["references"]}
    aggregations = aggregations_of(panel)
    assert {aggregation["type"] for aggregation in aggregations} <= METRICS | BUCKETS
    ids = {aggregation["id"] for aggregation in aggregations}
    assert len(ids) == len(aggregations)
    orders = {aggregation["params"]["orderBy"] for aggregation in aggregations if aggregation["type"] == "terms"}
    assert orders <= ids


@pytest.fixture(scope="module")
def usage_index(client: OpenSearch) -> str:
    """An index with usage counts of many kinds of requests, of two versions and two processes."""
    client.indices.create(index=INDEX, body=usage_index_body(MAPPINGS))
    now = datetime.now(UTC)
    kinds = itertools.product(ROUTES, (200, 404, 429, 503), (None, 0, 30), ("none", "rule"), ("fresh", "stale"))
    usage = UsageCounters(ROUTES)
    for number, (route, status, results, synonyms, cache) in enumerate(kinds):
        transport = "mcp" if route in TOOLS else "rest"
        seen = RequestFacts(transport, route, status, 0, results, results == 0, synonyms, cache)
        usage.record(seen, number % len(LATENCIES) * 0.05)
    lines: list[Body] = []
    for number, (cell, count) in enumerate(usage.take().items()):
        minute = (now - timedelta(minutes=number % 600)).isoformat()
        live = {"service_version": "0.1.0", "data_version": f"2026.11.{number % 2}", "released": minute}
        more = {"minute": minute, "worker": f"worker-{number % 2}", **live}
        lines += [{"index": {}}, usage_document(cell, count, more)]
    assert not client.bulk(index=INDEX, body=lines, refresh=True)["errors"]
    return INDEX


@pytest.mark.parametrize("panel", PANELS)
def test_a_panel_has_data(client: OpenSearch, usage_index: str, panel: Body) -> None:
    response = client.search(index=usage_index, body=search_of(panel))
    assert response["_shards"]["failed"] == 0
    assert response["hits"]["total"]["value"] > 0
    for values in leaves(response["aggregations"]):
        assert all(value > 0 for value in values)


def leaves(level: Body) -> list[list[float]]:
    """Return the numbers of every innermost bucket; each level must have buckets."""
    split = next((value["buckets"] for value in level.values() if isinstance(value, dict) and "buckets" in value), None)
    if split is None:
        return [[value["value"] for value in level.values() if isinstance(value, dict) and "value" in value]]
    assert split
    inner = split.values() if isinstance(split, dict) else split
    return [values for bucket in inner for values in leaves(bucket)]
