"""The saved objects of `mappings/dashboards`: the index patterns, panels, and the searches that Dashboards makes."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.support.project import MAPPINGS

Body = dict[str, Any]


class Pattern(NamedTuple):
    """An index pattern, and the mapping of its indices."""

    title: str
    time_field: str | None
    properties: Body


def properties_of(mapping: str) -> Body:
    body: Body = json.loads((MAPPINGS / mapping).read_text("utf-8"))
    return dict(body["mappings"]["properties"])


METRICS = {"sum", "max", "cardinality", "top_hits"}
BUCKETS = {"terms", "date_histogram", "filters"}
PATTERNS = {
    "akg-usage": Pattern("akg-usage-*", "minute", properties_of("usage.json")),
    "akg-entities": Pattern("akg-entities-f5", None, properties_of("entities.json")),
}
FIELD_TYPES = {  # of Dashboards, by the type in the mapping
    **dict.fromkeys(("keyword", "text"), "string"),
    **dict.fromkeys(("long", "integer", "float", "double"), "number"),
    **{kind: kind for kind in ("date", "boolean")},
    **dict.fromkeys(("rank_feature", "binary"), "unknown"),  # not among its types
}
FILES: dict[str, list[Body]] = {
    path.stem: [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for path in sorted((MAPPINGS / "dashboards").glob("*.ndjson"))
}


def declared_fields(properties: Body, parent: str = "", nested: str = "") -> Iterator[tuple[str, str, Body | None]]:
    """Yield (name, type, sub-type) of each field of a mapping, as Dashboards lists fields."""
    for name, field in properties.items():
        path = f"{parent}{name}"
        kind = field.get("type", "object")
        if kind in ("object", "nested"):
            yield from declared_fields(field.get("properties", {}), f"{path}.", path if kind == "nested" else nested)
            continue
        yield path, kind, {"nested": {"path": nested}} if nested else None
        for subfield, variant in field.get("fields", {}).items():
            yield f"{path}.{subfield}", variant["type"], {"multi": {"parent": path}}


def index_pattern_of(name: str) -> tuple[str, Body, list[Body]]:
    """Return the id, attributes and fields of the index pattern of a file."""
    (found,) = (item for item in FILES[name] if item["type"] == "index-pattern")
    return found["id"], found["attributes"], json.loads(found["attributes"]["fields"])


def source_of(panel: Body) -> Body:
    found: Body = json.loads(panel["attributes"]["kibanaSavedObjectMeta"]["searchSourceJSON"])
    return found


def state_of(panel: Body) -> Body:
    found: Body = json.loads(panel["attributes"]["visState"])
    return found


def aggregations_of(panel: Body) -> list[Body]:
    found: list[Body] = state_of(panel)["aggs"]
    return found


def vega_of(panel: Body) -> Body | None:
    """Return the Vega-Lite specification of a panel; None if it is of another kind."""
    state = state_of(panel)
    found: Body | None = json.loads(state["params"]["spec"]) if state["type"] == "vega" else None
    return found


def fields_of(panel: Body) -> Iterator[str]:
    if vega := vega_of(panel):
        yield from fields_in(vega["data"]["url"]["body"])
    for aggregation in aggregations_of(panel):
        if "field" in aggregation["params"]:
            yield aggregation["params"]["field"]
        for filter_ in aggregation["params"].get("filters", ()):
            query = filter_["input"]["query"]
            if query != "*":
                yield query.partition(":")[0]
    source = source_of(panel)
    yield from re.findall(r"_exists_:(\w+)", source["query"]["query"])
    yield from re.findall(r"NOT (\w+):", source["query"]["query"])
    for filter_ in source["filter"]:
        yield filter_["meta"]["key"]


def fields_in(search: object) -> Iterator[str]:
    """Yield the fields of the aggregations and of the term clauses of a search."""
    if isinstance(search, list):
        for item in search:
            yield from fields_in(item)
    if isinstance(search, dict):
        for name, value in search.items():
            if name == "field":
                yield value
            elif name in ("term", "terms") and "field" not in value:
                yield from value
            else:
                yield from fields_in(value)


def search_of(panel: Body, time_field: str | None) -> Body:
    """Return the search of a panel as Dashboards builds it, over the last day if there is a time field."""
    if vega := vega_of(panel):
        return dict(vega["data"]["url"]["body"])
    aggregations = aggregations_of(panel)
    inner: Body = {
        aggregation["id"]: metric(aggregation) for aggregation in aggregations if aggregation["type"] in METRICS
    }
    for aggregation in reversed([aggregation for aggregation in aggregations if aggregation["type"] in BUCKETS]):
        inner = {aggregation["id"]: {**bucket(aggregation), "aggs": inner}}
    source = source_of(panel)
    filters = [filter_["query"] for filter_ in source["filter"]]
    if time_field:
        filters.append({"range": {time_field: {"gte": "now-24h", "lte": "now"}}})
    if query := source["query"]["query"]:
        filters.append({"query_string": {"query": query}})
    return {"size": 0, "query": {"bool": {"filter": filters}}, "aggs": inner}


def metric(aggregation: Body) -> Body:
    params = aggregation["params"]
    if aggregation["type"] == "top_hits":
        order = {params["sortField"]: {"order": params["sortOrder"]}}
        return {"top_hits": {"size": params["size"], "sort": [order], "_source": params["field"]}}
    return {aggregation["type"]: {"field": params["field"]}}


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
