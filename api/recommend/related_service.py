"""Answers which conditions are related to one: two requests to OpenSearch by id or slug, three by code or name."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from api.engine.release import Hit, Release
from api.engine.search_engine import SearchEngine
from api.graph.catalogue import Catalogue
from api.graph.entities import lookup_bodies, require_entity
from api.graph.guidance import opposite_labels
from api.graph.products import SourcedCard
from api.graph.query_bodies import full_id, moved_body
from api.graph.resolve import EntityReference, require_unique
from api.recommend.explanations import explain_related, related_warnings
from api.recommend.related import (
    SCORE_DIGITS,
    ConditionLimitations,
    Needs,
    RelatedFacts,
    SimilarCondition,
    candidates_body,
    limitations_of,
    related_conditions,
)
from api.result import ServiceResult, ambiguity_warnings, single_page
from schema.document_ids import ENTITY
from schema.json_types import JsonObject

MAX_RELATED = 50  # the largest `limit`
NAMED_RELATIONS = ("co_occurring", "sibling")  # of the condition itself, not of the one that it inherits from
ENTITY_FIELDS = (
    *("card", "sources", "inherits", "inherits_from", "has_limitation", "main_needs", "ancestors"),
    *("co_occurring", "siblings", "sibling_sources", "only_sides"),
)


# A document, and warnings of what else has the name.
FoundCondition = tuple[Mapping[str, Any], Release, Sequence[JsonObject]]


async def get_related(
    engine: SearchEngine, catalogue: Catalogue, reference: EntityReference, limit: int
) -> ServiceResult:
    """Return conditions that often occur with one, its siblings, and those with similar limitations, in this order."""
    read = _condition_by_id if ":" in reference.query.raw else _condition_by_name
    return await _related(engine, catalogue, await read(engine, reference), limit)


async def _condition_by_id(engine: SearchEngine, reference: EntityReference) -> FoundCondition:
    text = reference.query.raw
    ids = dict.fromkeys(full_id("disability", form) for form in (text, text.lower()))
    documents, release = await engine.fetch(list(ids))
    document = next((found for found in documents if found and found["doc"] == ENTITY), None)
    return (document, release, ()) if document else await _search_condition(engine, reference)


async def _condition_by_name(engine: SearchEngine, reference: EntityReference) -> FoundCondition:
    """Return a condition by its slug, code, name or alias, else by another form of its id."""
    reference = reference.with_release(await engine.known_release())
    bodies = [
        {**reference.named_body(), "_source": list(ENTITY_FIELDS)},
        moved_body(full_id("disability", reference.query.raw)),
    ]
    response, moved = await engine.search_all(bodies)
    entity = require_unique(reference, response)
    if entity is None or moved.hits:
        return await _search_condition(engine, reference)
    document = {**entity.document, "card": orjson.dumps(entity.card), "sources": entity.sources}
    warnings = ambiguity_warnings("id", entity.text, entity.card, entity.alternatives)
    return document, response.release, warnings


async def _search_condition(engine: SearchEngine, reference: EntityReference) -> FoundCondition:
    """Return the document of a condition by another form of its id; raise MovedError or NotFoundError."""
    text = reference.query.raw
    lookups = await engine.search_all(lookup_bodies("disability", text, ENTITY_FIELDS))
    return require_entity("disability", text, lookups, "/related_conditions/{key}"), lookups[0].release, ()


async def _related(engine: SearchEngine, catalogue: Catalogue, found: FoundCondition, limit: int) -> ServiceResult:
    document, release, ambiguities = found
    card = orjson.loads(document["card"])
    owner, owner_card, sources = await _list_owner(catalogue, document, card, release)
    facts = RelatedFacts.parse(card["id"], document)
    needs = await catalogue.needs(owner.limitations, release)
    needs |= await catalogue.needs((pair.id for need in needs.values() for pair in need.similar), release)
    items, others = [], list[ConditionLimitations]()
    opposites: Mapping[str, tuple[str, str]] = {}
    if owner.limitations or facts.named:
        response = await engine.search(candidates_body(owner, needs, facts), of=release)
        others = list(map(limitations_of, response.hits))
        opposites = _opposites(document.get("only_sides", ()), response.hits, release)
        needs |= await catalogue.needs((key for other in others for key in other.limitations), release)
        items = related_conditions(owner, others, needs, facts)[:MAX_RELATED]
        ancestors = {key for item in items for key, _ in item.shared if key not in needs}
        needs |= await catalogue.needs(ancestors, release)
    shown = items[:limit]
    broader = [item.broader for item in shown if item.broader]
    cards = await catalogue.cards((*(item.id for item in shown), *broader), release)
    sources += [source for id_ in (*(item.id for item in shown), *broader) for source in cards[id_].sources]
    sources += document.get("sibling_sources", ()) if broader else ()
    sources += [source for item in shown for key, _ in item.shared for source in needs[key].sources]
    kinds = _kinds(document) if owner_card is card else []
    body: JsonObject = {
        "entity": card,
        "inherited_from": None if owner_card is card else owner_card,
        "results": [
            _with_opposites(_result(card, owner_card, item, cards, needs), card, opposites.get(item.id))
            for item in shown
        ],
        **single_page(len(items), limit),
    }
    empty = related_warnings(owner_card, kinds, is_any_similar=bool(others)) if not items else []
    if warnings := [*ambiguities, *empty]:
        body["warnings"] = warnings
    return ServiceResult(body, release, [*document["sources"], *sources])


def _kinds(document: Mapping[str, Any]) -> list[str]:
    """Return the names of the conditions that a condition covers."""
    return [kind["name"] for kind in document.get("inherits", ()) if kind["relation"] == "narrower"]


def _opposites(sides: Sequence[str], hits: Iterable[Hit], release: Release) -> dict[str, tuple[str, str]]:
    """Return the labels of opposite troubles of a condition with these sides and of each that has one, by id."""
    found = ((hit.fields["entity"][0], hit.fields.get("only_sides", ())) for hit in hits)
    return {id_: labels for id_, others in found if (labels := opposite_labels(sides, others, release.sides))}


def _with_opposites(result: JsonObject, condition: JsonObject, labels: tuple[str, str] | None) -> JsonObject:
    """Return a related condition whose reason says that what troubles people with it is the opposite."""
    if labels is None:
        return result
    own, other = labels
    note = f"What troubles people differs: {own} with {condition['name']}, {other} with {result['name']}."
    return {**result, "why": f"{result['why']} {note}"}


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


def _result(
    card: JsonObject, owner: JsonObject, item: SimilarCondition, cards: Mapping[str, SourcedCard], needs: Needs
) -> JsonObject:
    """Return a related condition. Only the limitations of its list owner make it similar to others."""
    result: JsonObject = {
        **cards[item.id].card,
        "score": round(item.score, SCORE_DIGITS),
        "shared": [needs[key].card | {"weight": round(part, SCORE_DIGITS)} for key, part in item.shared],
        "shared_total": len(item.shared),
        "relation": item.relation,
        "publication": item.publication,
    }
    if item.relation in NAMED_RELATIONS:
        owner = card
    broader = cards[item.broader].card["name"] if item.broader else ""
    return {**result, "why": explain_related(owner, result, broader)}
