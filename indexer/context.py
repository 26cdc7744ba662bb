"""The words of what an entity is joined to, so that it is found by what it is for. Pure.

A solution is found by the limitations and functions it answers ("mouse for shaky hands"), a product by the solutions it
puts into practice, a vendor by what it sells ("vendors of braille displays"), a condition by the categories it falls
under ("other health impairment").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.other_names import other_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.graph import Graph
    from indexer.rows import Entity

NEEDS = 6  # the needs under which a solution is listed most; more would make "flexible schedule" match everything
USUAL = 0.5  # and only where at least half of the pages with that need list it
HEADINGS = ("limitation", "workrelatedfunction")


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


def sold(graph: Graph, entity: Entity) -> list[str]:
    """What a vendor sells, by the other names of the solutions that it serves: "who sells hearing loops".

    They count beside a type word only: a firm's hundreds of them would go with almost any words.
    """
    if entity.type != "vendor":
        return []
    served = {
        solution.target for edge in graph.of(entity.id, "sells") for solution in graph.of(edge.target, "implements")
    }
    return sorted({name for solution in served for name in names_of(graph, solution)})


def names_of(graph: Graph, node: str) -> Iterator[str]:
    """The name of an entity and its other names."""
    yield graph.nodes[node].name
    yield from (alias.text for alias in other_names(graph, node).shown)
