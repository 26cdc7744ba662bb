"""Clauses of OpenSearch queries as literals, for tests that compare whole bodies."""

from schema.json_types import JsonObject

NARROWER: JsonObject = {"term": {"kind": "narrower"}}
MAINSTREAM: JsonObject = {"terms": {"family": ["mainstream"]}}
GENERAL_PRODUCTS: JsonObject = {"terms": {"family": ["mainstream", "protective", "ergonomic"]}}
SHOWN = {"_source": False, "stored_fields": "_none_", "docvalue_fields": ["card", "alias_list", "sources"]}


def term(field: str, value: str) -> JsonObject:
    return {"term": {field: value}}


def phrase(field: str, value: object) -> JsonObject:
    return {"match_phrase": {field: value}}


def boosted(boost: float, query: JsonObject) -> JsonObject:
    return {"constant_score": {"filter": query, "boost": boost}}
