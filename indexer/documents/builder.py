"""Builds all index documents of a graph."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from indexer.content.rows import Entity
from indexer.documents.edge_pages import edge_pages
from indexer.documents.entity import EntityCard, Inheritance, entity_document
from indexer.documents.search_fields import SearchFields
from indexer.graph.inheritance import inheritance_sources_by_condition
from indexer.graph.model import Graph, is_narrower, sorted_entities
from indexer.graph.similarity import LimitationStatistics, limitation_statistics
from schema.document_ids import CRISIS_GUIDE, GUIDE, MOVED
from schema.edge_documents import count_edge_pages
from schema.json_types import JsonObject
from schema.text import name_key, to_american
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
    inheritance: Mapping[str, Inheritance]
    search_fields: SearchFields
    limitations: Mapping[str, LimitationStatistics]

    @staticmethod
    def from_graph(graph: Graph, vocabulary: Vocabulary) -> "DocumentBuilder":
        """Compute them."""
        sources = inheritance_sources_by_condition(graph)
        return DocumentBuilder(
            graph,
            vocabulary,
            positions=_positions(graph),
            cards={node: EntityCard.of(entity, graph.findings.get(node)) for node, entity in graph.nodes.items()},
            inheritance=_inheritance(graph, sources),
            search_fields=SearchFields.from_graph(graph, _inheritors(sources)),
            limitations=limitation_statistics(graph),
        )

    def entity_documents(self, entity: Entity) -> Iterator[tuple[str, JsonObject]]:
        """Yield the documents of one entity, as (`_id`, body)."""
        graph, node = self.graph, entity.id
        inheritance = self.inheritance.get(node, Inheritance())
        position = self.positions[node]
        facts = entity_document(graph, entity, position, self.cards[node], inheritance, self.limitations)
        yield node, {**facts, **self.search_fields.fields(entity)}
        yield from edge_pages(graph, self.vocabulary, entity, self.cards)


def build_documents(graph: Graph, vocabulary: Vocabulary) -> Iterator[tuple[str, JsonObject]]:
    """Yield every document of a graph, as (`_id`, body), entity by entity."""
    builder = DocumentBuilder.from_graph(graph, vocabulary)
    for entity in graph.nodes.values():
        yield from builder.entity_documents(entity)
    yield from redirect_documents(graph)
    yield from guide_documents(graph)


def guide_documents(graph: Graph) -> Iterator[tuple[str, JsonObject]]:
    """Yield a document for each guide, with its names, links and the ids of its entities."""
    names, links, entities = (defaultdict(list) for _ in range(3))
    wordings: defaultdict[str, list[str]] = defaultdict(list)
    for name in graph.guides.names:
        names[name.guide].append(name.name)
    for link in graph.guides.links:
        links[link.guide].append({"title": link.title, "publisher": link.publisher, "url": link.url})
    for described in graph.guides.wordings:
        wordings[described.guide] += described.words
    for of_guide in graph.guides.entities:
        entities[of_guide.guide].append(of_guide.entity)
    for row in graph.guides.guides:
        body = {**row._asdict(), "names": names[row.id], "links": links[row.id], "entities": entities[row.id]}
        # Words alone never bring up a guide to a crisis: its names are exact.
        wording = [row.title, row.text, *names[row.id], *wordings[row.id]] if row.kind != CRISIS_GUIDE else []
        yield f"{GUIDE}/{row.id}", {"doc": GUIDE, "guide": body, "wording": list(map(to_american, wording))}


def redirect_documents(graph: Graph) -> Iterator[tuple[str, JsonObject]]:
    """Yield a document for each retired id that names its successor."""
    for old, new in graph.redirects.items():
        yield old, {"doc": MOVED, "moved_to": new}


def count_documents(graph: Graph) -> int:
    """Return how many documents `build_documents` yields, for the progress bar."""
    pages = sum(count_edge_pages(len(edges)) for by_name in graph.edges.values() for edges in by_name.values())
    return len(graph.nodes) + pages + len(graph.redirects) + len(graph.guides.guides)


def _inheritors(sources: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    inheritors: defaultdict[str, list[str]] = defaultdict(list)
    for condition, owners in sources.items():
        for owner in owners:
            inheritors[owner].append(condition)
    return inheritors


def _inheritance(graph: Graph, sources: Mapping[str, Sequence[str]]) -> dict[str, Inheritance]:
    familiar = {
        name_key(alias.text)
        for node, aliases in graph.aliases.items()
        if not is_narrower(graph.nodes[node])
        for alias in aliases
    }
    return {node: Inheritance(owners, name_key(graph.nodes[node].name) in familiar) for node, owners in sources.items()}


def _positions(graph: Graph) -> dict[str, int]:
    counters: defaultdict[str, Iterator[int]] = defaultdict(count)
    return {entity.id: next(counters[entity.type]) for entity in sorted_entities(graph.nodes.values())}
