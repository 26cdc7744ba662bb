"""Composes the record of one entity from its document, the first pages of its edges, and what it inherits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.graph.catalogue import Catalogue
from api.graph.edges import edge_item, edge_sources
from api.graph.entities import lookup_bodies, require_entity
from api.graph.guidance import (
    GUIDANCE_NOTE,
    MUST,
    Subject,
    acute_caution,
    caution,
    entity_ids,
    is_acute,
    left_out,
    reasons_for,
)
from api.graph.ideas import heading_sources, ideas_of_condition, ideas_of_need, merge_ideas, without_solutions
from api.graph.inheritance import merge_edges
from api.graph.listings import first_choices
from api.graph.query_bodies import first_pages_body, full_id
from api.result import ServiceResult
from schema.document_ids import ENTITY
from schema.edge_documents import count_edge_pages, edge_page_id
from schema.entity_kinds import INHERITED_EDGES, NEED_TYPES
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary

MAX_RECORD_EDGES = 10  # of each name; the neighbors route has all


@dataclass(slots=True)
class RecordParts:
    """The parts of a record. `totals` and the first `edges` are by name; the rest is as responses send it."""

    document: Mapping[str, Any]
    totals: dict[str, int]
    edges: dict[str, Sequence[Mapping[str, Any]]]
    inherits: Sequence[JsonObject] = ()
    ideas: Sequence[JsonObject] = ()
    left_out: Sequence[JsonObject] = ()
    cautions: Sequence[JsonObject] = ()
    sources: list[str] = field(default_factory=list)  # beside those of the entity and its edges

    @staticmethod
    def parse(document: Mapping[str, Any], pages: Iterable[Mapping[str, Any] | None]) -> "RecordParts":
        """Read the document of an entity and the first pages of its edges."""
        found = [page for page in pages if page]
        return RecordParts(
            document,
            totals={page["edge"]: page["total"] for page in found},
            edges={page["edge"]: page["edges"] for page in found},
            inherits=_shown_owners(document),
        )


async def get_entity(
    engine: SearchEngine, catalogue: Catalogue, vocabulary: Vocabulary, type_name: str, text: str
) -> ServiceResult:
    """Return the record of one entity, with what it inherits.

    One request to OpenSearch by id or key, two by slug or code; more while what it shares with other records is not
    cached.
    """
    id_ = full_id(type_name, text)
    names = [edge.name for edge in vocabulary.edges_from(type_name)]
    (document, *pages), release = await engine.fetch([id_, *(edge_page_id(id_, name, 0) for name in names)])
    if document is None or document["doc"] != ENTITY:
        *lookups, first_pages = await engine.search_all([*lookup_bodies(type_name, text), first_pages_body(id_)])
        document, release = require_entity(type_name, text, lookups), first_pages.release
        pages = [hit.document for hit in first_pages.hits]
    parts = RecordParts.parse(document, pages)
    if document.get("inherits_from"):
        await _add_inherited(catalogue, parts, release)
    elif type_name == "disability":
        id_ = orjson.loads(document["card"])["id"]
        listings = await catalogue.listings([id_], (), release, with_solutions=False)
        parts.ideas = ideas_of_condition(id_, listings)
        parts.sources += edge_sources(listings.conditions[id_].edges.get("recommends", ()))
        parts.sources += heading_sources(parts.ideas, listings)
    elif type_name in NEED_TYPES:
        await _add_ideas_of_need(engine, parts, release)
    await _add_guidance(catalogue, parts, release)
    record = build_record(vocabulary, release, parts)
    return ServiceResult(record, release, [source["id"] for source in record["sources"]])


async def _add_guidance(catalogue: Catalogue, parts: RecordParts, release: Release) -> None:
    """Take ideas that are wrong for the entity out, and add its cautions."""
    card = orjson.loads(parts.document["card"])
    ids = dict.fromkeys(solution["id"] for idea in parts.ideas for solution in idea["solutions"])
    solutions = await catalogue.solutions(ids, release) if ids else {}
    reasons = reasons_for(Subject.parse(card, parts.document), solutions, release.sides)
    if reasons:
        parts.ideas = [shown for idea in parts.ideas if (shown := without_solutions(idea, reasons))["solutions"]]
        parts.left_out = left_out(solutions, reasons)
    exclusions = ({**row, "text": row["reason"], "severity": MUST} for row in parts.document.get("not_for", ()))
    rows = [*exclusions, *parts.document.get("cautions", ())]
    cards = await catalogue.cards(entity_ids(rows), release) if rows else {}
    parts.sources += [source for one in cards.values() for source in one.sources]
    parts.sources += [source for id_ in reasons for source in solutions[id_].sources]
    about = {id_: one.card for id_, one in cards.items()}
    first = [acute_caution(card)] if is_acute(parts.document) else []
    parts.cautions = [*first, *(caution(row, about) for row in rows)]


async def _add_inherited(catalogue: Catalogue, parts: RecordParts, release: Release) -> None:
    document = parts.document
    parents = document["inherits_from"]
    listings = await catalogue.listings(parents, (), release, with_solutions=False)
    conditions = [listings.conditions[parent] for parent in parents]
    own_choices = first_choices(document)
    for name in INHERITED_EDGES:
        merged = merge_edges(name, conditions, own_choices if name == "recommends" else {})
        if merged:
            parts.edges[name], parts.totals[name] = merged, len(merged)
        parts.sources += edge_sources(merged)
    parts.inherits = [
        {
            **owner,
            "totals": {name: len(condition.edges.get(name, ())) for name in INHERITED_EDGES},
        }
        for owner, condition in zip(document["inherits"], conditions, strict=True)
    ]
    parts.ideas = merge_ideas({parent: ideas_of_condition(parent, listings) for parent in parents})
    parts.sources += [source for condition in conditions for source in condition.sources]
    parts.sources += heading_sources(parts.ideas, listings)


async def _add_ideas_of_need(engine: SearchEngine, parts: RecordParts, release: Release) -> None:
    """Add the one idea of a limitation or function; a second request reads lists of more than one page."""
    card = orjson.loads(parts.document["card"])
    edges = list(parts.edges.get("recommends", ()))
    last_page = count_edge_pages(parts.totals.get("recommends", 0))
    if last_page > 1:
        ids = [edge_page_id(card["id"], "recommends", page) for page in range(1, last_page)]
        pages, _ = await engine.fetch(ids, release)
        edges += [edge for page in pages if page for edge in page["edges"]]
    parts.ideas = ideas_of_need(card, edges)
    parts.sources += edge_sources(edges)


def _shown_owners(document: Mapping[str, Any]) -> list[JsonObject]:
    """Return the entities whose lists this one uses. A condition that covers others names only those."""
    owners = [{name: owner[name] for name in ("id", "name", "relation")} for owner in document.get("inherits", ())]
    if document["type"] == "disability" and not document.get("inherits_from"):
        return [owner for owner in owners if owner["relation"] == "narrower"]
    return owners


def build_record(vocabulary: Vocabulary, release: Release, parts: RecordParts) -> JsonObject:
    """Return the record as responses send it."""
    document = parts.document
    card: JsonObject = orjson.loads(document["card"])
    shown = {name: edges[:MAX_RECORD_EDGES] for name, edges in parts.edges.items()}
    sources = [
        *document["sources"],
        *document["edge_sources"],
        *document.get("inherits_sources", ()),
        *(source for edges in shown.values() for source in edge_sources(edges)),
        *parts.sources,
    ]
    groupings = document["grouping_details"]
    return {
        **card,
        "summaries": document["summaries"],
        "aliases": document["alias_details"],
        "attributes": {attribute["name"]: attribute["value"] for attribute in document["attributes"]},
        **({"groupings": groupings} if groupings else {}),
        "accommodation_ideas": parts.ideas,
        **_guidance_members(parts),
        "inherits": parts.inherits,
        "edges": [
            _edge_group(vocabulary, card["url"], name, parts, shown[name]) for name in vocabulary.edges if name in shown
        ],
        "sources": [release.sources[source] for source in dict.fromkeys(sources)],
        "external_ids": document["external_ids"],
    }


def _guidance_members(parts: RecordParts) -> JsonObject:
    members = {"left_out": parts.left_out, "cautions": parts.cautions}
    present: JsonObject = {name: rows for name, rows in members.items() if rows}
    return {**present, "guidance_note": GUIDANCE_NOTE} if present else {}


def _edge_group(
    vocabulary: Vocabulary, url: str, name: str, parts: RecordParts, shown: Sequence[Mapping[str, Any]]
) -> JsonObject:
    edge = vocabulary.edges[name]
    targets = parts.document.get(name) or [one["target"] for one in parts.edges[name]]
    types = {target.partition(":")[0] for target in targets}
    return {
        "name": name,
        "label": edge.label,
        "direction": edge.direction,
        "target_types": [type_name for type_name in vocabulary.types if type_name in types],
        "total": parts.totals[name],
        "items": [edge_item(one) for one in shown],
        "url": f"{url}/neighbors?edge={name}",
    }
