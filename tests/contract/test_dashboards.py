"""The dashboards: every reference leads somewhere, every field is declared, and every panel has data."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from api.mcp.tools import TOOLS
from api.telemetry.usage_counters import LATENCIES, RequestFacts, UsageCounters, usage_document
from api.telemetry.usage_writer import usage_index_body
from tests.support.project import MAPPINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opensearchpy import OpenSearch


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
    pytest.param(one, id=one["id"]) for objects in FILES.values() for one in objects if one["type"] == "visualization"
]
INDEX = "akg-usage-shown-2026.11"
ROUTES = ("/search", "/{type}/{id}", "/recommend", *TOOLS)


def source_of(one: Body) -> Body:
    found: Body = json.loads(one["attributes"]["kibanaSavedObjectMeta"]["searchSourceJSON"])
    return found


def aggregations_of(one: Body) -> list[Body]:
    """The aggregations of a panel, outermost first."""
    found: list[Body] = json.loads(one["attributes"]["visState"])["aggs"]
    return found


def fields_of(one: Body) -> Iterator[str]:
    """Every field that a panel names."""
    for each in aggregations_of(one):
        if "field" in each["params"]:
            yield each["params"]["field"]
        for wanted in each["params"].get("filters", ()):
            query = wanted["input"]["query"]
            if query != "*":
                yield query.partition(":")[0]
    for wanted in source_of(one)["filter"]:
        yield wanted["meta"]["key"]


def search_of(one: Body) -> Body:
    """The search that Dashboards makes of a panel, over the last day."""
    wanted = aggregations_of(one)
    inner: Body = {
        each["id"]: {each["type"]: {"field": each["params"]["field"]}} for each in wanted if each["type"] in METRICS
    }
    for each in reversed([each for each in wanted if each["type"] in BUCKETS]):
        inner = {each["id"]: {**bucket(each), "aggs": inner}}
    filters = [each["query"] for each in source_of(one)["filter"]]
    recent = {"range": {"minute": {"gte": "now-24h", "lte": "now"}}}
    return {"size": 0, "query": {"bool": {"filter": [recent, *filters]}}, "aggs": inner}


def bucket(each: Body) -> Body:
    params = each["params"]
    if each["type"] == "filters":
        named = {one["label"]: {"query_string": {"query": one["input"]["query"]}} for one in params["filters"]}
        return {"filters": {"filters": named}}
    if each["type"] == "date_histogram":
        return {"date_histogram": {"field": params["field"], "fixed_interval": "30m", "min_doc_count": 1}}
    return {"terms": {"field": params["field"], "size": params["size"]}}


def test_there_is_a_dashboard_for_each_question_of_operators() -> None:
    titles = {
        name: [one["attributes"]["title"] for one in objects if one["type"] == "dashboard"]
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
def test_every_reference_of_a_file_leads_to_an_object_in_it(name: str) -> None:
    there = [(one["type"], one["id"]) for one in FILES[name]]
    assert len(set(there)) == len(there)
    wanted = {(one["type"], one["id"]) for each in FILES[name] for one in each["references"]}
    assert wanted <= set(there)
    assert set(there) - wanted == {("dashboard", f"akg-{name}")}  # all else is shown


@pytest.mark.parametrize("name", FILES)
def test_a_dashboard_shows_each_panel_once_and_none_over_another(name: str) -> None:
    (board,) = (one for one in FILES[name] if one["type"] == "dashboard")
    panels = json.loads(board["attributes"]["panelsJSON"])
    assert [panel["panelRefName"] for panel in panels] == [one["name"] for one in board["references"]]
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
def test_the_index_pattern_is_the_mapping(name: str) -> None:
    (pattern,) = (one for one in FILES[name] if one["type"] == "index-pattern")
    assert (pattern["id"], pattern["attributes"]["title"], pattern["attributes"]["timeFieldName"]) == (
        *("akg-usage", "akg-usage-*", "minute"),
    )
    listed = {one["name"]: one["type"] for one in json.loads(pattern["attributes"]["fields"])}
    assert listed == {field: KINDS[kind["type"]] for field, kind in USAGE.items()}


@pytest.mark.parametrize("panel", PANELS)
def test_every_name_inside_a_panel_is_known(panel: Body) -> None:
    assert set(fields_of(panel)) <= set(USAGE)
    source = source_of(panel)
    named = {source["indexRefName"], *(one["meta"]["indexRefName"] for one in source["filter"])}
    assert named == {one["name"] for one in panel["references"]}
    wanted = aggregations_of(panel)
    assert {each["type"] for each in wanted} <= METRICS | BUCKETS
    ids = {each["id"] for each in wanted}
    assert len(ids) == len(wanted)
    orders = {each["params"]["orderBy"] for each in wanted if each["type"] == "terms"}
    assert orders <= ids


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
    lines: list[Body] = []
    for number, (cell, count) in enumerate(usage.take().items()):
        minute = (now - timedelta(minutes=number % 600)).isoformat()
        live = {"service_version": "0.1.0", "data_version": f"2026.11.{number % 2}", "released": minute}
        more = {"minute": minute, "worker": f"worker-{number % 2}", **live}
        lines += [{"index": {}}, usage_document(cell, count, more)]
    assert not client.bulk(index=INDEX, body=lines, refresh=True)["errors"]
    return INDEX


@pytest.mark.parametrize("panel", PANELS)
def test_a_panel_has_data(client: OpenSearch, counted: str, panel: Body) -> None:
    response = client.search(index=counted, body=search_of(panel))
    assert response["_shards"]["failed"] == 0
    assert response["hits"]["total"]["value"] > 0
    for values in leaves(response["aggregations"]):
        assert all(value > 0 for value in values)


def leaves(level: Body) -> list[list[float]]:
    """Return the numbers of every innermost bucket; each level must have buckets."""
    split = next((one["buckets"] for one in level.values() if isinstance(one, dict) and "buckets" in one), None)
    if split is None:
        return [[one["value"] for one in level.values() if isinstance(one, dict) and "value" in one]]
    assert split
    inner = split.values() if isinstance(split, dict) else split
    return [values for bucket in inner for values in leaves(bucket)]
