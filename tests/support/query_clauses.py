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
    """Return a clause that scores each match with the boost; keys have no other score."""
    if "terms" in query:
        return {"terms": {**query["terms"], "boost": boost}}
    return {"constant_score": {"filter": query, "boost": boost}}


def constant(clause: JsonObject) -> tuple[float, JsonObject] | None:
    """Return the boost and the query of such a clause; None for another."""
    if "terms" in clause and "boost" in clause["terms"]:
        members = dict(clause["terms"])
        return members.pop("boost"), {"terms": members}
    if part := clause.get("constant_score"):
        return part["boost"], part["filter"]
    return None
