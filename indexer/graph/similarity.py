"""Related conditions: rarity-weighted cosine similarity of their limitations.

similarity(a, b) = Σ over shared limitations ÷ (√(Σ t² over a's · Σ t² over b's) + DAMPING), where
t = ln(1 + conditions ÷ conditions that have the limitation), times MAIN_NEED_FACTOR for a main need of the condition.

A shared limitation adds a's t times b's: a shared rare one (seizures) counts far more than a common one (fatigue), and
main needs of both count more than occasional ones. Two limitations that limit much the same abilities (deafness and
being hard of hearing) add t · t' times their similarity (`hierarchy`), each at most once, under the name of their
common ancestor. DAMPING keeps a single shared limitation from scoring high. Only stated limitations count: inherited
ones would make a condition its own neighbor.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, combinations
from math import log, sqrt
from typing import NamedTuple

from indexer.graph.hierarchy import SIMILARITY_THRESHOLD
from indexer.graph.model import Graph

MAX_RELATED = 50  # the largest `limit` the API accepts
DAMPING = 3.0  # t² of a limitation that one in five conditions has
MAIN_NEED_FACTOR = 1.5  # a main need counts like a limitation that far fewer conditions have

Weights = Mapping[str, float]  # of one condition's limitations


class SimilarCondition(NamedTuple):
    """One related condition: `shared` limitations with their share of the score, largest first."""

    disability: str
    score: float
    shared: tuple[tuple[str, float], ...]


class _SimilarPair(NamedTuple):
    """Two similar limitations: their similarity and common ancestor."""

    similarity: float
    ancestor: str


def related_conditions(graph: Graph) -> dict[str, list[SimilarCondition]]:
    """Return the most similar conditions of each condition with stated limitations, best first."""
    limitations_of = _stated_limitations(graph)
    conditions_with = Counter(chain.from_iterable(limitations_of.values()))
    rarity = {limitation: log(1 + len(limitations_of) / count) for limitation, count in conditions_with.items()}
    weights = {}
    for node, limitations in limitations_of.items():
        main = graph.editorial.main_needs.get(node, frozenset())
        weights[node] = {key: rarity[key] * (MAIN_NEED_FACTOR if key in main else 1.0) for key in limitations}
    size = {disability: sum(weight**2 for weight in values.values()) for disability, values in weights.items()}
    pairs = _similar_pairs(graph, rarity)
    related: dict[str, list[SimilarCondition]] = {disability: [] for disability in limitations_of}
    for left, right in combinations(limitations_of, 2):
        norm = sqrt(size[left] * size[right]) + DAMPING
        if shared := _shared(weights[left], weights[right], pairs):
            parts = tuple(sorted(((key, part / norm) for key, part in shared.items()), key=lambda it: (-it[1], it[0])))
            score = sum(part for _, part in parts)
            related[left].append(SimilarCondition(right, score, parts))
            related[right].append(SimilarCondition(left, score, parts))
    for similar in related.values():
        similar.sort(key=lambda it: (-it.score, graph.nodes[it.disability].name.casefold(), it.disability))
        del similar[MAX_RELATED:]
    return related


def _stated_limitations(graph: Graph) -> dict[str, set[str]]:
    return {
        node: stated
        for node, entity in graph.nodes.items()
        if entity.type == "disability"
        and (stated := {edge.target for edge in graph.edges_named(node, "has_limitation") if edge.basis != "inherited"})
    }


def _similar_pairs(graph: Graph, limitations: Collection[str]) -> dict[tuple[str, str], _SimilarPair]:
    pairs = {}
    for left, right in combinations(sorted(limitations), 2):
        similarity = graph.hierarchy.similarity(left, right)
        if similarity >= SIMILARITY_THRESHOLD and (ancestor := graph.hierarchy.common_ancestor(left, right)):
            pairs[left, right] = pairs[right, left] = _SimilarPair(similarity, ancestor)
    return pairs


def _shared(left: Weights, right: Weights, pairs: Mapping[tuple[str, str], _SimilarPair]) -> dict[str, float]:
    """Return what two conditions share with its weight: equal limitations, then similar pairs, most similar first."""
    shared = {limitation: left[limitation] * right[limitation] for limitation in left.keys() & right.keys()}
    for ancestor, weight in _matched_pairs(left, right, pairs):
        shared[ancestor] = shared.get(ancestor, 0.0) + weight
    return shared


def _matched_pairs(
    left: Weights, right: Weights, pairs: Mapping[tuple[str, str], _SimilarPair]
) -> Iterator[tuple[str, float]]:
    """Match the limitations that only one of the two has, each at most once, heaviest pair first."""
    candidates = [
        (left[ours] * right[theirs] * pairs[ours, theirs].similarity, min(ours, theirs), max(ours, theirs))
        for ours in left.keys() - right.keys()
        for theirs in right.keys() - left.keys()
        if (ours, theirs) in pairs
    ]
    matched: set[str] = set()
    for weight, first, second in sorted(candidates, key=lambda it: (-it[0], it[1], it[2])):
        if matched.isdisjoint((first, second)):
            matched |= {first, second}
            yield pairs[first, second].ancestor, weight
