"""Rows become nodes and edges: merged, weighed, and seen from both ends. Pure.

What each weight means (all are in (0, 1]):

* `has_limitation`, `affects`: the share of a condition's listed solutions that stand under this heading.
* `recommends` from a limitation or function: the share of the condition pages with this heading that list the solution.
* `recommends` from a condition: how much of what the condition brings this solution answers, as `needs.strengths`
  counts it, divided by the condition's own best solution.
* `implemented_by`: 1 for assistive technology, less for goods that were not made for accommodation.
* `requires`: O*NET importance divided by its maximum, 5. `related_occupation`: by O*NET's rank, 1 to 20.
* `limits`: the editors' strength. Everything else: 1.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indexer.needs import Listings, strengths
from indexer.shapes import NARROWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from indexer.rows import Alias, Content, Entity, Rating, RelatedOccupation, Source
    from indexer.vocabulary import Vocabulary

REQUIRED_FROM = 3.0  # O*NET importance "important"; 16,806 of 46,488 ratings reach it
IMPORTANCE_MAX = 5.0
RELATED_MAX = 20  # O*NET names up to 20 related occupations
LEAST_WEIGHT = 0.01  # a stated relation is never weightless
FAMILY_WEIGHT = {"assistive": 1.0, "ergonomic": 0.8, "protective": 0.7, "mainstream": 0.5}


@dataclass(frozen=True, slots=True)
class Edge:
    """One directed relation. `facts` carries what only its kind has (`via`, `importance`, `tier` …)."""

    name: str
    source: str
    target: str
    weight: float
    basis: str
    sources: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Graph:
    """`edges[id][edge name]` is sorted best first: weight, main before narrower conditions, name of the target, id."""

    nodes: Mapping[str, Entity]
    aliases: Mapping[str, tuple[Alias, ...]]
    edges: Mapping[str, Mapping[str, tuple[Edge, ...]]]
    sources: Mapping[str, Source]
    redirects: Mapping[str, str]
    listings: Listings
    version: str

    def of(self, node: str, name: str) -> tuple[Edge, ...]:
        """The edges called `name` that leave `node`, best first."""
        return self.edges.get(node, {}).get(name, ())

    def degree(self, node: str) -> int:
        """How many edges leave `node`."""
        return sum(len(edges) for edges in self.edges.get(node, {}).values())


def build_graph(content: Content, vocabulary: Vocabulary) -> Graph:
    """Merge all tables into one graph in which every edge has its inverse."""
    nodes = {entity.id: entity for entity in content.entities}
    listings = Listings.of(content.recommendations)
    forward = [*_plain(content, nodes, listings), *_recommends(listings), *_work(content)]
    aliases: defaultdict[str, list[Alias]] = defaultdict(list)
    for alias in content.aliases:
        aliases[alias.entity].append(alias)
    return Graph(
        nodes=nodes,
        aliases={node: tuple(found) for node, found in aliases.items()},
        edges=_both_ends(_merged(forward), vocabulary, nodes),
        sources={source.id: source for source in content.sources},
        redirects=dict(content.redirects),
        listings=listings,
        version=content.version,
    )


def _plain(content: Content, nodes: Mapping[str, Entity], listings: Listings) -> Iterator[Edge]:
    for link in content.links:
        weight = link.weight
        if weight is None and link.edge in ("has_limitation", "affects"):
            weight = listings.share(link.source, link.target)
        elif weight is None and link.edge == "implemented_by":
            weight = FAMILY_WEIGHT[nodes[link.target].facts["family"]]
        facts = {"reason": link.reason} if link.reason else {}
        yield Edge(link.edge, link.source, link.target, _bounded(weight), link.basis, link.sources, facts)


def _recommends(listings: Listings) -> Iterator[Edge]:
    for disability, solutions in strengths(listings).items():
        for solution, strength in solutions.items():
            rows = listings.rows(disability, solution)
            under = tuple(sorted({row.via for row in rows}))
            sources = tuple(dict.fromkeys(source for row in rows for source in row.sources))
            yield Edge("recommends", disability, solution, _bounded(strength), "source", sources, {"via": under})
    for via, rated in listings.rates.items():
        for solution, rate in rated.items():
            pages = listings.pages[via, solution]
            sources = listings.via_sources[via, solution]
            yield Edge("recommends", via, solution, _bounded(rate), "source", sources, {"pages": pages})


def _work(content: Content) -> Iterator[Edge]:
    for rating in content.ratings:
        if rating.importance >= REQUIRED_FROM:
            yield _requires(rating)
    for row in content.related_occupations:
        yield _related(row)


def _requires(rating: Rating) -> Edge:
    facts = {"importance": rating.importance, "level": rating.level}
    weight = _bounded(rating.importance / IMPORTANCE_MAX)
    return Edge("requires", rating.occupation, rating.ability, weight, "source", rating.sources, facts)


def _related(row: RelatedOccupation) -> Edge:
    weight = _bounded((RELATED_MAX + 1 - row.rank) / RELATED_MAX)
    facts = {"tier": row.tier, "rank": row.rank}
    return Edge("related_occupation", row.occupation, row.related, weight, "source", row.sources, facts)


def _bounded(weight: float | None) -> float:
    return 1.0 if weight is None else round(min(1.0, max(LEAST_WEIGHT, weight)), 4)


def _merged(edges: Iterable[Edge]) -> Iterable[Edge]:
    """Make one edge of several statements of the same relation: the strongest, with all their sources."""
    seen: dict[tuple[str, str, str], Edge] = {}
    for edge in edges:
        key = (edge.name, edge.source, edge.target)
        known = seen.get(key)
        if known is None:
            seen[key] = edge
            continue
        best = max(known, edge, key=lambda candidate: candidate.weight)
        sources = tuple(dict.fromkeys(known.sources + edge.sources))
        seen[key] = Edge(best.name, best.source, best.target, best.weight, best.basis, sources, best.facts)
    return seen.values()


def _both_ends(
    forward: Iterable[Edge], vocabulary: Vocabulary, nodes: Mapping[str, Entity]
) -> dict[str, dict[str, tuple[Edge, ...]]]:
    collected: defaultdict[str, defaultdict[str, list[Edge]]] = defaultdict(lambda: defaultdict(list))
    for edge in forward:
        inverse = vocabulary.edges[edge.name].inverse
        back = Edge(inverse, edge.target, edge.source, edge.weight, edge.basis, edge.sources, edge.facts)
        collected[edge.source][edge.name].append(edge)
        collected[edge.target][inverse].append(back)
    order = list(vocabulary.edges)
    return {
        node: {name: tuple(sorted(by_name[name], key=_best_first(nodes))) for name in sorted(by_name, key=order.index)}
        for node, by_name in collected.items()
    }


def _best_first(nodes: Mapping[str, Entity]) -> Any:  # noqa: ANN401 - a sort key is whatever compares
    def key(edge: Edge) -> tuple[float, bool, str, str]:
        target = nodes[edge.target]
        return -edge.weight, target.facts.get("kind") == NARROWER, target.name.casefold(), edge.target

    return key
