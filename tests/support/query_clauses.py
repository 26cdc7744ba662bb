"""Clauses of OpenSearch queries as literals, for tests that compare whole bodies."""

from schema.json_types import JsonObject

NARROWER: JsonObject = {"term": {"kind": "narrower"}}
CARD = {"_source": False, "stored_fields": "_none_", "docvalue_fields": ["card", "sources"]}
HIT = {"_source": False, "stored_fields": "_none_", "docvalue_fields": ["hit"]}


def term(field: str, value: str) -> JsonObject:
    return {"term": {field: value}}


def keys(*values: str) -> JsonObject:
    return {"terms": {"keys": list(values)}}


def boosted(boost: float, query: JsonObject) -> JsonObject:
    return {"constant_score": {"filter": query, "boost": boost}}
