"""The dashboards: references resolve, fields are declared, and every panel has data."""

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from opensearchpy import OpenSearch

from api.mcp.tools import TOOLS
from api.telemetry.usage_counters import LATENCIES, LATENCY_BOUNDS_MS, RequestFacts, UsageCounters, usage_document
from api.telemetry.usage_writer import usage_index_body
from indexer.graph.model import Graph
from schema.vocabulary import Vocabulary
from tests.support.fixture_graphs import publish
from tests.support.project import MAPPINGS
from tests.support.saved_dashboards import (
    BUCKETS,
    FIELD_TYPES,
    FILES,
    METRICS,
    PATTERNS,
    aggregations_of,
    declared_fields,
    fields_of,
    index_pattern_of,
    search_of,
    source_of,
    vega_of,
)
from tests.support.world_files import copy_world

Body = dict[str, Any]

PANELS = [
    pytest.param(index_pattern_of(name)[0], item, id=item["id"])
    for name, objects in FILES.items()
    for item in objects
    if item["type"] == "visualization"
]
GRAPH_PANELS = {item["id"]: item for item in FILES["graph"] if item["type"] == "visualization"}
INDEX = "akg-usage-shown-2026.11"
BAD_RELEASE = "2026.12.0"
PROBES = 1_000_000
STEPS = [0.0, *(bound / 1000 for bound in LATENCY_BOUNDS_MS)]  # one of each step of the duration
ROUTES = ("/search", "/{type}/{id}", "/recommend", *TOOLS)


