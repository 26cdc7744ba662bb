"""The graph as data: edges, and everything that the content states about its entities."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.content.rows import NO_FACTS
from indexer.graph.editorial import EditorialChoices
from indexer.graph.hierarchy import Hierarchy
from indexer.graph.school import School
from schema.entity_kinds import MAIN, NARROWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indexer.content.rows import Alias, Entity, Finding, FirstChoice, GroupingMember, Source
    from indexer.graph.needs import Listings

STATED = ("has_limitation", "affects")


class Edge(NamedTuple):
    """One directed relation. `facts` has what only its kind has (`via`, `importance`, `tier` …)."""

    name: str
    source: str
    target: str
    weight: float
    basis: str
    sources: tuple[str, ...]
    facts: Mapping[str, Any] = NO_FACTS


@dataclass(frozen=True, slots=True)
class AliasGroups:
    """The aliases of one entity by how they match, each group as `indexer.graph.aliases` makes them."""

    shown: tuple[Alias, ...]
    exact: tuple[str, ...]
    short: tuple[str, ...]
    hidden: tuple[str, ...]
    near: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """`edges[id][edge name]` is sorted best first: weight, main before narrower conditions, name of the target, id.

    `alias_groups` and `inheritance_sources` cache what `aliases` and `inheritance` compute.
    """

    nodes: Mapping[str, Entity]
    aliases: Mapping[str, tuple[Alias, ...]]
    edges: Mapping[str, Mapping[str, tuple[Edge, ...]]]
    sources: Mapping[str, Source]
    redirects: Mapping[str, str]
    listings: Listings
    version: str
    findings: Mapping[str, Finding] = field(default_factory=dict)
    hierarchy: Hierarchy = field(default_factory=lambda: Hierarchy({}, {}, {}))
    editorial: EditorialChoices = field(default_factory=EditorialChoices)
    school: School = field(default_factory=School)
    groupings: Mapping[str, tuple[GroupingMember, ...]] = field(default_factory=dict)
    first_choices: tuple[FirstChoice, ...] = ()
    alias_groups: dict[str, AliasGroups] = field(init=False, repr=False, compare=False, default_factory=dict)
    inheritance_sources: dict[str, tuple[str, ...]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def edges_named(self, node: str, name: str) -> tuple[Edge, ...]:
        """Return the edges called `name` that leave `node`, best first."""
        return self.edges.get(node, {}).get(name, ())

    def has_no_statements(self, condition: str) -> bool:
        """Return whether the tables state no solution, limitation or function of a condition itself."""
        stated = (edge for name in STATED for edge in self.edges_named(condition, name))
        return condition not in self.listings.by_disability and all(edge.basis == "inherited" for edge in stated)

    def degree(self, node: str) -> int:
        """Return how many edges leave `node`."""
        return sum(len(edges) for edges in self.edges.get(node, {}).values())


def kind_of(entity: Entity) -> str:
    """Return `main` or `narrower` for a condition, an empty string for any other entity."""
    return entity.facts.get("kind", MAIN) if entity.type == "disability" else ""


def is_narrower(entity: Entity) -> bool:
    """Return whether this is a narrower condition, which has no lists of its own."""
    return kind_of(entity) == NARROWER


def sorted_entities(entities: Iterable[Entity]) -> list[Entity]:
    """Sort entities as lists show them: by name, narrower conditions last."""
    return sorted(entities, key=lambda entity: (is_narrower(entity), entity.name.casefold(), entity.id))


def popularity(graph: Graph, node: str) -> int:
    """Return 1 + the number of edges of an entity, without those to and from narrower conditions."""
    if is_narrower(graph.nodes[node]):
        return 1
    narrower = sum(is_narrower(graph.nodes[edge.target]) for edge in graph.edges_named(node, "narrower"))
    return graph.degree(node) - narrower + 1
