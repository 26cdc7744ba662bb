"""Which conditions are alike: the rarity-weighted overlap of their limitations. Pure.

likeness(a, b) = Σ t² over the limitations both have ÷ √(Σ t² over a's · Σ t² over b's), where
t = ln(1 + conditions ÷ conditions that have the limitation). It is 1 for the same set of limitations, 0 for
none in common, and a shared rare limitation (seizures) counts far more than a common one (fatigue).
Only limitations that a source states count: what a condition merely inherits would make it its own neighbour.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.graph import Graph

MOST = 50  # the largest `limit` the API accepts


@dataclass(frozen=True, slots=True)
class Likeness:
    """One related condition: `shared` limitations with their share of the score, most telling first."""

    disability: str
    score: float
    shared: tuple[tuple[str, float], ...]


def related_conditions(graph: Graph) -> dict[str, list[Likeness]]:
    """For each condition with limitations of its own, the most similar others, best first."""
    has = _own_limitations(graph)
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for disability, limitations in has.items():
        for limitation in limitations:
            owners[limitation].add(disability)
    telling = {limitation: log(1 + len(has) / len(found)) ** 2 for limitation, found in owners.items()}
    size = {disability: sqrt(sum(telling[one] for one in limitations)) for disability, limitations in has.items()}
    found: dict[str, list[Likeness]] = {}
    for disability, limitations in has.items():
        others = {other for limitation in limitations for other in owners[limitation]} - {disability}
        scored = [
            _likeness(other, limitations & has[other], telling, size[disability] * size[other]) for other in others
        ]
        scored.sort(key=lambda one: (-one.score, graph.nodes[one.disability].name.casefold(), one.disability))
        found[disability] = scored[:MOST]
    return found


def _own_limitations(graph: Graph) -> dict[str, set[str]]:
    return {
        node: own
        for node, entity in graph.nodes.items()
        if entity.type == "disability"
        and (own := {edge.target for edge in graph.of(node, "has_limitation") if edge.basis != "inherited"})
    }


def _likeness(other: str, shared: set[str], telling: Mapping[str, float], norm: float) -> Likeness:
    parts = sorted(
        ((limitation, telling[limitation] / norm) for limitation in shared), key=lambda part: (-part[1], part[0])
    )
    return Likeness(other, sum(part for _, part in parts), tuple(parts))
