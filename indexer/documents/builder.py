"""Builds all index documents of a graph, and selects the products shown with each solution."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from indexer.content.rows import Entity
from indexer.documents.entity import (
    entity_card,
    entity_document,
    entity_sources,
    id_forms,
    owner_ids,
    retired_ids,
    sources_of,
)
from indexer.documents.record import build_record, edge_item, edge_pages
from indexer.documents.seeds import seed_data
from indexer.graph.inheritance import (
    Inheritance,
    inheritance_of,
    inheritance_sources_by_condition,
    inherited_document,
    inheritors,
)
from indexer.graph.model import Graph, alias_groups, popularity, sorted_entities
from indexer.graph.similarity import SimilarCondition, related_conditions
from schema.codec import pack
from schema.document_ids import INHERITED, MOVED, NEEDS, PRODUCTS, RECORD, RELATED, count_edge_pages, part_id
from schema.json_types import JsonObject
from schema.market_rules import WITHDRAWN
from schema.vocabulary import Vocabulary

REPORTED_TITLE = "title"  # the kind of an alias that is a reported job title
MAX_PRODUCTS = 5  # of a solution; the neighbors route lists the others


@dataclass(frozen=True, slots=True)
class DocumentBuilder:
    """What the documents of any entity depend on, computed once for a graph."""

    graph: Graph
    vocabulary: Vocabulary
    positions: Mapping[str, int]
    cards: Mapping[str, JsonObject]
    similar_conditions: Mapping[str, Sequence[SimilarCondition]]
    inheritance_sources: Mapping[str, tuple[str, ...]]
    inheritors: Mapping[str, Sequence[str]]
    inheritances: Mapping[tuple[str, ...], Inheritance]

    @staticmethod
    def from_graph(graph: Graph, vocabulary: Vocabulary) -> "DocumentBuilder":
        """Compute them."""
        sources_by_condition = inheritance_sources_by_condition(graph)
        return DocumentBuilder(
            graph,
            vocabulary,
            positions=_positions(graph),
            cards={node: entity_card(entity, graph.findings.get(node)) for node, entity in graph.nodes.items()},
            similar_conditions=related_conditions(graph),
            inheritance_sources=sources_by_condition,
            inheritors=inheritors(sources_by_condition),
            inheritances={sources: inheritance_of(graph, sources) for sources in {*sources_by_condition.values(), ()}},
        )

    def entity_documents(self, entity: Entity) -> Iterator[tuple[str, JsonObject]]:
        """Yield the documents of one entity, as (`_id`, body)."""
        graph, cards, node = self.graph, self.cards, entity.id
        sources = self.inheritance_sources.get(node, ())
        items = {name: [edge_item(edge, cards) for edge in edges] for name, edges in graph.edges.get(node, {}).items()}
        record = build_record(graph, self.vocabulary, entity, cards, items, self.inheritances[sources])
        yield node, entity_document(graph, self.vocabulary, entity, self.positions[node], cards[node], sources)
        yield (
            part_id(node, RECORD),
            {"doc": RECORD, "owner": owner_ids(entity), "sources": entity_sources(graph, entity), "record": record},
        )
        if node in self.inheritors:
            yield part_id(node, INHERITED), inherited_document(record)
        yield from edge_pages(graph, entity, cards[node], items)
        if (seed := seed_data(graph, entity, cards, sources)) is not None:
            yield part_id(node, NEEDS), _needs_document(graph, entity, seed, self.inheritors.get(node, ()))
        if entity.type == "solution":
            yield part_id(node, PRODUCTS), {"doc": PRODUCTS, "products": _recommended_products(graph, node, cards)}
        if entity.type == "disability" and not sources:
            yield part_id(node, RELATED), self._related_document(entity)

    def _related_document(self, entity: Entity) -> JsonObject:
        """Return the related conditions of a condition; conditions of which it is the first source share them."""
        graph, cards, node = self.graph, self.cards, entity.id
        sharing = [
            condition for condition in self.inheritors.get(node, ()) if self.inheritance_sources[condition][0] == node
        ]
        descendants = graph.hierarchy.nearest_descendants(node, graph.listings.by_disability)
        items = [
            cards[condition.disability]
            | {
                "score": round(condition.score, 4),
                "shared": [cards[limitation] | {"weight": round(part, 4)} for limitation, part in condition.shared],
                "shared_total": len(condition.shared),
                "relation": graph.hierarchy.relation(node, condition.disability),
            }
            for condition in self.similar_conditions.get(node, [])
        ]
        shown = [card["id"] for item in items for card in (item, *item["shared"])]
        return {
            "doc": RELATED,
            "owner": owner_ids(entity),
            "inheritor_keys": [key for condition in sharing for key in owner_ids(graph.nodes[condition])],
            "related": {
                "entity": cards[node],
                "kinds": [cards[descendant]["name"] for descendant in descendants],
                "items": items,
                "sources": sources_of(graph, [node, *shown]),
            },
        }


def build_documents(graph: Graph, vocabulary: Vocabulary) -> Iterator[tuple[str, JsonObject]]:
    """Yield every document of a graph, as (`_id`, body), entity by entity."""
    builder = DocumentBuilder.from_graph(graph, vocabulary)
    for entity in graph.nodes.values():
        yield from builder.entity_documents(entity)
    yield from redirect_documents(graph)


def redirect_documents(graph: Graph) -> Iterator[tuple[str, JsonObject]]:
    """Yield a document for each retired id that names its successor."""
    for old, new in graph.redirects.items():
        yield old, {"doc": MOVED, "moved_to": new}


def count_documents(graph: Graph) -> int:
    """Return how many documents `build_documents` yields, for the progress bar."""
    by_type = {"disability": 4, "limitation": 3, "workrelatedfunction": 3, "solution": 3, "occupation": 3}
    entities = sum(by_type.get(entity.type, 2) for entity in graph.nodes.values())
    pages = sum(count_edge_pages(len(edges)) for by_name in graph.edges.values() for edges in by_name.values())
    sources_by_condition = inheritance_sources_by_condition(graph)
    # A source has one document more, an inheriting condition one less: it has no related conditions.
    return entities + pages + len(inheritors(sources_by_condition)) - len(sources_by_condition) + len(graph.redirects)


def _positions(graph: Graph) -> dict[str, int]:
    """Return each entity's position in the list of its type, so that range queries page lists at any depth."""
    counters: defaultdict[str, Iterator[int]] = defaultdict(count)
    return {entity.id: next(counters[entity.type]) for entity in sorted_entities(graph.nodes.values())}


