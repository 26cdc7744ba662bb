"""Where a solution is used, and under which categories a condition or limitation falls. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.schema import SEPARATOR

if TYPE_CHECKING:
    from indexer.graph import Graph
    from indexer.rows import Entity

Document = dict[str, Any]


def settings_of(entity: Entity) -> list[str]:
    """Where a solution is used: work, school, testing; empty for other types."""
    return entity.facts["settings"].split(SEPARATOR) if entity.facts.get("settings") else []


def groupings_of(graph: Graph, entity: Entity) -> Document:
    """The part of a record that names the categories, each with the list of all that fall under it; else nothing."""
    found = [
        {
            "scheme": member.grouping.scheme,
            "name": member.grouping.name,
            "says": member.grouping.short,
            "basis": member.basis,
            "note": member.note or None,
            "sources": list(member.sources),
            "url": f"/{entity.type}?grouping={member.grouping.slug}",
        }
        for member in graph.groupings.get(entity.id, ())
    ]
    return {"groupings": found} if found else {}
