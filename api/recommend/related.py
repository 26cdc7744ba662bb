"""Reads the related conditions of a condition, or of the broader condition that it inherits from."""

from collections.abc import Mapping
from typing import Any

from api.engine.search_engine import SearchEngine
from api.errors import InternalError, NotFoundError
from api.graph.entities import CARD_AND_PARENTS, card_of, lookup_bodies, require_entity
from api.graph.query_bodies import full_id
from api.graph.resolve import EntityReference, resolve_id
from api.recommend.explanations import explain_related, related_warnings
from api.result import ServiceResult, single_page
from schema.document_ids import RELATED, part_id
from schema.json_types import JsonObject


def related_body(owner: str) -> JsonObject:
    """The related conditions of a condition by any form of its id, with those of the one that it inherits from."""
    either = [{"term": {"owner": owner}}, {"term": {"inheritor_keys": owner}}]
    exact = {"bool": {"should": either, "minimum_should_match": 1}}
    return {"size": 2, "query": {"bool": {"filter": [{"term": {"doc": RELATED}}, exact]}}}


async def get_related(engine: SearchEngine, reference: EntityReference, limit: int) -> ServiceResult:
    """Return conditions with similar limitations, most similar first.

    One request to OpenSearch by id or key; two by slug or code, or for a condition that inherits; four by name.
    """
    try:
        return await _related_by_id(engine, reference.query.raw, limit)
    except NotFoundError as unknown:
        card = await resolve_id(engine, reference, unknown)
    return await _related_by_id(engine, card["id"], limit)


async def _related_by_id(engine: SearchEngine, text: str, limit: int) -> ServiceResult:
    owner = full_id("disability", text)
    (document,), release = await engine.fetch([part_id(owner, RELATED)])
    if document is not None:
        related = document["related"]
        return ServiceResult(_page(related["entity"], related, limit), release, related.get("sources", ()))
    bodies = [related_body(owner), *lookup_bodies("disability", text, CARD_AND_PARENTS)]
    response, *lookups = await engine.search_all(bodies)
    document = require_entity("disability", text, lookups, "/related_conditions/{key}")
    record = document["record"]
    card = card_of(record)
    list_owner = next((parent["id"] for parent in record["inherits"] if parent.get("totals")), card["id"])
    candidates = [hit.document["related"] for hit in response.hits]
    related = next((related for related in candidates if related["entity"]["id"] == list_owner), None)
    if related is None:
        if text == card["id"]:
            raise InternalError  # every condition has a list or a parent with one
        return await _related_by_id(engine, card["id"], limit)  # lists are not indexed by this form of the id
    sources = [*document.get("sources", ()), *related.get("sources", ())]
    return ServiceResult(_page(card, related, limit), response.release, sources)


def _page(card: Mapping[str, Any], related: Mapping[str, Any], limit: int) -> JsonObject:
    owner = related["entity"]
    body = {
        "entity": card,
        "inherited_from": owner if owner["id"] != card["id"] else None,
        "results": [{**item, "why": explain_related(owner, item)} for item in related["items"][:limit]],
        **single_page(len(related["items"]), limit),
    }
    warnings = related_warnings(related)
    return body | ({"warnings": warnings} if warnings else {})