def _needs_document(graph: Graph, entity: Entity, seed: JsonObject, inheriting: Iterable[str]) -> JsonObject:
    """Return what recommend reads of a seed, with the names of the entity and of those that inherit from it."""
    aliases = _lookup_names(graph, entity.id)
    inheriting_entities = [graph.nodes[node] for node in inheriting]
    inheritor_names = [
        name for inheritor in inheriting_entities for name in (inheritor.name, *_lookup_names(graph, inheritor.id))
    ]
    inheritor_ids = [key for inheritor in inheriting_entities for key in (*owner_ids(inheritor), *id_forms(inheritor))]
    return {
        "doc": NEEDS,
        "owner": owner_ids(entity),
        "seed_type": entity.type,
        "seed_keys": [
            *owner_ids(entity),
            *_typed_job_names(graph, entity),
            *id_forms(entity),
            entity.name,
            *aliases,
            *retired_ids(graph, entity.id),
        ],
        "popularity": popularity(graph, entity.id),
        "seed_name": entity.name,
        "seed_aliases": aliases,
        "inheritor_keys": [*inheritor_ids, *inheritor_names],
        "inheritor_names": inheritor_names,
        "needs": pack(seed),
    }


def _lookup_names(graph: Graph, node: str) -> list[str]:
    """Return the aliases that resolve to an entity, hidden ones included."""
    aliases = alias_groups(graph, node)
    return [*(alias.text for alias in aliases.shown), *aliases.hidden]


def _typed_job_names(graph: Graph, entity: Entity) -> list[str]:
    """Return the aliases that mean only this job, with its type; several jobs may report the same title."""
    if entity.type != "occupation":
        return []
    shown = alias_groups(graph, entity.id).shown
    return [f"{entity.type}:{alias.text}" for alias in shown if alias.kind != REPORTED_TITLE]


def _recommended_products(graph: Graph, solution: str, cards: Mapping[str, JsonObject]) -> JsonObject:
    """Return the card of a solution, its first products with their vendors, and the sources of all of these.

    Order: available before withdrawn, assistive before general, verified on the market before unverified, with a known
    vendor before without; among equals, each vendor's first product before any vendor's second.
    """
    ranked: list[tuple[tuple[bool, float, bool, bool], str, str | None]] = []
    for edge in graph.edges_named(solution, "implemented_by"):
        sellers = graph.edges_named(edge.target, "sold_by")
        vendor = sellers[0].target if sellers else None
        status = cards[edge.target]["market_verification"]["status"]
        ranked.append(((status in WITHDRAWN, -edge.weight, status != "verified", vendor is None), edge.target, vendor))
    ranked.sort(key=lambda row: row[0])
    turns: defaultdict[str | None, Iterator[int]] = defaultdict(count)
    interleaved = [(rank, next(turns[vendor]), product, vendor) for rank, product, vendor in ranked]
    interleaved.sort(key=lambda row: row[:2])
    shown = [(product, vendor) for _, _, product, vendor in interleaved[:MAX_PRODUCTS]]
    nodes = [node for pair in shown for node in pair if node]
    return {
        "card": cards[solution],
        "items": [cards[product] | {"vendor": cards[vendor] if vendor else None} for product, vendor in shown],
        "sources": sources_of(graph, [solution, *nodes]),
    }
