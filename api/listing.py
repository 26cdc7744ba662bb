"""Lists of a type → OpenSearch body: all its entities, or those that some filter leaves. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.queries import SHOWN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Body = dict[str, Any]
WINDOW = 100_000  # the engine's result window; no type has as many
MOST_VALUES = 200  # of a field that lists are filtered by
# Which lists can be narrowed by which parameter, and the field that it asks.
FILTERS = {
    "solution": {"setting": "settings"},
    "disability": {"grouping": "groupings", "kind": "kind"},
    "limitation": {"grouping": "groupings"},
}


def narrowed(type_name: str, given: Mapping[str, str | None]) -> tuple[Sequence[str], dict[str, str]]:
    """The parameters that narrow the list of a type, and the values of those fields that were asked for."""
    own = FILTERS.get(type_name, {})
    return tuple(own), {field: value for name, field in own.items() if (value := given[name])}


def list_body(type_name: str, limit: int, offset: int) -> Body:
    """One page of all entities of a type, by name. A range over positions costs the same at any depth."""
    page = {"range": {"position": {"gte": offset, "lt": offset + limit}}}
    return {
        "size": limit,
        **SHOWN,
        "query": {"bool": {"filter": [{"term": {"doc": "entity"}}, {"term": {"type": type_name}}, page]}},
        "sort": [{"position": "asc"}],
    }


def filtered_list_body(type_name: str, limit: int, offset: int, filters: Mapping[str, str]) -> Body:
    """One page of those entities of a type that have these values, by name; counts every value of each field as well.

    The filters stand after the counts, so that an answer without entities still knows the valid values.
    """
    every = {"size": MOST_VALUES, "order": {"_key": "asc"}}
    return {
        "from": min(offset, WINDOW - limit),
        "size": limit,
        **SHOWN,
        "track_total_hits": True,
        "query": {"bool": {"filter": [{"term": {"doc": "entity"}}, {"term": {"type": type_name}}]}},
        "post_filter": {"bool": {"filter": [{"term": {field: value}} for field, value in filters.items()]}},
        "aggs": {field: {"terms": {"field": field, **every}} for field in filters},
        "sort": [{"position": "asc"}],
    }
