"""The size of the graph, and what changed in the live release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schema.json_types import JsonObject
    from schema.vocabulary import Vocabulary


def graph_summary(
    vocabulary: Vocabulary, counts: Mapping[str, Mapping[str, int]], examples: Mapping[str, str]
) -> JsonObject:
    """Return the types and edges with their counts, and a working example request for each that is not empty."""
    types = [
        {
            "name": name,
            "description": type_.description,
            "total": counts["types"].get(name, 0),
            "example": f"/{name}?limit=5",
        }
        for name, type_ in vocabulary.types.items()
    ]
    edges = [
        {
            "name": edge.name,
            "inverse": edge.inverse,
            "label": edge.label,
            "direction": edge.direction,
            "pairs": [list(pair) for pair in edge.pairs],
            "total": counts["edges"].get(edge.name, 0),
            "example": _example(edge.name, examples.get(edge.name)),
        }
        for edge in vocabulary.edges.values()
    ]
    totals = {"entities": sum(counts["types"].values()), "edges": sum(counts["edges"].values()) // 2}
    return {"types": types, "edges": edges, "totals": totals}


def graph_changes(document: Mapping[str, Any] | None, rules: Mapping[str, Any] | None) -> JsonObject:
    """Return the changes since the previous release; none if the release has no record of them."""
    empty: JsonObject = {
        "types": [],
        "edges": [],
        "totals": {"entities": 0, "edges": 0},
        "entities": [],
        "relations": [],
    }
    return {"since": None, **empty, **(document["changes"] if document else {}), "rules": rules}


def _example(edge: str, start: str | None) -> str | None:
    if start is None:
        return None
    kind, _, key = start.partition(":")
    return f"/{kind}/{key}/neighbors?edge={edge}&limit=5"
