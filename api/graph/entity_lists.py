"""OpenSearch bodies of lists: all entities of a type, or those that match filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.search.query_builder import SHOWN
from schema.document_ids import ENTITY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schema.json_types import JsonObject

MAX_RESULT_WINDOW = 100_000  # of OpenSearch; no type has as many entities
MAX_FILTER_VALUES = 200  # distinct values of a filter field
# The filter parameters of each type, and the field that each matches.
FILTERS = {
    "solution": {"setting": "settings"},
    "disability": {"grouping": "groupings", "kind": "kind"},
    "limitation": {"grouping": "groupings"},
}


def list_filters(type_name: str, values: Mapping[str, str | None]) -> tuple[Sequence[str], dict[str, str]]:
    """Return the filter parameters of a type, and the requested values by field."""
    fields = FILTERS.get(type_name, {})
    return tuple(fields), {field: value for name, field in fields.items() if (value := values[name])}


def list_body(type_name: str, limit: int, offset: int) -> JsonObject:
    """One page of all entities of a type, by name. A range over positions costs the same at any depth."""
    page = {"range": {"position": {"gte": offset, "lt": offset + limit}}}
    return {
        "size": limit,
        **SHOWN,
        "query": {"bool": {"filter": [{"term": {"doc": ENTITY}}, {"term": {"type": type_name}}, page]}},
        "sort": [{"position": "asc"}],
    }


def filtered_list_body(type_name: str, limit: int, offset: int, filters: Mapping[str, str]) -> JsonObject:
    """One page of the entities that have these values, by name, with the count of every value of each field.

    The filters apply after the aggregations, so that an empty page still lists the valid values.
    """
    buckets = {"size": MAX_FILTER_VALUES, "order": {"_key": "asc"}}
    return {
        "from": min(offset, MAX_RESULT_WINDOW - limit),
        "size": limit,
        **SHOWN,
        "track_total_hits": True,
        "query": {"bool": {"filter": [{"term": {"doc": ENTITY}}, {"term": {"type": type_name}}]}},
        "post_filter": {"bool": {"filter": [{"term": {field: value}} for field, value in filters.items()]}},
        "aggs": {field: {"terms": {"field": field, **buckets}} for field in filters},
        "sort": [{"position": "asc"}],
    }
