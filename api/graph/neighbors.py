"""Reads one page of an entity's edges of one name: one request to OpenSearch by id or key, two by slug or code.

The plain order comes from the pages of the edges, filters and other orders from the other end, what a condition
inherits from the merged lists of its parents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from api.engine.release import EngineResponse, Release
from api.engine.search_engine import SearchEngine
from api.errors import InvalidError
from api.graph.catalogue import Catalogue
from api.graph.edge_filters import ANY_EDGE, EdgeFilters, words_body
from api.graph.edges import edge_facts, edge_item, edge_sources
from api.graph.entities import MAX_POSITION, lookup_bodies, require_entity
from api.graph.guidance import Subject, reasons_for
from api.graph.inheritance import merge_edges
from api.graph.listings import first_choices
from api.graph.query_bodies import GUIDANCE_FIELDS, first_pages_body, full_id, owner_pages_body
from api.result import ServiceResult, page_links, request_warning, unknown_value_error
from schema.edge_documents import EDGE_PAGE_SIZE, edge_page_id
from schema.entity_kinds import INHERITED_EDGES
from schema.json_types import JsonObject
from schema.text import with_article
from schema.vocabulary import Vocabulary

RECOMMENDS = "recommends"
# Read of an entity without pages of the edge.
ENTITY_FIELDS = ("card", "sources", "inherits_from", "first_choices", *GUIDANCE_FIELDS)


@dataclass(frozen=True, slots=True)
class NeighborsRequest:
    """A request for one page of an entity's edges. `params` are the query parameters, for the links to other pages."""

    type: str
    id: str
    edge: str
    limit: int = 20
    offset: int = 0
    params: tuple[tuple[str, str], ...] = ()
    filters: EdgeFilters = ANY_EDGE

    @property
    def owner(self) -> str:
        """The full id, if `id` is an id or a key."""
        return full_id(self.type, self.id)

    @property
    def page_range(self) -> tuple[int, int]:
        """The numbers of the first and the last edge page that hold the requested edges."""
        first, last = self.offset // EDGE_PAGE_SIZE, (self.offset + self.limit - 1) // EDGE_PAGE_SIZE
        return min(first, MAX_POSITION), min(last, MAX_POSITION)


@dataclass(frozen=True, slots=True)
class _Owner:
    """The entity of a request, from its document, and the total of each of its edges."""

    card: JsonObject
    sources: Sequence[str]
    document: Mapping[str, Any]
    totals: Mapping[str, int]

    @property
    def id(self) -> str:
        """Its full id."""
        return str(self.card["id"])


async def get_neighbors(
    engine: SearchEngine, catalogue: Catalogue, vocabulary: Vocabulary, request: NeighborsRequest
) -> ServiceResult:
    """Return one page of an entity's edges of one name, best first."""
    if request.filters:
        return await _filtered_neighbors(engine, catalogue, vocabulary, request)
    first, last = request.page_range
    numbers = dict.fromkeys([0, *range(first, last + 1)])  # page 0 has the total, whatever the offset
    ids = [edge_page_id(request.owner, request.edge, number) for number in numbers]
    owners = [request.owner] if request.edge == RECOMMENDS else []  # whose guidance is needed
    documents, release = await engine.fetch([*ids, *owners])
    document = documents.pop() if owners else None
    if documents[0] is None:
        return await _search_neighbors(engine, catalogue, vocabulary, request)
    pages = [page for page in documents if page is not None]
    totals = {request.edge: pages[0]["total"]}
    owner = _Owner(orjson.loads(pages[0]["card"]), pages[0]["sources"], document or {}, totals)
    return await _from_pages(catalogue, pages, request, release, owner)


