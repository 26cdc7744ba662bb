"""Request → OpenSearch body where nothing is ranked: documents by what they are called. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api import queries
from api.queries import SHOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

Body = dict[str, Any]
AROUND = {**SHOWN, "docvalue_fields": ["card", "reach"]}  # what an entity is, and what is around it
NAMESAKES = 5  # entities that one text may name
PIVOT = 40  # the score is half of the most at 40 edges: between a usual product (2) and a usual solution (60)
POPULARITY = {"field": "popularity", "saturation": {"pivot": PIVOT}}  # the score is nothing else


def moved_body(*retired: str) -> Body:
    """Where retired ids went."""
    wanted = [{"term": {"doc": "moved"}}, {"ids": {"values": list(retired)}}]
    return {"size": len(retired), "query": {"bool": {"filter": wanted}}}


def batch_body(type_name: str, given: Sequence[str]) -> Body:
    """The cards of all entities of a type that are called so by id, key or slug."""
    wanted = [{"term": {"doc": "entity"}}, {"term": {"type": type_name}}, {"terms": {"ids": list(given)}}]
    return {"size": len(given), **SHOWN, "query": {"bool": {"filter": wanted}}}


def cards_body(*ids: str) -> Body:
    """The cards of entities by their full ids."""
    return {**_of_ids(ids), **SHOWN}


def named_body(text: str, *types: str) -> Body:
    """What search finds for a name, with what is around each hit; of these types, if any are given."""
    body = queries.search_body(queries.Search(text, types, NAMESAKES, facets=False))
    return {**body, "docvalue_fields": [*SHOWN["docvalue_fields"], "reach"], "track_total_hits": False}


def nearest_named_body(text: str, type_name: str = "") -> Body:
    """The entities, of one type or of any, whose names are nearest to a text that is no name."""
    body = queries.nearest_body(type_name, text)
    if not type_name:
        body["query"]["bool"]["filter"] = [{"term": {"doc": "entity"}}]
    return body


def reaches_body(*ids: str) -> Body:
    """What is around entities, by their full ids."""
    return {**_of_ids(ids), **AROUND}


def _of_ids(ids: Sequence[str]) -> Body:
    wanted = [{"term": {"doc": "entity"}}, {"ids": {"values": list(ids)}}]
    return {"size": len(ids), "query": {"bool": {"filter": wanted}}}


def beside_body(near: Sequence[str], far: Sequence[str], ends: Sequence[str], size: int) -> Body:
    """Those of `near` that are joined to any of `far`, with what is around them."""
    return _around([{"ids": {"values": list(near)}}, {"terms": {"linked": list(far)}}], ends, size)


def between_body(near: Sequence[str], far: Sequence[str], ends: Sequence[str], size: int) -> Body:
    """What is joined to any of `near` and to any of `far`, with what is around it."""
    return _around([{"terms": {"linked": list(near)}}, {"terms": {"linked": list(far)}}], ends, size)


def _around(joined: Sequence[Body], ends: Sequence[str], size: int) -> Body:
    """Entities but for the two ends. The least connected come first: where there are too many, hubs are left out."""
    query: Body = {
        "filter": [{"term": {"doc": "entity"}}, *joined],
        "must_not": [{"ids": {"values": list(ends)}}],
        "should": [{"rank_feature": POPULARITY}],
    }
    return {
        "size": size,
        **AROUND,
        "track_total_hits": False,
        "query": {"bool": query},
        "sort": [{"_score": "asc"}, {"type": "asc"}, {"position": "asc"}],
    }
