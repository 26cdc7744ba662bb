"""Lists the entities of one type that have an edge to each of several entities, with facets over what they share.

Membership is read from the arrays on the documents of the listed type. The array of a hub may be left out, so a linked
entity with few edges adds its own array.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from api.engine.release import EngineResponse, Release
from api.engine.search_engine import SearchEngine
from api.errors import InvalidError
from api.graph.catalogue import Catalogue
from api.graph.entities import require_known_grouping
from api.graph.query_bodies import card_page
from api.graph.resolve import EntityReference, ResolvedEntity, resolve_entities
from api.result import (
    ServiceResult,
    ambiguity_warnings,
    page_links,
    problem,
    request_warning,
    unknown_value_error,
)
from api.search.query_builder import reading_body
from schema.document_ids import ENTITY
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary

MAX_SMALL_END = 100  # edges of a linked entity whose own array is queried too
FACET_SIZE = 20
# The array that facets count for each type, and the ids that they count in it.
FACETS = {
    "solution": ("recommended_for", "(limitation|workrelatedfunction):.*"),
    "product": ("sold_by", "vendor:.*"),
    "disability": ("has_limitation", "limitation:.*"),
}
# Ends of the names of clauses: OpenSearch reports one clause of a name.
INHERITED, OTHER_END = "inherited", "other end"


class ListPage(NamedTuple):
    """The part of a list to return. `filters` are values by field, `params` those of the links to other pages."""

    inherited: bool
    limit: int
    offset: int
    filters: Mapping[str, str]
    params: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class LinkedListRequest:
    """A request for entities of a type that have edges to all `links`: a text that names an entity, and an edge name.

    An empty edge name means any edge.
    """

    type: str
    links: Sequence[tuple[EntityReference, str]]
    page: ListPage

    @classmethod
    def parse(
        cls, type_name: str, linked_to: Sequence[str], edges: Sequence[str], page: ListPage
    ) -> "LinkedListRequest":
        """Parse the texts. One edge name applies to all; raise InvalidError for any other number of names."""
        if len(edges) > 1 and len(edges) != len(linked_to):
            message = (
                f"send 'edge' once, or once for each of the {len(linked_to)} values of 'linked_to', "
                f"not {len(edges)} times"
            )
            context = {"expected": len(linked_to)}
            raise InvalidError([problem(("query", "edge"), message, "edge_count", ", ".join(edges), context)])
        names = list(edges) if len(edges) > 1 else [*edges, ""][:1] * len(linked_to)
        links = [(EntityReference.parse(text), edge) for text, edge in zip(linked_to, names, strict=True)]
        return cls(type_name, links, page)


@dataclass(frozen=True, slots=True)
class Link:
    """An entity to which the listed ones have an edge of any of these names. `name` identifies its clauses."""

    name: str
    entity: ResolvedEntity
    edges: Sequence[str]
    inverses: Mapping[str, str]

    @property
    def id(self) -> str:
        """The full id of the entity."""
        return str(self.entity.card["id"])

    @property
    def is_read(self) -> bool:
        """Whether the text was neither an id nor the only name of the entity."""
        return self.entity.matched_by in {"alias", "synonym"} or bool(self.entity.alternatives)

    def clause(self, type_name: str, *, inherited: bool) -> JsonObject:
        """Match the entities of a type that have such an edge."""
        if not self.edges:
            return {"match_none": {}}
        either: list[JsonObject] = []
        inherited_ids = frozenset(self.entity.document.get(INHERITED, ()))
        for edge in self.edges:
            name = f"{self.name} {edge}"
            either.append({"term": {edge: {"value": self.id, "_name": name}}})
            array = self.entity.document.get(self.inverses[edge], ())
            stated = [id_ for id_ in array if id_ not in inherited_ids]
            if 0 < len(stated) <= MAX_SMALL_END:
                either.append({"ids": {"values": stated, "_name": f"{name} {OTHER_END}"}})
            if inherited:
                inherits = [id_ for id_ in array if id_ in inherited_ids]
                clauses = self._inherited_clauses(type_name, edge, array, inherits)
                either += [{kind: {**values, "_name": f"{name} {INHERITED}"}} for kind, values in clauses]
        clause: JsonObject = {"should": either, "minimum_should_match": 1}
        if not inherited:
            clause["must_not"] = {"term": {INHERITED: self.id}}
        return {"bool": clause}

    def _inherited_clauses(
        self, type_name: str, edge: str, array: Sequence[str], inherited: Sequence[str]
    ) -> Iterator[tuple[str, JsonObject]]:
        """Yield what matches the entities whose edge is inherited, by either end.

        `array` is that of the inverse edge, `inherited` its ids that this entity inherits. Solutions that a condition
        inherits are in no array: its parents have them.
        """
        if inherited:
            yield "ids", {"values": list(inherited)}
        if edge == "recommended_for" and (parents := self.entity.document.get("inherits_from")):
            yield "terms", {edge: list(parents)}
        if array and (type_name, edge) == ("disability", "recommends"):
            yield "terms", {"inherits_from": list(array)}

    def describe(self, clauses: Sequence[str]) -> list[JsonObject]:
        """Return the edges of a listed entity to this one, from the names of the clauses that matched."""
        is_inherited = f"{self.name} {INHERITED}" in clauses
        links = []
        for edge in self.edges:
            name = f"{self.name} {edge}"
            stored = name in clauses or f"{name} {OTHER_END}" in clauses
            if stored or f"{name} {INHERITED}" in clauses:
                links.append({"linked_to": self.id, "edge": edge, "inherited": is_inherited or not stored})
        return links


async def list_linked(
    engine: SearchEngine, catalogue: Catalogue, vocabulary: Vocabulary, request: LinkedListRequest
) -> ServiceResult:
    """Return one page of the linked entities by name; raise InvalidError for an unknown entity, edge or grouping.

    Two requests to OpenSearch, one for the names of the facets that are not cached, and one for what else texts may
    mean that are neither ids nor names.
    """
    links, release = await _resolve_links(engine, vocabulary, request)
    page = request.page
    require_known_grouping(page.filters, release)
    response = await engine.search(linked_list_body(request, links), of=release)
    facets, facet_sources = await _facets(catalogue, request.type, response)
    body: JsonObject = {
        "results": [
            {**hit.card, "links": [line for link in links for line in link.describe(hit.clauses)]}
            for hit in response.hits
        ],
        "facets": facets,
        **page_links(f"/{request.type}", page.params, response.total, page.limit, page.offset),
    }
    warnings = [
        request_warning("linked_to", f"No {request.type} can have an edge to {link.id}.")
        for link in links
        if not link.edges
    ]
    warnings += await _interpretations(engine, request, links, release)
    if warnings:
        body["warnings"] = warnings
    return ServiceResult(body, release, [*response.sources, *facet_sources])


async def _resolve_links(
    engine: SearchEngine, vocabulary: Vocabulary, request: LinkedListRequest
) -> tuple[list[Link], Release]:
    names = [f"linked_to.{number}" for number in range(len(request.links))]
    references = {name: reference for name, (reference, _) in zip(names, request.links, strict=True)}
    edges = [_edge_names(vocabulary, request.type, edge) for _, edge in request.links]
    resolved, release = await resolve_entities(engine, references)
    links = [
        Link(
            name,
            resolved[name],
            _possible_edges(vocabulary, request.type, resolved[name], names_of),
            vocabulary.inverses,
        )
        for name, names_of in zip(names, edges, strict=True)
    ]
    return links, release


async def _interpretations(
    engine: SearchEngine, request: LinkedListRequest, links: Sequence[Link], release: Release
) -> list[JsonObject]:
    """Return a warning for each text that is neither an id nor a name: how it was read, and what else it names."""
    references = [reference for reference, _ in request.links]
    pairs = [(one, link) for one, link in zip(references, links, strict=True) if link.is_read]
    if not pairs:
        return []
    queries = [reference.query.with_sides(release.side_words) for reference, _ in pairs]
    responses = await engine.search_all(list(map(reading_body, queries)), release)
    warnings = []
    for (_, link), response in zip(pairs, responses, strict=True):
        cards = [*link.entity.alternatives, *(hit.payload["card"] for hit in response.hits)]
        found = {card["id"]: card for card in cards}
        others = [card for id_, card in found.items() if id_ != link.id]
        warnings += ambiguity_warnings("linked_to", link.entity.text, link.entity.card, others)
        if not others:
            message = f"{link.entity.text!r} was interpreted as {link.id}"
            warnings.append(request_warning("linked_to", message, link.id))
    return warnings


def _edge_names(vocabulary: Vocabulary, type_name: str, edge: str) -> list[str]:
    """Return the edge names that a filter allows; raise InvalidError for one that no entity of the type has."""
    names = [possible.name for possible in vocabulary.edges_from(type_name)]
    if edge and edge not in names:
        raise unknown_value_error("edge", ("query", "edge"), edge, names)
    return [edge] if edge else names


def _possible_edges(vocabulary: Vocabulary, type_name: str, entity: ResolvedEntity, names: Sequence[str]) -> list[str]:
    pair = (type_name, entity.card["type"])
    return [name for name in names if pair in vocabulary.edges[name].pairs]


def linked_list_body(request: LinkedListRequest, links: Sequence[Link]) -> JsonObject:
    """One page of the entities that have edges to all of these, by name, with the number of each facet value."""
    page = request.page
    body: JsonObject = {
        **card_page(page.limit, page.offset),
        "query": {
            "bool": {
                "filter": [
                    {"term": {"doc": ENTITY}},
                    {"term": {"type": request.type}},
                    *({"term": {field: value}} for field, value in page.filters.items()),
                    *(link.clause(request.type, inherited=page.inherited) for link in links),
                ],
                "should": [
                    {"term": {INHERITED: {"value": link.id, "_name": f"{link.name} {INHERITED}"}}} for link in links
                ],
            }
        },
        "sort": [{"position": "asc"}],
    }
    if request.type in FACETS:
        field, include = FACETS[request.type]
        body["aggs"] = {field: {"terms": {"field": field, "size": FACET_SIZE, "include": include}}}
    return body


async def _facets(
    catalogue: Catalogue, type_name: str, response: EngineResponse
) -> tuple[dict[str, list[JsonObject]], list[str]]:
    """Return the facet of the type: entities with the number of listed ones that have an edge to them."""
    if type_name not in FACETS:
        return {}, []
    field, _ = FACETS[type_name]
    counts = response.buckets[field]
    entities = await catalogue.cards(counts, response.release)
    lines: list[JsonObject] = [
        {"entity": {name: entities[id_].card[name] for name in ("id", "name", "type")}, "total": count}
        for id_, count in counts.items()
    ]
    return {field: lines}, [source for entity in entities.values() for source in entity.sources]
