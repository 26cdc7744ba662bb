"""The shipped dashboards as objects, and each panel as the search that it sends. Pure but for reading the files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support.project import MAPPINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

Body = dict[str, Any]

METRICS = {"sum", "max", "cardinality"}
BUCKETS = {"terms", "date_histogram", "filters"}


def files() -> dict[str, list[Body]]:
    """The objects of each file by its name."""
    paths = sorted((MAPPINGS / "dashboards").glob("*.ndjson"))
    return {path.stem: [json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in paths}


def source_of(one: Body) -> Body:
    """What a panel searches in: its query, its filters, and names of references."""
    found: Body = json.loads(one["attributes"]["kibanaSavedObjectMeta"]["searchSourceJSON"])
    return found


def aggregations_of(one: Body) -> list[Body]:
    """What a panel asks for, outermost first."""
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
        inner = {each["id"]: {**_bucket(each), "aggs": inner}}
    filters = [each["query"] for each in source_of(one)["filter"]]
    recent = {"range": {"minute": {"gte": "now-24h", "lte": "now"}}}
    return {"size": 0, "query": {"bool": {"filter": [recent, *filters]}}, "aggs": inner}


def _bucket(each: Body) -> Body:
    params = each["params"]
    if each["type"] == "filters":
        named = {one["label"]: {"query_string": {"query": one["input"]["query"]}} for one in params["filters"]}
        return {"filters": {"filters": named}}
    if each["type"] == "date_histogram":
        return {"date_histogram": {"field": params["field"], "fixed_interval": "30m", "min_doc_count": 1}}
    return {"terms": {"field": params["field"], "size": params["size"]}}
