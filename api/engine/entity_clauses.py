"""Query clauses about entities: their kind, family, popularity, prior and the beginnings of their names."""

from schema import entity_kinds
from schema.document_ids import MAX_PREFIX_LENGTH, POPULARITY_BOOST, POPULARITY_PIVOT, PREFIX_SUBFIELD
from schema.json_types import JsonObject

NARROWER: JsonObject = {"term": {"kind": entity_kinds.NARROWER}}
GENERAL_PRODUCTS: JsonObject = {
    "terms": {"family": [name for name in entity_kinds.PRODUCT_FAMILIES if name != entity_kinds.ASSISTIVE]}
}
POPULARITY: JsonObject = {
    "rank_feature": {"field": "popularity", "boost": POPULARITY_BOOST, "saturation": {"pivot": POPULARITY_PIVOT}}
}
PRIOR: JsonObject = {"field_value_factor": {"field": "prior", "missing": 0}}  # from kind, family and popularity


def narrower_only(query: JsonObject) -> JsonObject:
    """Match a query among narrower conditions."""
    return {"bool": {"filter": [query, NARROWER]}}


def exclude_narrower(query: JsonObject) -> JsonObject:
    """Match a query among everything but narrower conditions, with its score."""
    return {"bool": {"must": query, "must_not": NARROWER}}


def exclude_general_products(query: JsonObject) -> JsonObject:
    """Match among everything but general products, whose names are common words ("alarm clock")."""
    return {"bool": {"must": query, "must_not": GENERAL_PRODUCTS}}


def with_document_prior(query: JsonObject) -> JsonObject:
    """Add each entity's document prior to the score of a query."""
    return {"function_score": {"query": {"bool": query}, "functions": [PRIOR], "boost_mode": "sum"}}


def name_prefix_clause(field: str, key: str) -> JsonObject:
    """Match names that begin with a key: letters and digits only, folded."""
    if key.isascii() and 0 < len(key) <= MAX_PREFIX_LENGTH:
        return {"term": {f"{field}.{PREFIX_SUBFIELD}": key}}
    return {"prefix": {f"{field}.key": key}}
