"""The words of what an entity is joined to, so that it is found by what it is for. Pure.

A solution is found by the limitations and functions it answers ("mouse for shaky hands"), a product by the solutions it
puts into practice, a vendor by what it sells ("vendors of braille displays"), a condition by the categories it falls
under ("other health impairment"). What would match too much otherwise is read beside a type word only ("conditions
that cause fatigue").
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from indexer.heirs import is_narrower
from indexer.other_names import other_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.graph import Graph
    from indexer.rows import Entity

NEEDS = 6  # the needs under which a solution is listed most; more would make "flexible schedule" match everything
USUAL = 0.5  # and only where at least half of the pages with that need list it
HEADINGS = ("limitation", "workrelatedfunction")
STATED = {
    "disability": ("has_limitation", "affects"),
    "limitation": ("limitation_of",),
    "workrelatedfunction": ("affected_by",),
}
LEANS = 1.0  # what the abilities that an occupation requires take of a need in all: standing asks for two of four


def context(graph: Graph, entity: Entity) -> list[str]:
    """Names that belong to an entity's nearest neighbours, each once, nearest first."""
    return list(dict.fromkeys(_names(graph, entity)))


def _names(graph: Graph, entity: Entity) -> Iterator[str]:
    if entity.type == "solution":
        for need in _needs(graph, entity)[:NEEDS]:
            yield from names_of(graph, need)
    elif entity.type in ("disability", "limitation"):
        for member in graph.groupings.get(entity.id, ()):
            yield from (member.grouping.name, *member.grouping.aliases)
    elif entity.type == "product":
        for edge in graph.of(entity.id, "implements"):
            yield from names_of(graph, edge.target)
    elif entity.type == "vendor":
        for edge in graph.of(entity.id, "sells"):
            product = graph.nodes[edge.target]
            yield product.facts.get("category", "")
            yield from (graph.nodes[solution.target].name for solution in graph.of(edge.target, "implements"))


def _needs(graph: Graph, solution: Entity) -> list[str]:
    """Where a solution is usual at work. One for school alone is named for few needs, and each tells what it is for."""
    needs = [
        edge
        for edge in graph.of(solution.id, "recommended_for")
        if graph.nodes[edge.target].type in HEADINGS and edge.basis != "inherited"
    ]
    if "work" not in solution.facts.get("settings", "work"):
        return [edge.target for edge in needs]
    at_work = [edge for edge in needs if not graph.school.alone(edge.target, solution.id, graph.listings)]
    return [edge.target for edge in at_work[:NEEDS] if edge.weight >= USUAL]


def joined(graph: Graph, entity: Entity) -> list[str]:
    """Names of what an entity is joined to that count beside a type word only: they would go with almost any words.

    For a vendor its products and the solutions that they serve ("who sells hearing loops"), for a condition what it
    brings ("conditions that cause fatigue"), for a limitation or function the conditions that bring it ("limitations
    of arthritis"), for an occupation what it asks of people ("jobs that require standing").
    """
    if entity.type == "occupation":
        return sorted(graph.nodes[node].name for node in _asked_for(graph, entity.id))
    return sorted({name for node in _joined(graph, entity) for name in names_of(graph, node)})


def _joined(graph: Graph, entity: Entity) -> Iterator[str]:
    if entity.type == "vendor":
        for edge in graph.of(entity.id, "sells"):
            yield edge.target
            yield from (solution.target for solution in graph.of(edge.target, "implements"))
    elif not is_narrower(entity):  # those are found by their names, and thousands inherit the same limitations
        for name in STATED.get(entity.type, ()):
            ends = (edge.target for edge in graph.of(entity.id, name) if edge.basis != "inherited")
            yield from (end for end in ends if not is_narrower(graph.nodes[end]))


def _asked_for(graph: Graph, occupation: str) -> set[str]:
    """The abilities that an occupation requires, and what is hard for those who have little of several of them."""
    abilities = {edge.target for edge in graph.of(occupation, "requires")}
    taken: defaultdict[str, float] = defaultdict(float)
    for ability in abilities:
        for need in graph.of(ability, "limited_by"):
            taken[need.target] += need.weight
    return abilities | {need for need, share in taken.items() if share >= LEANS}


def names_of(graph: Graph, node: str) -> Iterator[str]:
    """The name of an entity and its other names."""
    yield graph.nodes[node].name
    yield from (alias.text for alias in other_names(graph, node).shown)
