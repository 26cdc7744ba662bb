"""Finds rows of guidance that change no answer: their solution is never suggested, or they repeat what is inherited."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from indexer.content.guidance_rows import Caution, ConditionSide, Exclusion
from indexer.documents.facts import list_owners
from indexer.graph.inheritance import inheritance_sources_by_condition
from indexer.graph.model import STATED, Graph
from schema.entity_kinds import JOBS

HAD_BY = ("limitation_of", "affected_by")  # from a need to the conditions that have it


class UnusedRow(NamedTuple):
    """A row by its table and its place in it, from 0, and why it changes nothing."""

    table: str
    place: int
    reason: str


def unused_rows(graph: Graph) -> Iterator[UnusedRow]:
    """Yield the rows that change no answer."""
    guidance, suggestions = graph.guidance.guidance, Suggestions(graph)
    for place, side in enumerate(guidance.condition_sides):
        if reason := _unused_side(graph, side, suggestions):
            yield UnusedRow("condition_sides.csv", place, reason)
    tables: dict[str, Sequence[Exclusion | Caution]] = {
        "not_for.csv": guidance.exclusions,
        "cautions.csv": guidance.cautions,
    }
    for table, rows in tables.items():
        for place, row in enumerate(rows):
            if row.solution and not any(suggestions.has(entity, row.solution) for entity in row.concerns):
                yield UnusedRow(table, place, f"{row.solution!r} is not suggested for any of what it concerns")


class Suggestions:
    """The solutions that an answer about a condition or need may have. Any solution may be in one about a job."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._owners = inheritance_sources_by_condition(graph)
        self._found: dict[str, frozenset[str]] = {}

    def has(self, entity: str, solution: str) -> bool:
        """Return whether an answer about an entity, or about a narrower one, may have a solution."""
        return entity.startswith(JOBS) or solution in self.of(entity)

    def of(self, entity: str) -> frozenset[str]:
        """Return all of them, for narrower conditions too; for a need, for the conditions that have it too."""
        if entity not in self._found:
            graph = self._graph
            narrower = [*graph.hierarchy.narrower.get(entity, ())]
            narrower += [edge.target for name in HAD_BY for edge in graph.edges_named(entity, name)]
            self._found[entity] = frozenset(self._listed(entity)).union(*(self.of(node) for node in narrower))
        return self._found[entity]

    def _listed(self, entity: str) -> Iterator[str]:
        graph = self._graph
        for owner in {
            entity,
            *self._owners.get(entity, ()),
            *(one.node for one in list_owners(graph, graph.nodes[entity])),
        }:
            needs = [edge.target for name in STATED for edge in graph.edges_named(owner, name)]
            related = [one.node for need in needs for one in list_owners(graph, graph.nodes[need])]
            for node in (owner, *needs, *related):
                yield from (edge.target for edge in graph.edges_named(node, "recommends"))


def _unused_side(graph: Graph, row: ConditionSide, suggestions: Suggestions) -> str:
    """Return why the side of a condition changes nothing; an empty string if it does."""
    guidance = graph.guidance
    above = [
        other
        for level in graph.hierarchy.ancestors(row.disability)
        for node in level
        for other in guidance.sides_of_condition.get(node, ())
        if guidance.axis(other.side) == guidance.axis(row.side)
    ]
    if any((other.side, other.occurs) != (row.side, row.occurs) for other in above):
        return ""  # it replaces an inherited one
    if above:
        return "it repeats what the condition inherits"
    opposed = (solution for solution in suggestions.of(row.disability) if row.side in guidance.opposed(solution))
    return "" if any(opposed) else f"nothing that is suggested is wrong for {row.side!r}"


def describe(rows: Iterable[UnusedRow], lines: Mapping[str, Sequence[int]]) -> list[str]:
    """Return the rows as problems, with the line of each; `lines` has those of each table."""
    return [f"{row.table}:{lines[row.table][row.place]}: {row.reason}; delete the row" for row in rows]
