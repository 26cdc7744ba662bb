"""What narrower conditions take from the main conditions above them. Pure.

A narrower condition has no lists of its own. Its `speakers` are the main conditions met first on every way up, without
those that stand above another of them. One document for each main condition holds what it hands down, cut short, so
that thousands of heirs need not repeat it; an heir names its speakers and how much there is in all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.shapes import MAIN, NARROWER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.graph import Graph
    from indexer.rows import Entity

Document = dict[str, Any]
HANDED_DOWN = ("has_limitation", "affects", "recommends")


def kind_of(entity: Entity) -> str:
    """`main` or `narrower` for a condition, nothing for any other entity."""
    return entity.facts.get("kind", MAIN) if entity.type == "disability" else ""


def is_narrower(entity: Entity) -> bool:
    """Whether this is a condition without lists of its own."""
    return kind_of(entity) == NARROWER


def speakers(graph: Graph, node: str) -> tuple[str, ...]:
    """The main conditions that speak for a narrower one, by name; none for any other entity."""
    if not is_narrower(graph.nodes[node]):
        return ()
    found: dict[str, None] = {}
    seen, level = {node}, [node]
    while level:
        above = dict.fromkeys(edge.target for one in level for edge in graph.of(one, "broader"))
        found.update(dict.fromkeys(one for one in above if not is_narrower(graph.nodes[one])))
        level = [one for one in above if is_narrower(graph.nodes[one]) and one not in seen]
        seen.update(level)
    nearest = [one for one in found if not any(one in _above(graph, other) for other in found)]
    return tuple(sorted(nearest, key=lambda one: (graph.nodes[one].name.casefold(), one)))


def _above(graph: Graph, node: str) -> set[str]:
    found: set[str] = set()
    level = [node]
    while level:
        level = [edge.target for one in level for edge in graph.of(one, "broader") if edge.target not in found]
        found.update(level)
    return found


def inheritance(graph: Graph, node: str, cards: Mapping[str, Document]) -> Document | None:
    """Whom a narrower condition inherits from, and how much of each edge in all; None for any other entity."""
    found = speakers(graph, node)
    if not found:
        return None
    return {
        "from": [cards[one] | {"totals": {name: len(graph.of(one, name)) for name in HANDED_DOWN}} for one in found],
        "totals": {name: len({edge.target for one in found for edge in graph.of(one, name)}) for name in HANDED_DOWN},
    }


def heirlooms(main: Mapping[str, Any], most: int) -> Document:
    """What a main condition hands down, from its record: the first of its edges, and of the solutions of each idea."""
    return {
        "edges": [group for group in main["edges"] if group["name"] in HANDED_DOWN],
        "ideas": [
            {**idea, "total": len(idea["solutions"]), "solutions": idea["solutions"][:most]}
            for idea in main["accommodation_ideas"]
        ],
        "sources": main["sources"],
    }


def popularity(graph: Graph, node: str) -> int:
    """How many edges an entity has, one more than none; those to and from narrower conditions say nothing of it."""
    if is_narrower(graph.nodes[node]):
        return 1
    heirs = sum(is_narrower(graph.nodes[edge.target]) for edge in graph.of(node, "narrower"))
    return graph.degree(node) - heirs + 1