async def _search_neighbors(
    engine: SearchEngine, catalogue: Catalogue, vocabulary: Vocabulary, request: NeighborsRequest
) -> ServiceResult:
    """Return the page for a slug or code, for inherited edges, or for an entity without this edge."""
    bodies = [owner_pages_body(request.owner, request.edge, *request.page_range), *_owner_bodies(request)]
    pages, *lookups = await engine.search_all(bodies)
    owner = _parse_owner(request, lookups)
    if pages.hits or request.edge in owner.totals:
        documents = [hit.document for hit in pages.hits]
        return await _from_pages(catalogue, documents, request, pages.release, owner)
    if _is_inherited(owner, request):
        return await _inherited(engine, catalogue, vocabulary, owner, request, pages.release)
    totals = await _all_totals(catalogue, vocabulary, owner, pages.release)
    if request.edge not in vocabulary.edges:
        raise _unknown_edge(vocabulary, owner, totals, request)
    body = _page(owner.card, request, [], 0) | {"warnings": _missing_edge(owner, totals, request)}
    return ServiceResult(body, pages.release, owner.sources)


async def _filtered_neighbors(
    engine: SearchEngine, catalogue: Catalogue, vocabulary: Vocabulary, request: NeighborsRequest
) -> ServiceResult:
    """Return the page of a filtered or sorted list. By slug or code, a second request asks for the entity's id."""
    edge = vocabulary.edges.get(request.edge)
    inverse = edge.inverse if edge else ""
    window = (inverse, request.limit, request.offset)
    response, *lookups = await engine.search_all(
        [request.filters.body(request.owner, *window), *_owner_bodies(request)]
    )
    release, source = response.release, request.filters.source
    owner = _parse_owner(request, lookups)
    if edge is None:
        raise _unknown_edge(vocabulary, owner, await _all_totals(catalogue, vocabulary, owner, release), request)
    if source is not None and source not in release.sources:
        raise unknown_value_error("source", ("query", "source"), source, release.sources)
    if _is_inherited(owner, request):
        return await _inherited(engine, catalogue, vocabulary, owner, request, release)
    if owner.id != request.owner:
        response = await engine.search(request.filters.body(owner.id, *window), of=release)
    items = [hit.card | edge_facts(hit.nested[0]) for hit in response.hits]
    await _add_reasons(catalogue, owner, request.edge, items, release)
    sources = [*owner.sources, *response.sources, *(s for item in items for s in _fact_sources(item))]
    body = _page(owner.card, request, items, response.total)
    if warnings := _impossible_type(vocabulary, owner, request):
        body["warnings"] = warnings
    elif request.edge not in owner.totals:
        body["warnings"] = _missing_edge(owner, await _all_totals(catalogue, vocabulary, owner, release), request)
    return ServiceResult(body, release, sources)


def _owner_bodies(request: NeighborsRequest) -> list[JsonObject]:
    totals = {**first_pages_body(request.owner), "_source": ["edge", "total"]}
    return [totals, *lookup_bodies(request.type, request.id, ENTITY_FIELDS)]


def _parse_owner(request: NeighborsRequest, responses: Sequence[EngineResponse]) -> _Owner:
    totals, *lookups = responses
    document = require_entity(request.type, request.id, lookups, "/{type}/{key}/neighbors")
    by_name = {hit.document["edge"]: hit.document["total"] for hit in totals.hits}
    return _Owner(orjson.loads(document["card"]), document["sources"], document, by_name)


def _is_inherited(owner: _Owner, request: NeighborsRequest) -> bool:
    return request.edge in INHERITED_EDGES and bool(owner.document.get("inherits_from"))


async def _inherited(
    engine: SearchEngine,
    catalogue: Catalogue,
    vocabulary: Vocabulary,
    owner: _Owner,
    request: NeighborsRequest,
    release: Release,
) -> ServiceResult:
    parents, filters = owner.document["inherits_from"], request.filters
    conditions = await catalogue.conditions(parents, release)
    own_choices = first_choices(owner.document) if request.edge == "recommends" else {}
    edges: Sequence[Mapping[str, Any]] = merge_edges(
        request.edge, [conditions[parent] for parent in parents], own_choices
    )
    if filters:
        targets = None
        if filters.query is not None:
            body = words_body(parents, vocabulary.edges[request.edge].inverse, filters.query)
            matching = await engine.search(body, of=release)
            targets = {hit.fields["entity"][0] for hit in matching.hits}
        edges = filters.select(edges, targets)
    shown = edges[request.offset : request.offset + request.limit]
    sources = [*owner.sources, *edge_sources(shown)]
    items = list(map(edge_item, shown))
    await _add_reasons(catalogue, owner, request.edge, items, release)
    body = _page(owner.card, request, items, len(edges))
    if warnings := _impossible_type(vocabulary, owner, request):
        body["warnings"] = warnings
    return ServiceResult(body, release, sources)


