"""Query clauses about entities: narrower conditions, general products and popularity. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schema import entity_kinds
from schema.document_ids import POPULARITY_BOOST, POPULARITY_PIVOT

if TYPE_CHECKING:
    from schema.json_types import JsonObject

NARROWER: JsonObject = {"term": {"kind": entity_kinds.NARROWER}}
GENERAL_PRODUCTS: JsonObject = {
    "terms": {"family": [name for name in entity_kinds.PRODUCT_FAMILIES if name != entity_kinds.ASSISTIVE]}
}
POPULARITY: JsonObject = {
    "rank_feature": {"field": "popularity", "boost": POPULARITY_BOOST, "saturation": {"pivot": POPULARITY_PIVOT}}
}


def narrower_only(query: JsonObject) -> JsonObject:
    """Match a query among narrower conditions."""
    return {"bool": {"filter": [query, NARROWER]}}


def exclude_narrower(query: JsonObject) -> JsonObject:
    """Match a query among everything but narrower conditions, with its score."""
    return {"bool": {"must": query, "must_not": NARROWER}}


def exclude_general_products(query: JsonObject) -> JsonObject:
    """Match among everything but general products, whose names are common words ("alarm clock")."""
    return {"bool": {"must": query, "must_not": GENERAL_PRODUCTS}}
