"""Pages of the edges of an entity, ready to be sent (docs/decisions/0002 says why edges are pages)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.documents.entity import owner_ids
from schema.document_ids import EDGE_PAGE_SIZE, EDGES, edge_page_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.content.rows import Entity
    from indexer.graph.model import Edge
    from schema.json_types import JsonObject


def edge_item(edge: Edge, cards: Mapping[str, JsonObject]) -> JsonObject:
    """Return an edge as responses list it: the card of its target, then the facts of the edge."""
    return {
        **cards[edge.target],
        "weight": edge.weight,
        "basis": edge.basis,
        "sources": list(edge.sources),
        **edge.facts,
    }


def edge_pages(
    entity: Entity, card: JsonObject, items: Mapping[str, Sequence[JsonObject]]
) -> Iterator[tuple[str, JsonObject]]:
    """Yield the pages of the edges of an entity, given by name, as (`_id`, body)."""
    owner = owner_ids(entity)
    for name, edges in items.items():
        for number, start in enumerate(range(0, len(edges), EDGE_PAGE_SIZE)):
            page = edges[start : start + EDGE_PAGE_SIZE]
            body = {
                "doc": EDGES,
                "owner": owner,
                "edge": name,
                "of": entity.id,
                "number": number,
                "targets": [item["id"] for item in page],
                "page": {"entity": card, "total": len(edges), "items": page},
            }
            yield edge_page_id(entity.id, name, number), body
