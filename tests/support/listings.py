"""Conditions, needs, solutions and their edges, of a few named entities or of all documents of a graph."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import orjson

from api.engine.release import EngineResponse, Hit
from api.graph.edges import edges_by_entity
from api.graph.listings import Condition, Edges, Listings, Need, Solution
from schema.document_ids import EDGES, ENTITY
from schema.edge_documents import NestedEdge
from schema.entity_kinds import NEED_TYPES
from schema.json_types import JsonObject
from tests.support import search_responses
from tests.support.search_responses import RELEASE

Documents = Iterable[Mapping[str, Any]]  # as a build writes them


def card(node: str) -> JsonObject:
    """Return the card of an entity that is named after its key."""
    type_name, _, key = node.partition(":")
    return search_responses.card(type_name, key.replace("-", " ").title())


def edge_to(node: str, weight: float = 1.0, **members: object) -> NestedEdge:
    """Return an edge to an entity that is named after its key."""
    target = {f"target_{name}": value for name, value in card(node).items() if name not in ("id", "url")}
    stated = {"target_sources": (), "target_total": 1, "order": 0, "basis": "source", "sources": ()}
    return cast("NestedEdge", {"target": node, **target, **stated, "weight": weight, **members})


def entity_hit(node: str, sources: Sequence[str] = (), **document: object) -> Hit:
    """Return the hit of an entity that is named after its key, with these members of its document."""
    return Hit(fields={"card": [orjson.dumps(card(node)).decode()], "sources": sources}, document=document)


def condition(node: str, sources: Sequence[str] = (), edges: Edges | None = None, **document: object) -> Condition:
    return Condition.parse(entity_hit(node, sources, **document), edges or {})


def need(node: str, sources: Sequence[str] = (), edges: Edges | None = None, **document: object) -> Need:
    """Return a need; without members, no source lists anything under it."""
    unlisted = {"specificity": 1.0, "listing_conditions": 0}
    return Need.parse(entity_hit(node, sources, **{**unlisted, **document}), edges or {})


def solution(node: str, sources: Sequence[str] = (), **document: object) -> Solution:
    """Return a solution; without members, a usual one for work and for everybody."""
    usual = {"rarity": 0.0, "school_rarity": 0.5, "settings": ["work"], "made_for": [], "is_modification": False}
    return Solution.parse(entity_hit(node, sources, **{**usual, **document}))


def listings(*entities: Condition | Need | Solution) -> Listings:
    """Return listings of these entities."""
    conditions = {item.card["id"]: item for item in entities if isinstance(item, Condition)}
    needs = {item.card["id"]: item for item in entities if isinstance(item, Need)}
    return Listings(conditions, needs, {item.card["id"]: item for item in entities if isinstance(item, Solution)})


def listings_of(documents: Documents) -> Listings:
    """Return all conditions, needs and solutions of a graph."""
    stored = [*map(as_read, documents)]
    edges = all_edges(stored)
    hits: dict[str, dict[str, Hit]] = {}
    for document in stored:
        if document["doc"] == ENTITY:
            fields = {"card": [document["card"]], "sources": document["sources"]}
            hit = Hit(fields=fields, document=document)
            hits.setdefault(document["type"], {})[hit.card["id"]] = hit
    needs = {node: hit for type_name in NEED_TYPES for node, hit in hits.get(type_name, {}).items()}
    return Listings(
        {node: Condition.parse(hit, edges.get(node, {})) for node, hit in hits.get("disability", {}).items()},
        {node: Need.parse(hit, edges.get(node, {})) for node, hit in needs.items()},
        {node: Solution.parse(hit) for node, hit in hits.get("solution", {}).items()},
    )


def all_edges(documents: Documents) -> dict[str, dict[str, list[NestedEdge]]]:
    """Return the edges of a graph by entity and name."""
    pages = [Hit(document=as_read(document)) for document in documents if document["doc"] == EDGES]
    return edges_by_entity(EngineResponse(RELEASE, pages))


def as_read(document: object) -> Any:  # noqa: ANN401 - any JSON value
    """Return a document as OpenSearch returns it."""
    return orjson.loads(orjson.dumps(document))
