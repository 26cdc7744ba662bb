"""What narrow conditions take from the ones above them that speak for them. Pure.

A narrower condition has no lists of its own. Its `speakers` are the main conditions met first on every way up, without
those that stand above another of them. One document for each of these holds what it hands down, cut short, so that
thousands of heirs need not repeat it; an heir names its speakers and how much there is in all.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.shapes import MAIN, NARROWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.graph import Graph
    from indexer.rows import Entity

Document = dict[str, Any]
HANDED_DOWN = ("has_limitation", "affects", "recommends")
HANDED_ON = 3  # solutions of each idea that an heir's record shows; its speaker's record has all


@dataclass(frozen=True, slots=True)
class Legacy:
    """Whom heirs inherit from and how much of each edge (`owners`), and all that these lead to, each once."""

    owners: Sequence[Document]
    targets: Mapping[str, Sequence[str]]


def kind_of(entity: Entity) -> str:
    """`main` or `narrower` for a condition, nothing for any other entity."""
    return entity.facts.get("kind", MAIN) if entity.type == "disability" else ""


def is_narrower(entity: Entity) -> bool:
    """Whether this is a condition without lists of its own."""
    return kind_of(entity) == NARROWER


def in_order(entities: Iterable[Entity]) -> list[Entity]:
    """Entities as lists show them: by name, narrower conditions last."""
    return sorted(entities, key=lambda one: (is_narrower(one), one.name.casefold(), one.id))


def all_speakers(graph: Graph) -> dict[str, tuple[str, ...]]:
    """`speakers` of every entity that has any."""
    if not graph.speaking:
        found = {node: speakers(graph, node) for node, entity in graph.nodes.items() if entity.type == "disability"}
        graph.speaking.update({node: speaking for node, speaking in found.items() if speaking})
    return graph.speaking


def heirs(speaking: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """For each condition that speaks for others, these."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for heir, several in speaking.items():
        for one in several:
            found[one].append(heir)
    return dict(found)


def speakers(graph: Graph, node: str) -> tuple[str, ...]:
    """The conditions that speak for one of which nothing is stated, by name; none where something is, or nobody can."""
    if not is_narrower(graph.nodes[node]):
        return _nearest_with_lists(graph, node)
    found: dict[str, None] = {}
    seen, level = {node}, [node]
    while level:
        above = dict.fromkeys(edge.target for one in level for edge in graph.of(one, "broader"))
        for one in above:
            if not is_narrower(graph.nodes[one]):
                found.update(dict.fromkeys(_nearest_with_lists(graph, one) or (one,)))
        level = [one for one in above if is_narrower(graph.nodes[one]) and one not in seen]
        seen.update(level)
    higher = {above for one in found for level in graph.kin.above(one) for above in level}
    return tuple(sorted(found.keys() - higher, key=lambda one: (graph.nodes[one].name.casefold(), one)))


def _nearest_with_lists(graph: Graph, node: str) -> tuple[str, ...]:
    """The broader condition that speaks for a main one of which nothing is stated."""
    if not graph.silent(node) or node in graph.school.stated:
        return ()
    relatives = graph.kin.relatives(node, graph.listings.by_disability)
    return tuple(one.node for one in relatives if one.relation == "broader")[:1]


def legacy(graph: Graph, speaking: tuple[str, ...]) -> Legacy:
    """What these speakers hand down together. Thousands of heirs have few sets of speakers."""
    found = {
        name: list(dict.fromkeys(edge.target for one in speaking for edge in graph.of(one, name)))
        for name in HANDED_DOWN
    }
    owners = [
        {
            "id": one,
            "name": graph.nodes[one].name,
            "relation": "broader",
            "totals": {name: len(graph.of(one, name)) for name in HANDED_DOWN},
        }
        for one in speaking
    ]
    return Legacy(owners, {name: targets for name, targets in found.items() if targets})


def heirlooms(main: Mapping[str, Any]) -> Document:
    """What a condition hands down, from its record: the first of its edges, and of the solutions of each idea."""
    return {
        "doc": "heirlooms",
        "heirlooms": {
            "edges": [group for group in main["edges"] if group["name"] in HANDED_DOWN],
            "ideas": [
                {**idea, "total": len(idea["solutions"]), "solutions": idea["solutions"][:HANDED_ON]}
                for idea in main["accommodation_ideas"]
            ],
            "sources": main["sources"],
        },
    }


def popularity(graph: Graph, node: str) -> int:
    """How many edges an entity has, one more than none; those to and from narrower conditions say nothing of it."""
    if is_narrower(graph.nodes[node]):
        return 1
    narrower = sum(is_narrower(graph.nodes[edge.target]) for edge in graph.of(node, "narrower"))
    return graph.degree(node) - narrower + 1
