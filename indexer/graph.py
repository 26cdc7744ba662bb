"""Rows become nodes and edges: merged, weighed, and seen from both ends. Pure.

What each weight means (all are in (0, 1]):

* `has_limitation`, `affects`: the share of a condition's listed solutions that stand under this heading.
* `recommends` from a limitation or function: the share of the condition pages with this heading that list the solution.
* `recommends` from a condition: how much of what the condition brings this solution answers, as `needs.strengths`
  counts it, divided by the condition's own best solution.
* `recommends` that is inherited: the mean over the kinds of what has no lists of its own.
* `implemented_by`: 1 for assistive technology, less for goods that were not made for accommodation.
* `requires`: O*NET importance divided by its maximum, 5. `related_occupation`: by O*NET's rank, 1 to 20.
* `limits`: the editors' strength. Everything else: 1.

An occupation whose O*NET code has a detail (15-1299.08) is a kind of the one without (15-1299.00).

What is stated for school and testing makes `recommends` edges too, weighed as `school` counts it. Where a solution is
listed for work as well, it adds facts to that edge, and changes neither its weight nor its sources.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.guidance import Guidance
from indexer.heirs import in_order
from indexer.kin import Kin
from indexer.needs import Listings, strengths
from indexer.rows import NO_FACTS
from indexer.school import School

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from indexer.other_names import OtherNames
    from indexer.rows import Alias, Content, Entity, Finding, FirstChoice, Member, Rating, RelatedOccupation, Source
    from indexer.school import Statement
    from indexer.vocabulary import Vocabulary

STATED = ("has_limitation", "affects")
REQUIRED_FROM = 3.0  # O*NET importance "important"; 16,806 of 46,488 ratings reach it
IMPORTANCE_MAX = 5.0
RELATED_MAX = 20  # O*NET names up to 20 related occupations
LEAST_WEIGHT = 0.01  # a stated relation is never weightless
Strengths = Mapping[str, Mapping[str, float]]  # [condition, limitation or function][solution], from 0 to 1
FAMILY_WEIGHT = {"assistive": 1.0, "ergonomic": 0.8, "protective": 0.7, "mainstream": 0.5}


class Edge(NamedTuple):
    """One directed relation. `facts` carries what only its kind has (`via`, `importance`, `tier` …)."""

    name: str
    source: str
    target: str
    weight: float
    basis: str
    sources: tuple[str, ...]
    facts: Mapping[str, Any] = NO_FACTS


@dataclass(frozen=True, slots=True)
class Graph:
    """`edges[id][edge name]` is sorted best first: weight, main before narrower conditions, name of the target, id.

    `names` and `speaking` keep what `other_names` and `heirs.all_speakers` have worked out, for they are asked often.
    """

    nodes: Mapping[str, Entity]
    aliases: Mapping[str, tuple[Alias, ...]]
    edges: Mapping[str, Mapping[str, tuple[Edge, ...]]]
    sources: Mapping[str, Source]
    redirects: Mapping[str, str]
    listings: Listings
    version: str
    findings: Mapping[str, Finding] = field(default_factory=dict)
    kin: Kin = field(default_factory=lambda: Kin({}, {}, {}))
    guidance: Guidance = field(default_factory=Guidance)
    school: School = field(default_factory=School)
    groupings: Mapping[str, tuple[Member, ...]] = field(default_factory=dict)
    first_choices: tuple[FirstChoice, ...] = ()
    names: dict[str, OtherNames] = field(init=False, repr=False, compare=False, default_factory=dict)
    speaking: dict[str, tuple[str, ...]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def of(self, node: str, name: str) -> tuple[Edge, ...]:
        """The edges called `name` that leave `node`, best first."""
        return self.edges.get(node, {}).get(name, ())

    def silent(self, condition: str) -> bool:
        """Whether nothing is stated of a condition itself: no solution, no limitation and no function."""
        stated = (edge for name in STATED for edge in self.of(condition, name))
        return condition not in self.listings.by_disability and all(edge.basis == "inherited" for edge in stated)

    def degree(self, node: str) -> int:
        """How many edges leave `node`."""
        return sum(len(edges) for edges in self.edges.get(node, {}).values())


def build_graph(content: Content, vocabulary: Vocabulary) -> Graph:
    """Merge all tables into one graph in which every edge has its inverse."""
    nodes = {entity.id: entity for entity in content.entities}
    listings = Listings.of(content.recommendations)
    modifications = (node for node, entity in nodes.items() if "modification" in entity.facts.get("kind", ""))
    school = School.of(content.school, content.links, modifications)
    kin, guidance = Kin.of(content.links), Guidance.of(content)
    strong = strengths(listings)
    stated = [*_plain(content, nodes, listings, guidance), *_work(content, nodes)]
    speaking = strong.keys() | {edge.source for edge in stated if edge.name in STATED}
    listed = [*_recommends(listings, strong), *_inherited(nodes, listings, strong, kin, speaking)]
    forward = [*stated, *_tried_first(_at_school(listed, school), guidance)]
    aliases: defaultdict[str, list[Alias]] = defaultdict(list)
    for alias in content.aliases:
        aliases[alias.entity].append(alias)
    groupings: defaultdict[str, list[Member]] = defaultdict(list)
    for member in content.members:
        groupings[member.entity].append(member)
    return Graph(
        nodes=nodes,
        aliases={node: tuple(found) for node, found in aliases.items()},
        edges=_both_ends(_merged(forward), vocabulary, nodes),
        sources={source.id: source for source in content.sources},
        redirects=dict(content.redirects),
        listings=listings,
        version=content.version,
        findings={row.entity: row for row in content.findings},
        kin=kin,
        guidance=guidance,
        school=school,
        groupings={node: tuple(found) for node, found in groupings.items()},
        first_choices=content.first_choices,
    )


def _plain(content: Content, nodes: Mapping[str, Entity], listings: Listings, guidance: Guidance) -> Iterator[Edge]:
    for link in content.links:
        weight = link.weight
        if weight is None and link.edge in STATED and link.basis != "editorial":
            weight = listings.share(link.source, link.target)
        elif weight is None and link.edge == "implemented_by":
            weight = FAMILY_WEIGHT[nodes[link.target].facts["family"]]
        facts: dict[str, Any] = {"reason": link.reason} if link.reason else {}
        if link.edge in STATED and link.target in guidance.main.get(link.source, ()):
            facts["main"] = True
        yield Edge(link.edge, link.source, link.target, _bounded(weight), link.basis, link.sources, facts)


def _inherited(
    nodes: Mapping[str, Entity], listings: Listings, strong: Strengths, kin: Kin, speaking: Container[str]
) -> Iterator[Edge]:
    """What broad entities without lists of their own have from their kinds: the mean of the kinds' weights.

    Nothing is written for narrow ones: there may be thousands, and the broader one that speaks for them has it all.
    """
    for node, entity in nodes.items():
        if entity.type == "limitation" and node not in listings.rates:
            yield from _from_kinds(node, kin.kinds(node, listings.rates), listings.rates, listings)
        elif entity.type == "disability" and node not in speaking:
            yield from _from_kinds(node, kin.kinds(node, strong), strong, listings)


def _from_kinds(node: str, kinds: Sequence[str], weights: Strengths, listings: Listings) -> Iterator[Edge]:
    for solution in dict.fromkeys(solution for kind in kinds for solution in weights[kind]):
        having = tuple(kind for kind in kinds if solution in weights[kind])
        weight = sum(weights[kind][solution] for kind in having) / len(kinds)
        sources = dict.fromkeys(source for kind in having for source in listings.sources_of(kind, solution))
        yield Edge("recommends", node, solution, _bounded(weight), "inherited", tuple(sources), {"via": having})


def _recommends(listings: Listings, strong: Strengths) -> Iterator[Edge]:
    for disability, solutions in strong.items():
        for solution, strength in solutions.items():
            under = tuple(sorted({row.via for row in listings.rows(disability, solution)}))
            sources = listings.sources_of(disability, solution)
            yield Edge("recommends", disability, solution, _bounded(strength), "source", sources, {"via": under})
    for via, rated in listings.rates.items():
        for solution, rate in rated.items():
            facts = {"pages": listings.pages[via, solution]}
            sources = listings.sources_of(via, solution)
            yield Edge("recommends", via, solution, _bounded(rate), "source", sources, facts)


def _tried_first(listed: Iterable[Edge], guidance: Guidance) -> Iterator[Edge]:
    """The same edges, those with a fact more of which the editors say something."""
    for edge in listed:
        whole = guidance.whole.get(edge.source, {}).get(edge.target)
        strength = guidance.first.get((edge.source, edge.target), whole)
        yield edge if strength is None else edge._replace(facts={**edge.facts, "first_choice": strength})


def _at_school(listed: Iterable[Edge], school: School) -> Iterator[Edge]:
    """What is named for school beside what is listed for work: facts of the same edge, or an edge of its own."""
    seen = set()
    for edge in listed:
        seen.add((edge.source, edge.target))
        told = school.stated.get(edge.source, {}).get(edge.target)
        yield edge._replace(facts={**edge.facts, **_named(told)}) if told else edge
    for entity, solutions in school.stated.items():
        for solution, told in solutions.items():
            if (entity, solution) not in seen:
                weight = _bounded(told.weight)
                yield Edge("recommends", entity, solution, weight, told.basis, told.sources, _named(told))


def _named(told: Statement) -> dict[str, Any]:
    facts = {"school_basis": told.basis, "school_sources": told.sources, "read_at": told.read_at}
    return {name: value for name, value in facts.items() if value}


def _work(content: Content, nodes: Mapping[str, Entity]) -> Iterator[Edge]:
    for node, entity in nodes.items():
        if entity.type == "occupation" and (group := group_of(node)) in nodes:
            yield Edge("broader", node, group, 1.0, "derived", entity.sources)
    for rating in content.ratings:
        if rating.importance >= REQUIRED_FROM:
            yield _requires(rating)
    for row in content.related_occupations:
        yield _related(row)


def group_of(occupation: str) -> str:
    """The occupation of which one is a detail, by its code: 15-1299.08 of 15-1299.00; empty for one that is none."""
    head, _, detail = occupation.rpartition(".")
    return f"{head}.00" if detail != "00" else ""


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
        seen[key] = best._replace(sources=sources)
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
    places = {entity.id: place for place, entity in enumerate(in_order(nodes.values()))}

    def best_first(edge: Edge) -> tuple[float, int]:
        return -edge.weight, places[edge.target]

    return {
        node: {name: tuple(sorted(by_name[name], key=best_first)) for name in sorted(by_name, key=order.index)}
        for node, by_name in collected.items()
    }
