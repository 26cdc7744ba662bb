"""Builds all index documents of a graph."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from indexer.content.rows import Entity
from indexer.documents.edge_pages import edge_pages
from indexer.documents.entity import EntityCard, entity_document
from indexer.graph.inheritance import inheritance_sources_by_condition
from indexer.graph.model import Graph, sorted_entities
from indexer.graph.similarity import LimitationStatistics, limitation_statistics
from schema.document_ids import MOVED
from schema.edge_documents import count_edge_pages
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class DocumentBuilder:
    """What the documents of any entity depend on, computed once for a graph.

    `positions` are the places of entities in the list of their type, so that range queries page lists at any depth.
    """

    graph: Graph
    vocabulary: Vocabulary
    positions: Mapping[str, int]
    cards: Mapping[str, EntityCard]
    inheritance_sources: Mapping[str, tuple[str, ...]]
    limitations: Mapping[str, LimitationStatistics]

    @staticmethod
    def from_graph(graph: Graph, vocabulary: Vocabulary) -> "DocumentBuilder":
        """Compute them."""
        return DocumentBuilder(
            graph,
            vocabulary,
            positions=_positions(graph),
            cards={node: EntityCard.of(entity, graph.findings.get(node)) for node, entity in graph.nodes.items()},
            inheritance_sources=inheritance_sources_by_condition(graph),
            limitations=limitation_statistics(graph),
        )

    def entity_documents(self, entity: Entity) -> Iterator[tuple[str, JsonObject]]:
        """Yield the documents of one entity, as (`_id`, body)."""
        graph, node = self.graph, entity.id
        sources = self.inheritance_sources.get(node, ())
        position = self.positions[node]
        yield node, entity_document(graph, entity, position, self.cards[node], sources, self.limitations)
        yield from edge_pages(graph, self.vocabulary, entity, self.cards)


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
    pages = sum(count_edge_pages(len(edges)) for by_name in graph.edges.values() for edges in by_name.values())
    return len(graph.nodes) + pages + len(graph.redirects)


def _positions(graph: Graph) -> dict[str, int]:
    counters: defaultdict[str, Iterator[int]] = defaultdict(count)
    return {entity.id: next(counters[entity.type]) for entity in sorted_entities(graph.nodes.values())}