async def _from_pages(
    catalogue: Catalogue,
    documents: Sequence[Mapping[str, Any]],
    request: NeighborsRequest,
    release: Release,
    owner: _Owner,
) -> ServiceResult:
    """Return the requested edges of these pages. Beyond the last page there are none, and the owner has the total."""
    edges = [
        edge
        for document in sorted(documents, key=lambda document: document["page"])
        for edge in document["edges"]
        if request.offset <= edge["order"] < request.offset + request.limit
    ]
    sources = [*owner.sources, *edge_sources(edges)]
    items = list(map(edge_item, edges))
    await _add_reasons(catalogue, owner, request.edge, items, release)
    return ServiceResult(_page(owner.card, request, items, owner.totals[request.edge]), release, sources)


async def _add_reasons(
    catalogue: Catalogue, owner: _Owner, edge: str, items: Sequence[JsonObject], release: Release
) -> None:
    """Add to listed solutions why recommendations for their owner leave them out."""
    if edge != RECOMMENDS or not items:
        return
    solutions = await catalogue.solutions([item["id"] for item in items], release)
    reasons = reasons_for(Subject.parse(owner.card, owner.document), solutions, release.sides)
    for item in items:
        if item["id"] in reasons:
            item["left_out"] = reasons[item["id"]]


def _fact_sources(item: Mapping[str, Any]) -> Sequence[str]:
    return (*item["sources"], *item.get("school_sources", ()))


async def _all_totals(catalogue: Catalogue, vocabulary: Vocabulary, owner: _Owner, release: Release) -> dict[str, int]:
    """Return the total of each edge name of an entity, inherited ones included."""
    conditions = await catalogue.conditions(owner.document.get("inherits_from", ()), release)
    totals: dict[str, int] = {name: len(merge_edges(name, conditions.values(), {})) for name in INHERITED_EDGES}
    totals |= owner.totals
    return {name: totals[name] for name in vocabulary.edges if totals.get(name)}


def _unknown_edge(
    vocabulary: Vocabulary, owner: _Owner, totals: Mapping[str, int], request: NeighborsRequest
) -> InvalidError:
    allowed = [edge.name for edge in vocabulary.edges_from(owner.card["type"])]
    return unknown_value_error("edge", ("query", "edge"), request.edge, totals or allowed, totals)


def _impossible_type(vocabulary: Vocabulary, owner: _Owner, request: NeighborsRequest) -> list[JsonObject]:
    """Return the warning that an edge never leads to the type of the filter, with the types that it leads to."""
    from_type, target_type = owner.card["type"], request.filters.target_type
    possible = [target for source, target in vocabulary.edges[request.edge].pairs if source == from_type]
    if target_type is None or target_type in possible or not possible:
        return []
    message = f"{request.edge!r} of {with_article(from_type)} never leads to {with_article(target_type)}, "
    message += f"only to: {', '.join(possible)}"
    return [request_warning("target_type", message, possible[0])]


def _missing_edge(owner: _Owner, totals: Mapping[str, int], request: NeighborsRequest) -> list[JsonObject]:
    """Return the warning that an entity has no edge of this name, with those that it has."""
    edges = ", ".join(f"{name} ({total:,})" for name, total in totals.items()) or "no edges"
    return [request_warning("edge", f"{owner.id} has no edge {request.edge!r}; it has: {edges}")]


def _page(card: Mapping[str, Any], request: NeighborsRequest, items: Sequence[JsonObject], total: int) -> JsonObject:
    return {
        "entity": card,
        "edge": request.edge,
        "results": items,
        **page_links(f"{card['url']}/neighbors", request.params, total, request.limit, request.offset),
    }