def test_there_is_a_dashboard_for_each_topic() -> None:
    titles = {
        name: [item["attributes"]["title"] for item in objects if item["type"] == "dashboard"]
        for name, objects in FILES.items()
    }
    assert titles == {
        "errors": ["AKG: Errors and limits"],
        "graph": ["AKG: State of the graph"],
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
    id_, attributes, fields = index_pattern_of(name)
    pattern = PATTERNS[id_]
    assert (attributes["title"], attributes.get("timeFieldName")) == (pattern.title, pattern.time_field)
    listed = [(field["name"], field["type"], *field["esTypes"], field.get("subType")) for field in fields]
    declared = declared_fields(pattern.properties)
    assert listed == [(path, FIELD_TYPES[kind], kind, sub_type) for path, kind, sub_type in declared]


@pytest.mark.parametrize("name", FILES)
def test_the_index_pattern_has_the_capabilities_of_each_field(
    client: OpenSearch, indices: dict[str, str], name: str
) -> None:
    id_, _, fields = index_pattern_of(name)
    capabilities = client.field_caps(index=indices[id_], params={"fields": "*"})["fields"]
    for field in fields:
        (found,) = capabilities[field["name"]].values()
        assert (field["name"], field["searchable"], field["aggregatable"]) == (
            *(field["name"], found["searchable"], found["aggregatable"]),
        )


@pytest.mark.parametrize(("pattern", "panel"), PANELS)
def test_every_name_in_a_panel_is_defined(pattern: str, panel: Body) -> None:
    assert set(fields_of(panel)) <= {path for path, _, _ in declared_fields(PATTERNS[pattern].properties)}
    source = source_of(panel)
    named = {filter_["meta"]["indexRefName"] for filter_ in source["filter"]}
    if vega := vega_of(panel):
        assert vega["data"]["url"]["index"] == PATTERNS[pattern].title
    else:
        named.add(source["indexRefName"])
    assert named == {reference["name"] for reference in panel["references"]}
    aggregations = aggregations_of(panel)
    assert {aggregation["type"] for aggregation in aggregations} <= METRICS | BUCKETS | {"count"}
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
    for route, status, results, synonyms, cache in kinds:
        transport = "mcp" if route in TOOLS else "rest"
        seen = RequestFacts(transport, route, status, 0, results, results == 0, synonyms, cache)
        for seconds in STEPS:
            usage.record(seen, seconds)
    lines: list[Body] = []
    for number, (cell, count) in enumerate(usage.take().items()):
        minute = (now - timedelta(minutes=number % 600)).isoformat()
        live = {"service_version": "0.1.0", "data_version": f"2026.11.{number % 2}", "released": minute}
        more = {"minute": minute, "worker": f"worker-{number % 2}", **live}
        lines += [{"index": {}}, usage_document(cell, count, more)]
    lines += [{"index": {}}, _before_the_rollback(now), {"index": {}}, _probe_of_an_older_version(now)]
    assert not client.bulk(index=INDEX, body=lines, refresh=True)["errors"]
    return INDEX


def _before_the_rollback(now: datetime) -> Body:
    """Return a count of the release that was live 12 hours ago, and was built after the one that is live now."""
    key = UsageCounters(ROUTES).key(RequestFacts(route="/search", status=200), 0.001)
    live = {"service_version": "0.1.0", "data_version": BAD_RELEASE, "released": now.isoformat()}
    return usage_document(key, 1, {"minute": (now - timedelta(hours=12)).isoformat(), "worker": "worker-0", **live})


def _probe_of_an_older_version(now: datetime) -> Body:
    key = UsageCounters(["/readyz"]).key(RequestFacts(route="/readyz", status=200), 0.001)
    return usage_document(key, PROBES, {"minute": now.isoformat(), "worker": "worker-0"})


@pytest.fixture(scope="module")
def release_index(client: OpenSearch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A release of the small world with an additional vendor that sells nothing."""
    world = copy_world(tmp_path_factory.mktemp("content") / "world")
    with Path(world, "vendors.csv").open("a", encoding="utf-8") as vendors:
        vendors.write("new-vendor,New Vendor,Sells nothing yet.,https://fair.example.org/new-vendor,fair\n")
    yield publish(client, "akg-panels", world)
    client.indices.delete(index="akg-panels-*")


@pytest.fixture(scope="module")
def indices(usage_index: str, release_index: str) -> dict[str, str]:
    """An index with data for each index pattern."""
    return {"akg-usage": usage_index, "akg-entities": release_index}


@pytest.mark.parametrize(("pattern", "panel"), PANELS)
def test_a_panel_has_data(client: OpenSearch, indices: dict[str, str], pattern: str, panel: Body) -> None:
    response = client.search(index=indices[pattern], body=search_of(panel, PATTERNS[pattern].time_field))
    assert response["_shards"]["failed"] == 0
    assert response["hits"]["total"]["value"] > 0
    for values in leaves(response["aggregations"]):
        assert all(value > 0 for value in values)
    labels = {
        filter_["label"]
        for aggregation in aggregations_of(panel)
        for filter_ in aggregation["params"].get("filters", ())
    }
    assert labels_with_documents(response["aggregations"]) == labels


def test_the_live_release_is_the_one_that_was_counted_last(client: OpenSearch, usage_index: str) -> None:
    (panel,) = (item for item in FILES["release"] if item["id"] == "akg-release-live-release")
    found = client.search(index=usage_index, body=search_of(panel, "minute"))["aggregations"]
    version, released = (found[id_]["hits"]["hits"][0]["_source"] for id_ in ("1", "2"))
    assert version["data_version"] != BAD_RELEASE  # which has the newest build
    assert released["released"] < datetime.now(UTC).isoformat()
    (table,) = (item for item in FILES["release"] if item["id"] == "akg-release-versions")
    orders = [found["params"]["orderBy"] for found in aggregations_of(table) if found["type"] == "terms"]
    assert orders == ["3", "3"]  # by the last count, so the first row is live


@pytest.mark.parametrize(("pattern", "panel"), [param for param in PANELS if param.values[0] == "akg-usage"])
def test_probes_are_left_out(client: OpenSearch, usage_index: str, pattern: str, panel: Body) -> None:
    """Also those that older versions counted as requests."""
    search = {**search_of(panel, PATTERNS[pattern].time_field), "aggs": {"requests": {"sum": {"field": "count"}}}}
    found = client.search(index=usage_index, body=search)
    assert found["aggregations"]["requests"]["value"] < PROBES


def test_steps_of_the_duration_are_in_order() -> None:
    panels = [item for objects in FILES.values() for item in objects if item["type"] == "visualization"]
    aggregations = [aggregation["params"] for panel in panels for aggregation in aggregations_of(panel)]
    shown = [
        [filter_["label"] for filter_ in params["filters"]]
        for params in aggregations
        if any(filter_["input"]["query"].startswith("latency:") for filter_ in params.get("filters", ()))
    ]
    assert shown == [[*LATENCIES]] * 3
    assert "latency" not in {params.get("field") for params in aggregations}  # terms are in the order of their counts


def leaves(level: Body) -> list[list[float]]:
    """Return the numbers of every innermost bucket; each level must have buckets. Filters may match nothing."""
    level = next((value for value in level.values() if isinstance(value, dict) and "doc_count" in value), level)
    split = next((value["buckets"] for value in level.values() if isinstance(value, dict) and "buckets" in value), None)
    if split is None:
        return [[value["value"] for value in level.values() if isinstance(value, dict) and "value" in value]]
    assert split
    inner = [bucket for bucket in split.values() if bucket["doc_count"]] if isinstance(split, dict) else split
    return [values for bucket in inner for values in leaves(bucket)]


def labels_with_documents(level: object) -> set[str]:
    """Return the labels of filters that match documents somewhere below."""
    if isinstance(level, list):
        return {label for item in level for label in labels_with_documents(item)}
    if not isinstance(level, dict):
        return set()
    buckets = level.get("buckets")
    named = {label for label, bucket in buckets.items() if bucket["doc_count"]} if isinstance(buckets, dict) else set()
    return named | {label for value in level.values() for label in labels_with_documents(value)}


def rows_of(client: OpenSearch, index: str, panel: str) -> list[Body]:
    """Return the data of a panel of the graph: the buckets at the path that Vega reads, or those of the only terms."""
    shown = GRAPH_PANELS[f"akg-graph-{panel}"]
    found = client.search(index=index, body=search_of(shown, None))
    vega = vega_of(shown)
    for step in (vega["data"]["format"]["property"] if vega else "aggregations.2.buckets").split("."):
        found = found[step]
    return list(found)


def test_panels_count_each_edge_once(
    client: OpenSearch, release_index: str, graph: Graph, vocabulary: Vocabulary
) -> None:
    edges = [edge for by_name in graph.edges.values() for name in vocabulary.forward for edge in by_name.get(name, ())]
    by_basis = {
        (row["key"], basis["key"]): basis["doc_count"]
        for row in rows_of(client, release_index, "edges-by-name-and-basis")
        for basis in row["edges"]["bases"]["buckets"]
    }
    assert by_basis == Counter((edge.name, edge.basis) for edge in edges)
    by_source = {row["key"]: row["doc_count"] for row in rows_of(client, release_index, "edges-by-source")}
    assert by_source == Counter(source for edge in edges for source in edge.sources)


def test_entities_without_edges_have_no_edge_of_any_name(
    client: OpenSearch, release_index: str, vocabulary: Vocabulary
) -> None:
    panel = GRAPH_PANELS["akg-graph-entities-without-edges"]
    assert set(fields_of(panel)) == {"doc", "type", *vocabulary.edges}
    rows = rows_of(client, release_index, "entities-without-edges")
    assert [(row["key"], row["doc_count"]) for row in rows] == [("vendor", 1)]


def test_tables_count_conditions_and_products(client: OpenSearch, release_index: str, written: dict[str, Body]) -> None:
    for panel, type_, array in (
        ("limitations-by-number-of-conditions", "disability", "has_limitation"),
        ("products-by-solution", "product", "implements"),
    ):
        arrays = [body.get(array, ()) for body in written.values() if body["doc"] == "entity" and body["type"] == type_]
        rows = {row["key"]: row["doc_count"] for row in rows_of(client, release_index, panel)}
        assert rows == Counter(target for targets in arrays for target in targets)
