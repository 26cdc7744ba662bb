"""How rare limitations are among conditions, and which are similar: what the score of related conditions is made of."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain, combinations
from math import log
from typing import NamedTuple

from indexer.graph.hierarchy import SIMILARITY_THRESHOLD
from indexer.graph.model import Graph


class SimilarLimitation(NamedTuple):
    """A limitation that limits much the same abilities, from 0 to 1, and the nearest common ancestor of the two."""

    id: str
    similarity: float
    common_ancestor: str


class LimitationStatistics(NamedTuple):
    """`rarity` is ln(1 + conditions ÷ conditions that have the limitation). Only stated limitations count."""

    rarity: float
    similar: tuple[SimilarLimitation, ...]


def limitation_statistics(graph: Graph) -> dict[str, LimitationStatistics]:
    """Return the statistics of each limitation that a condition has."""
    limitations_of = _stated_limitations(graph)
    conditions_with = Counter(chain.from_iterable(limitations_of.values()))
    similar: defaultdict[str, list[SimilarLimitation]] = defaultdict(list)
    for left, right, similarity, ancestor in _similar_pairs(graph, sorted(conditions_with)):
        similar[left].append(SimilarLimitation(right, similarity, ancestor))
        similar[right].append(SimilarLimitation(left, similarity, ancestor))
    return {
        limitation: LimitationStatistics(log(1 + len(limitations_of) / count), tuple(similar[limitation]))
        for limitation, count in conditions_with.items()
    }


def _stated_limitations(graph: Graph) -> dict[str, set[str]]:
    return {
        node: stated
        for node, entity in graph.nodes.items()
        if entity.type == "disability"
        and (stated := {edge.target for edge in graph.edges_named(node, "has_limitation") if edge.basis != "inherited"})
    }


def _similar_pairs(graph: Graph, limitations: list[str]) -> Iterator[tuple[str, str, float, str]]:
    for left, right in combinations(limitations, 2):
        similarity = graph.hierarchy.similarity(left, right)
        if similarity >= SIMILARITY_THRESHOLD and (ancestor := graph.hierarchy.common_ancestor(left, right)):
            yield left, right, similarity, ancestor
