"""Reads one page of an entity's edges of one name: one request to OpenSearch by id or key, two by slug or code.

What a condition inherits takes one more: the pages of its parents are merged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.graph import inheritance
from api.graph.entities import CARD_AND_PARENTS, MAX_POSITION, card_of, lookup_bodies, require_entity
from api.graph.query_bodies import full_id, pages_body
from api.result import ServiceResult, page_links, unknown_value_error
from schema.document_ids import EDGE_PAGE_SIZE, count_edge_pages, edge_page_id
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary

# Read of an entity without pages of this edge.
ENTITY_FIELDS = [*CARD_AND_PARENTS, "record.edges.name", "record.edges.total"]


@dataclass(frozen=True, slots=True)
class NeighborsRequest:
    """A request for one page of an entity's edges. `params` are the query parameters, for the links to other pages."""

    type: str
    id: str
    edge: str
    limit: int = 20
    offset: int = 0
    params: tuple[tuple[str, str], ...] = ()

    @property
    def owner(self) -> str:
        """The full id, if `id` is an id or a key."""
        return full_id(self.type, self.id)

    @property
    def page_range(self) -> tuple[int, int]:
        """The numbers of the first and the last edge page that hold the requested edges."""
        first, last = self.offset // EDGE_PAGE_SIZE, (self.offset + self.limit - 1) // EDGE_PAGE_SIZE
        return min(first, MAX_POSITION), min(last, MAX_POSITION)


async def get_neighbors(engine: SearchEngine, vocabulary: Vocabulary, request: NeighborsRequest) -> ServiceResult:
    """Return one page of an entity's edges of one name, best first."""
    first, last = request.page_range
    numbers = dict.fromkeys([0, *range(first, last + 1)])  # page 0 has the total, whatever the offset
    documents, release = await engine.fetch([edge_page_id(request.owner, request.edge, number) for number in numbers])
    if documents[0] is None:
        return await _search_neighbors(engine, vocabulary, request)
    return _from_pages([document for document in documents if document is not None], request, release)


async def _search_neighbors(engine: SearchEngine, vocabulary: Vocabulary, request: NeighborsRequest) -> ServiceResult:
    """Return the page for a slug or code, for inherited edges, or for an entity without this edge."""
    first_page, pages, *lookups = await engine.search_all(
        [
            pages_body(request.owner, request.edge, 0, 0),
            pages_body(request.owner, request.edge, *request.page_range),
            *lookup_bodies(request.type, request.id, ENTITY_FIELDS),
        ]
    )
    release = first_page.release
    documents = [hit.document for response in (first_page, pages) for hit in response.hits]
    if documents:
        return _from_pages(documents, request, release)
    document = require_entity(request.type, request.id, lookups, "/{type}/{key}/neighbors")
    record, sources = document["record"], document.get("sources", ())
    totals = {group["name"]: group["total"] for group in record.get("edges", ())}
    if totals.get(request.edge) and inheritance.parents(record):
        return await _inherited(engine, record, sources, request, release)
    if totals.get(request.edge) and request.id != record["id"]:  # pages are not indexed by this form of the id
        return await get_neighbors(engine, vocabulary, replace(request, id=record["id"]))
    allowed = [edge.name for edge in vocabulary.edges_from(record["type"])]
    if request.edge not in allowed:
        raise unknown_value_error("edge", ("query", "edge"), request.edge, totals or allowed, totals)
    return _page(card_of(record), request, [], 0, release, sources)


async def _inherited(
    engine: SearchEngine,
    record: Mapping[str, Any],
    sources: Sequence[str],
    request: NeighborsRequest,
    release: Release,
) -> ServiceResult:
    page_ids = [
        edge_page_id(parent["id"], request.edge, number)
        for parent in inheritance.parents(record)
        for number in range(count_edge_pages(parent["totals"][request.edge]))
    ]
    documents, _ = await engine.fetch(page_ids, release)
    found = [document for document in documents if document]
    pages = [document["page"] for document in found]
    items = inheritance.merge_edges([(page["entity"]["id"], page["items"]) for page in pages])
    shown = items[request.offset : request.offset + request.limit]
    return _page(card_of(record), request, shown, len(items), release, [*sources, *_page_sources(found)])


def _from_pages(documents: Sequence[Mapping[str, Any]], request: NeighborsRequest, release: Release) -> ServiceResult:
    first = documents[0]["page"]
    pages = {document["number"]: document["page"]["items"] for document in documents}
    items = [
        item
        for number in sorted(pages)
        for position, item in enumerate(pages[number], start=number * EDGE_PAGE_SIZE)
        if request.offset <= position < request.offset + request.limit
    ]
    return _page(first["entity"], request, items, first["total"], release, _page_sources(documents))


def _page_sources(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the sources of the entities on edge pages. Releases of version 0.1.0 lack them."""
    return [source for document in documents for source in document.get("sources", ())]


def _page(
    card: Mapping[str, Any],
    request: NeighborsRequest,
    items: Sequence[JsonObject],
    total: int,
    release: Release,
    sources: Sequence[str],
) -> ServiceResult:
    """Return a page of edges; `sources` are those of the entities, to which those of the edges are added."""
    body = {
        "entity": card,
        "edge": request.edge,
        "results": items,
        **page_links(f"{card['url']}/neighbors", request.params, total, request.limit, request.offset),
    }
    edge_sources = [source for item in items for source in (*item["sources"], *item.get("school_sources", ()))]
    return ServiceResult(body, release, [*sources, *edge_sources])
