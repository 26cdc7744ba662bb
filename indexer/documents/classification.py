"""Settings of a solution and groupings of a condition or limitation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.content.datapackage_schema import SEPARATOR

if TYPE_CHECKING:
    from indexer.content.rows import Entity
    from indexer.graph.model import Graph
    from schema.json_types import JsonObject

NEED_TYPES = ("limitation", "workrelatedfunction")


def solution_settings(entity: Entity) -> list[str]:
    """Return where a solution is used: work, school, testing; empty for other types."""
    return entity.facts["settings"].split(SEPARATOR) if entity.facts.get("settings") else []


def groupings(graph: Graph, entity: Entity) -> JsonObject:
    """Return the `groupings` of a record, each with the URL of its members; an empty object if it has none."""
    members = [
        {
            "scheme": member.grouping.scheme,
            "name": member.grouping.name,
            "description": member.grouping.short,
            "basis": member.basis,
            "note": member.note or None,
            "sources": list(member.sources),
            "url": f"/{entity.type}?grouping={member.grouping.slug}",
        }
        for member in graph.groupings.get(entity.id, ())
    ]
    return {"groupings": members} if members else {}
