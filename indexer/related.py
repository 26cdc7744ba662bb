"""Which conditions are alike: the rarity-weighted overlap of their limitations. Pure.

likeness(a, b) = Σ over what both have ÷ (√(Σ t² over a's · Σ t² over b's) + LITTLE), where
t = ln(1 + conditions ÷ conditions that have the limitation), times MAIN where it is a main one of the condition.

A limitation that both have adds a's t times b's: a shared rare one (seizures) counts far more than a common one
(fatigue), and what both are best known for more than what both can bring too. Two limitations that limit much the same
abilities (deafness and being hard of hearing) add t · t' times their own likeness (`kin`), each at most once, under
the name of what both are kinds of. LITTLE keeps one shared limitation from saying much. Only limitations that are
stated count: what a condition merely inherits would make it its own neighbour.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt
from typing import TYPE_CHECKING

from indexer.kin import AKIN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from indexer.graph import Graph

MOST = 50  # the largest `limit` the API accepts
LITTLE = 3.0  # t² of a limitation that one in five conditions has
MAIN = 1.5  # what the editors call a main need of a condition counts as one that far fewer have

Weights = Mapping[str, float]  # of one condition's limitations


@dataclass(frozen=True, slots=True)
class Likeness:
    """One related condition: `shared` limitations with their share of the score, most telling first."""

    disability: str
    score: float
    shared: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class _Near:
    """Two limitations that are akin: how much, and what both are kinds of."""

    likeness: float
    common: str


def related_conditions(graph: Graph) -> dict[str, list[Likeness]]:
    """For each condition with limitations of its own, the most similar others, best first."""
    has = _own_limitations(graph)
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for disability, limitations in has.items():
        for limitation in limitations:
            owners[limitation].add(disability)
    rarity = {limitation: log(1 + len(has) / len(found)) for limitation, found in owners.items()}
    telling = {disability: _telling(graph, disability, own, rarity) for disability, own in has.items()}
    size = {disability: sum(weight**2 for weight in own.values()) for disability, own in telling.items()}
    near = _akin(graph, owners.keys())
    found: defaultdict[str, list[Likeness]] = defaultdict(list, {disability: [] for disability in has})
    for one, other in combinations(has, 2):
        norm = sqrt(size[one] * size[other]) + LITTLE
        if shared := _shared(telling[one], telling[other], near):
            parts = tuple(sorted(((key, part / norm) for key, part in shared.items()), key=lambda it: (-it[1], it[0])))
            score = sum(part for _, part in parts)
            found[one].append(Likeness(other, score, parts))
            found[other].append(Likeness(one, score, parts))
    for others in found.values():
        others.sort(key=lambda it: (-it.score, graph.nodes[it.disability].name.casefold(), it.disability))
        del others[MOST:]
    return dict(found)


def _own_limitations(graph: Graph) -> dict[str, set[str]]:
    return {
        node: own
        for node, entity in graph.nodes.items()
        if entity.type == "disability"
        and (own := {edge.target for edge in graph.of(node, "has_limitation") if edge.basis != "inherited"})
    }


def _telling(graph: Graph, disability: str, limitations: Collection[str], rarity: Weights) -> Weights:
    main = graph.guidance.main.get(disability, frozenset())
    return {one: rarity[one] * (MAIN if one in main else 1.0) for one in limitations}


def _akin(graph: Graph, limitations: Collection[str]) -> dict[tuple[str, str], _Near]:
    found = {}
    for one, other in combinations(sorted(limitations), 2):
        likeness = graph.kin.likeness(one, other)
        if likeness >= AKIN and (common := graph.kin.common(one, other)):
            found[one, other] = found[other, one] = _Near(likeness, common)
    return found


def _shared(mine: Weights, theirs: Weights, near: Mapping[tuple[str, str], _Near]) -> dict[str, float]:
    """What two conditions share and what it counts: the same limitations, then pairs of akin ones, nearest first."""
    found = {limitation: mine[limitation] * theirs[limitation] for limitation in mine.keys() & theirs.keys()}
    for common, weight in _pairs(mine, theirs, near):
        found[common] = found.get(common, 0.0) + weight
    return found


def _pairs(mine: Weights, theirs: Weights, near: Mapping[tuple[str, str], _Near]) -> Iterator[tuple[str, float]]:
    """Of what only one of them has."""
    alone, others = mine.keys() - theirs.keys(), theirs.keys() - mine.keys()
    pairs = [(one, other) for one in alone for other in others if (one, other) in near]
    weighed = [
        (mine[one] * theirs[other] * near[one, other].likeness, min(one, other), max(one, other))
        for one, other in pairs
    ]
    taken: set[str] = set()
    for weight, one, other in sorted(weighed, key=lambda it: (-it[0], it[1], it[2])):
        if taken.isdisjoint((one, other)):
            taken |= {one, other}
            yield near[one, other].common, weight
