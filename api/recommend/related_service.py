"""Answers which conditions are related to one: two requests to OpenSearch by id or slug, three by code or name."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.errors import NotFoundError
from api.graph.catalogue import Catalogue
from api.graph.entities import lookup_bodies, require_entity
from api.graph.query_bodies import full_id
from api.graph.resolve import EntityReference, require_unique
from api.recommend.explanations import explain_related, related_warnings
from api.recommend.related import (
    SCORE_DIGITS,
    ConditionLimitations,
    Needs,
    SimilarCondition,
    candidates_body,
    limitations_of,
    related_conditions,
)
from api.result import ServiceResult, single_page
from schema.document_ids import ENTITY
from schema.json_types import JsonObject

MAX_RELATED = 50  # the largest `limit`
ENTITY_FIELDS = ("card", "sources", "inherits", "inherits_from", "has_limitation", "main_needs", "ancestors")


async def get_related(
    engine: SearchEngine, catalogue: Catalogue, reference: EntityReference, limit: int
) -> ServiceResult:
    """Return conditions with similar limitations, most similar first."""
    text = reference.query.raw
    ids = dict.fromkeys(full_id("disability", form) for form in (text, text.lower()))
    documents, release = await engine.fetch(list(ids))
    document = next((found for found in documents if found and found["doc"] == ENTITY), None)
    if document is None:
        document, release = await _search_condition(engine, reference)
    return await _related(engine, catalogue, document, limit, release)


async def _search_condition(engine: SearchEngine, reference: EntityReference) -> tuple[Mapping[str, Any], Release]:
    """Return the document of a condition by its slug, code, name or alias."""
    text = reference.query.raw
    named_body = {**reference.named_body(), "_source": list(ENTITY_FIELDS)}
    *lookups, named = await engine.search_all([*lookup_bodies("disability", text, ENTITY_FIELDS), named_body])
    try:
        return require_entity("disability", text, lookups, "/related_conditions/{key}"), named.release
    except NotFoundError:
        entity = require_unique(reference, named)
        if entity is None:
            raise
        return {**entity.document, "card": orjson.dumps(entity.card), "sources": entity.sources}, named.release


async def _related(
    engine: SearchEngine, catalogue: Catalogue, document: Mapping[str, Any], limit: int, release: Release
) -> ServiceResult:
    card = orjson.loads(document["card"])
    owner, owner_card, sources = await _list_owner(catalogue, document, card, release)
    needs = await catalogue.needs(owner.limitations, release)
    needs |= await catalogue.needs((pair.id for need in needs.values() for pair in need.similar), release)
    items = []
    if owner.limitations:
        response = await engine.search(candidates_body(owner, needs), of=release)
        others = list(map(limitations_of, response.hits))
        needs |= await catalogue.needs((key for other in others for key in other.limitations), release)
        items = related_conditions(owner, others, needs)[:MAX_RELATED]
        ancestors = {key for item in items for key, _ in item.shared if key not in needs}
        needs |= await catalogue.needs(ancestors, release)
    shown = items[:limit]
    cards = await catalogue.cards((item.id for item in shown), release)
    sources += [source for item in shown for source in cards[item.id].sources]
    sources += [source for item in shown for key, _ in item.shared for source in needs[key].sources]
    kinds = (
        []
        if owner_card is not card
        else [kind["name"] for kind in document.get("inherits", ()) if kind["relation"] == "narrower"]
    )
    body: JsonObject = {
        "entity": card,
        "inherited_from": None if owner_card is card else owner_card,
        "results": [_result(owner_card, cards[item.id].card, item, needs) for item in shown],
        **single_page(len(items), limit),
    }
    if warnings := related_warnings(owner_card, kinds) if not items else []:
        body["warnings"] = warnings
    return ServiceResult(body, release, [*document["sources"], *sources])


async def _list_owner(
    catalogue: Catalogue, document: Mapping[str, Any], card: JsonObject, release: Release
) -> tuple[ConditionLimitations, JsonObject, list[str]]:
    """Return the condition whose limitations count, its card and its sources: the first one that this inherits from."""
    parents: Sequence[str] = document.get("inherits_from", ())
    if not parents:
        fields = (document.get(name, ()) for name in ("has_limitation", "main_needs", "ancestors"))
        return ConditionLimitations(card["id"], *fields), card, []
    parent = (await catalogue.conditions(parents[:1], release))[parents[0]]
    limitations = ConditionLimitations(parents[0], parent.limitations, parent.main_needs, parent.ancestors)
    return limitations, parent.card, list(parent.sources)


def _result(owner: JsonObject, card: JsonObject, item: SimilarCondition, needs: Needs) -> JsonObject:
    result: JsonObject = {
        **card,
        "score": round(item.score, SCORE_DIGITS),
        "shared": [needs[key].card | {"weight": round(part, SCORE_DIGITS)} for key, part in item.shared],
        "shared_total": len(item.shared),
        "relation": item.relation,
    }
    return {**result, "why": explain_related(owner, result)}
