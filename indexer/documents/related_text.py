"""Names of neighbors that make an entity findable by what it is for.

A solution matches the limitations and functions it is listed for ("mouse for shaky hands"), a product its solutions, a
vendor what it sells ("vendors of braille displays"), a condition its groupings ("other health impairment"). Names that
would match too much count only beside a type word ("conditions that cause fatigue").
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from indexer.graph.model import NEED_TYPES, alias_groups, is_narrower
from schema.entity_kinds import WORK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.content.rows import Entity
    from indexer.graph.model import Graph

MAX_NEEDS = 6  # the needs under which a solution is listed most; more would make "flexible schedule" match everything
MIN_LISTING_SHARE = 0.5  # of the pages with that need
STATED_EDGES = {
    "disability": ("has_limitation", "affects"),
    "limitation": ("limitation_of",),
    "workrelatedfunction": ("affected_by",),
}
MIN_LIMITED_ABILITIES = 1.0  # sum of the weights over required abilities: standing needs two of four


def context_names(graph: Graph, entity: Entity) -> list[str]:
    """Return the names of an entity's nearest neighbors without repetition, nearest first."""
    return list(dict.fromkeys(_context_names(graph, entity)))


def _context_names(graph: Graph, entity: Entity) -> Iterator[str]:
    if entity.type == "solution":
        for need in _usual_needs(graph, entity)[:MAX_NEEDS]:
            yield from _names(graph, need)
    elif entity.type in ("disability", "limitation"):
        for member in graph.groupings.get(entity.id, ()):
            yield from (member.grouping.name, *member.grouping.aliases)
    elif entity.type == "product":
        for edge in graph.edges_named(entity.id, "implements"):
            yield from _names(graph, edge.target)
    elif entity.type == "vendor":
        for edge in graph.edges_named(entity.id, "sells"):
            product = graph.nodes[edge.target]
            yield product.facts.get("category", "")
            yield from (graph.nodes[solution.target].name for solution in graph.edges_named(edge.target, "implements"))


def _usual_needs(graph: Graph, solution: Entity) -> list[str]:
    """Return the needs for which a solution is usual at work; for a solution only for school, all of its few needs."""
    needs = [
        edge
        for edge in graph.edges_named(solution.id, "recommended_for")
        if graph.nodes[edge.target].type in NEED_TYPES and edge.basis != "inherited"
    ]
    if WORK not in solution.facts.get("settings", WORK):
        return [edge.target for edge in needs]
    at_work = [edge for edge in needs if not graph.school.is_only_for_school(edge.target, solution.id, graph.listings)]
    return [edge.target for edge in at_work[:MAX_NEEDS] if edge.weight >= MIN_LISTING_SHARE]


def neighbor_names(graph: Graph, entity: Entity) -> list[str]:
    """Return the names of neighbors that count only beside a type word: alone they would match almost any query.

    For a vendor its products and their solutions ("who sells hearing loops"), for a condition its limitations
    ("conditions that cause fatigue"), for a limitation or function its conditions ("limitations of arthritis"), for an
    occupation what it requires ("jobs that require standing").
    """
    if entity.type == "occupation":
        return sorted(graph.nodes[node].name for node in _requirements(graph, entity.id))
    return sorted({name for node in _neighbors(graph, entity) for name in _names(graph, node)})


def _neighbors(graph: Graph, entity: Entity) -> Iterator[str]:
    if entity.type == "vendor":
        for edge in graph.edges_named(entity.id, "sells"):
            yield edge.target
            yield from (solution.target for solution in graph.edges_named(edge.target, "implements"))
    elif not is_narrower(entity):  # these match only by their names, and thousands inherit the same limitations
        for name in STATED_EDGES.get(entity.type, ()):
            targets = (edge.target for edge in graph.edges_named(entity.id, name) if edge.basis != "inherited")
            yield from (target for target in targets if not is_narrower(graph.nodes[target]))


def _requirements(graph: Graph, occupation: str) -> set[str]:
    """Return the abilities that an occupation requires, and the limitations that limit several of them."""
    abilities = {edge.target for edge in graph.edges_named(occupation, "requires")}
    limited: defaultdict[str, float] = defaultdict(float)
    for ability in abilities:
        for edge in graph.edges_named(ability, "limited_by"):
            limited[edge.target] += edge.weight
    return abilities | {limitation for limitation, weight in limited.items() if weight >= MIN_LIMITED_ABILITIES}


def _names(graph: Graph, node: str) -> Iterator[str]:
    """Yield the name and the aliases of an entity."""
    yield graph.nodes[node].name
    yield from (alias.text for alias in alias_groups(graph, node).shown)
