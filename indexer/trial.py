"""Hide what a source lists for a condition and say what should be found again. Pure.

The seed documents are those that recommend reads, made by the same code from what is left: every rate and every rarity
is counted anew without what is hidden. Three simple orders stand beside them, to be measured against.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING, Any

from indexer.graph import STATED
from indexer.needs import Listings
from indexer.seeds import usual_document

if TYPE_CHECKING:
    import random
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from indexer.graph import Graph
    from indexer.rows import Recommendation

FEWEST = 5  # solutions that a condition must list to be judged by
SHARE = 0.1  # of all links, hidden at once


@dataclass(frozen=True, slots=True)
class Trial:
    """One condition: what recommend reads of it, what is hidden, and the orders to compare with.

    `graded` is under how many of the condition's needs a source lists a solution, times how rare it is elsewhere,
    from 0 (listed for all conditions) to 1 (for this one only). `shown` is listed still and not to be found again.
    """

    condition: str
    document: Mapping[str, Any]
    hidden: Collection[str]
    graded: Mapping[str, float]
    shown: Collection[str]
    orders: Mapping[str, Sequence[str]]


def without_a_condition(graph: Graph, cards: Mapping[str, Any], fewest: int = FEWEST) -> Iterator[Trial]:
    """Each condition that lists at least `fewest` solutions in turn, with all that is listed for it hidden."""
    for condition, listed in graph.listings.by_disability.items():
        if len(listed) >= fewest:
            yield _trial(graph, cards, condition, graph.listings.without(condition), set(listed))


def without_links(graph: Graph, cards: Mapping[str, Any], chance: random.Random) -> Iterator[Trial]:
    """A tenth of all pairs of a condition and a solution hidden at once; each condition that lost one."""
    by_disability = graph.listings.by_disability
    pairs = [(condition, solution) for condition, listed in by_disability.items() for solution in listed]
    lost = set(chance.sample(pairs, round(SHARE * len(pairs))))
    left = Listings.of(
        row
        for condition, listed in by_disability.items()
        for solution, found in listed.items()
        if (condition, solution) not in lost
        for row in found
    )
    hidden: defaultdict[str, set[str]] = defaultdict(set)
    for condition, solution in lost:
        hidden[condition].add(solution)
    for condition in by_disability:
        if condition in hidden:
            yield _trial(graph, cards, condition, left, hidden[condition])


def _trial(graph: Graph, cards: Mapping[str, Any], condition: str, left: Listings, hidden: set[str]) -> Trial:
    blind = replace(graph, listings=left)
    listed = graph.listings.by_disability[condition]
    graded = {solution: _grade(graph.listings, listed[solution], solution) for solution in hidden}
    needs = [edge.target for name in STATED for edge in graph.of(condition, name)]
    return Trial(
        condition=condition,
        document=usual_document(blind, condition, cards),
        hidden=hidden,
        graded=graded,
        shown=left.by_disability.get(condition, {}).keys(),
        orders={"popularity": popular(left), "union": union(left, needs), "noisy-or": noisy_or(left, needs)},
    )


def _grade(listings: Listings, rows: Sequence[Recommendation], solution: str) -> float:
    everybody = len(listings.by_disability)
    return len({row.via for row in rows}) * log(everybody / listings.disabilities_listing[solution]) / log(everybody)


def popular(listings: Listings) -> list[str]:
    """What most conditions list comes first, whatever was asked."""
    return _best(listings.disabilities_listing)


def union(listings: Listings, needs: Sequence[str]) -> list[str]:
    """What is listed under most of the needs comes first."""
    return _best(Counter(solution for need in needs for solution in listings.rates.get(need, ())))


def noisy_or(listings: Listings, needs: Sequence[str]) -> list[str]:
    """What is surest to be listed under any of the needs comes first, if each need speaks for itself."""
    left_open: defaultdict[str, float] = defaultdict(lambda: 1.0)
    for need in needs:
        for solution, rate in listings.rates.get(need, {}).items():
            left_open[solution] *= 1 - rate
    return _best({solution: 1 - left for solution, left in left_open.items()})


def _best(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda solution: (-scores[solution], solution))
