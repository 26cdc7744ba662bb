"""The pages of the edges of an entity: up to 100 nested edges of one name (docs/decisions/0002)."""

from collections.abc import Iterator, Mapping

from indexer.content.rows import Entity
from indexer.documents.entity import EntityCard, entity_sources
from indexer.documents.search_fields import owner_ids
from indexer.graph.model import Edge, Graph, alias_groups, is_narrower
from schema.document_ids import EDGES
from schema.edge_documents import EDGE_PAGE_SIZE, edge_page_id, sort_name
from schema.json_types import JsonObject
from schema.text import to_american
from schema.vocabulary import Vocabulary


def edge_pages(
    graph: Graph, vocabulary: Vocabulary, entity: Entity, cards: Mapping[str, EntityCard]
) -> Iterator[tuple[str, JsonObject]]:
    """Yield the pages of all edges of an entity, as (`_id`, body)."""
    by_name = graph.edges.get(entity.id)
    if not by_name:
        return
    card = cards[entity.id]
    shared = {
        "doc": EDGES,
        "owner": owner_ids(entity),
        "entity": entity.id,
        "entity_type": entity.type,
        "entity_names": [
            to_american(text) for text in (entity.name, *(alias.text for alias in alias_groups(graph, entity.id).shown))
        ],
        "sort_name": sort_name(entity.name, entity.id, is_narrower=is_narrower(entity)),
        "card": card.text,
        "sources": entity_sources(graph, entity),
    }
    for name, edges in by_name.items():
        inverse = vocabulary.edges[name].inverse
        for page, start in enumerate(range(0, len(edges), EDGE_PAGE_SIZE)):
            shown = edges[start : start + EDGE_PAGE_SIZE]
            body = {
                **shared,
                "edge": name,
                "page": page,
                "total": len(edges),
                "edges": [
                    nested_edge(graph, edge, cards[edge.target], order, len(graph.edges_named(edge.target, inverse)))
                    for order, edge in enumerate(shown, start)
                ],
            }
            yield edge_page_id(entity.id, name, page), body


def nested_edge(graph: Graph, edge: Edge, card: EntityCard, order: int, target_total: int) -> JsonObject:
    """Return one edge as `schema.edge_documents` describes it."""
    nested: JsonObject = {
        **card.target,
        "target_total": target_total,
        "order": order,
        "weight": edge.weight,
        "basis": edge.basis,
        "sources": edge.sources,
        **edge.facts,
    }
    if edge.name == "recommends" and (statement := graph.school.stated.get(edge.source, {}).get(edge.target)):
        nested["school_weight"] = statement.weight
    if edge.name == "implemented_by" and (vendors := graph.edges_named(edge.target, "sold_by")):
        nested["vendor"] = vendors[0].target
    return nested
