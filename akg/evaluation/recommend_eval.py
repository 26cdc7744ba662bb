"""Measures how well the service's ranking, and three baselines, recover solutions that were hidden from the tables.

The needs of each condition come from the code of the service, and every rate and every rarity is counted without the
hidden rows.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path

from akg.evaluation.holdout_listings import holdout_needs
from akg.evaluation.metrics import MeanHoldoutScores, mean_holdout_scores, score_holdout
from api.recommend.ranking import SeedData, rank
from api.recommend.seed_needs import SeedNeeds
from indexer.content.loader import load_content
from indexer.content.rows import EDITORS, Recommendation
from indexer.documents.entity import EntityCard
from indexer.graph.build import build_graph
from indexer.graph.model import STATED, Graph
from indexer.graph.needs import Listings
from schema.vocabulary import read_vocabulary

MIN_SOLUTIONS = 5  # that a condition must list to be evaluated
HIDDEN_SHARE = 0.1  # of all links

SEED = 20261121
SERVICE, WITHOUT_EDITORIAL = "ranking", "ranking without first choices"
DEVELOPMENT, HELD_OUT, LINKS = "development half", "held-out half", "links held out"

ScoresByPart = dict[str, dict[str, MeanHoldoutScores]]


@dataclass(frozen=True, slots=True)
class HoldoutCase:
    """A condition: its needs as a seed, the hidden solutions and the baseline rankings.

    A gain is the number of the condition's needs under which a source lists the solution, times the solution's rarity:
    from 0 (listed for all conditions) to 1 (for this condition only). `shown` solutions are not hidden and not scored.
    """

    condition: str
    seed_needs: SeedNeeds
    hidden: Collection[str]
    gains: Mapping[str, float]
    shown: Collection[str]
    baselines: Mapping[str, Sequence[str]]


def condition_cases(
    graph: Graph, cards: Mapping[str, EntityCard], min_solutions: int = MIN_SOLUTIONS
) -> Iterator[HoldoutCase]:
    """Yield each condition that lists enough solutions, with all of them hidden."""
    for condition, listed in graph.listings.by_disability.items():
        if len(listed) >= min_solutions:
            yield _case(graph, cards, condition, graph.listings.without(condition), set(listed))


def link_cases(graph: Graph, cards: Mapping[str, EntityCard], rng: random.Random) -> Iterator[HoldoutCase]:
    """Hide a tenth of all pairs of a condition and a solution at once, and yield each condition with a hidden pair."""
    by_disability = graph.listings.by_disability
    pairs = [(condition, solution) for condition, listed in by_disability.items() for solution in listed]
    hidden_pairs = set(rng.sample(pairs, round(HIDDEN_SHARE * len(pairs))))
    left = Listings.from_rows(
        row
        for condition, listed in by_disability.items()
        for solution, rows in listed.items()
        if (condition, solution) not in hidden_pairs
        for row in rows
    )
    hidden: defaultdict[str, set[str]] = defaultdict(set)
    for condition, solution in hidden_pairs:
        hidden[condition].add(solution)
    for condition in by_disability:
        if condition in hidden:
            yield _case(graph, cards, condition, left, hidden[condition])


def _case(
    graph: Graph, cards: Mapping[str, EntityCard], condition: str, left: Listings, hidden: set[str]
) -> HoldoutCase:
    listed = graph.listings.by_disability[condition]
    needs = [edge.target for name in STATED for edge in graph.edges_named(condition, name)]
    return HoldoutCase(
        condition=condition,
        seed_needs=holdout_needs(replace(graph, listings=left), condition, cards),
        hidden=hidden,
        gains={solution: _gain(graph.listings, listed[solution], solution) for solution in hidden},
        shown=left.by_disability.get(condition, {}).keys(),
        baselines={
            "popularity": rank_by_popularity(left),
            "union": rank_by_union(left, needs),
            "noisy-or": rank_by_noisy_or(left, needs),
        },
    )


def _gain(listings: Listings, rows: Sequence[Recommendation], solution: str) -> float:
    conditions = len(listings.by_disability)
    return len({row.via for row in rows}) * log(conditions / listings.disabilities_listing[solution]) / log(conditions)


def rank_by_popularity(listings: Listings) -> list[str]:
    """Rank solutions by the number of conditions that list them."""
    return _ranked(listings.disabilities_listing)


def rank_by_union(listings: Listings, needs: Sequence[str]) -> list[str]:
    """Rank solutions by the number of needs under which they are listed."""
    return _ranked(Counter(solution for need in needs for solution in listings.rates.get(need, ())))


def rank_by_noisy_or(listings: Listings, needs: Sequence[str]) -> list[str]:
    """Rank solutions by the probability that at least one need lists them, if needs are independent."""
    misses: defaultdict[str, float] = defaultdict(lambda: 1.0)
    for need in needs:
        for solution, rate in listings.rates.get(need, {}).items():
            misses[solution] *= 1 - rate
    return _ranked({solution: 1 - miss for solution, miss in misses.items()})


def _ranked(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda solution: (-scores[solution], solution))


def holdout_cases(content: Path, mappings: Path, seed: int) -> dict[str, list[HoldoutCase]]:
    """Return the cases by part: all solutions of a condition hidden, in two halves, or a tenth of all links.

    What only the editors list is neither hidden nor used: the measure is what sources list.
    """
    vocabulary = read_vocabulary(mappings)
    rows = load_content(content, vocabulary)
    listed = tuple(row for row in rows.recommendations if row.sources != EDITORS)
    graph = build_graph(replace(rows, recommendations=listed), vocabulary)
    cards = {node: EntityCard.of(entity) for node, entity in graph.nodes.items()}
    rng = random.Random(seed)  # noqa: S311 - a sample, no secret
    development, held_out = split_in_halves(list(condition_cases(graph, cards)), rng)
    return {DEVELOPMENT: development, HELD_OUT: held_out, LINKS: list(link_cases(graph, cards, rng))}


def measure(cases: Mapping[str, Sequence[HoldoutCase]], on_case: Callable[[], object]) -> ScoresByPart:
    """Return mean scores by part and ranking; call `on_case` after each case."""
    return {part: _mean_scores(part_cases, on_case) for part, part_cases in cases.items()}


def split_in_halves(cases: Sequence[HoldoutCase], rng: random.Random) -> tuple[list[HoldoutCase], list[HoldoutCase]]:
    """Split the cases into equally hard halves: of each two conditions with as many needs, put one into either."""
    by_needs = sorted(cases, key=lambda case: (len(case.seed_needs["needs"]), case.condition))
    first: list[HoldoutCase] = []
    second: list[HoldoutCase] = []
    for index in range(0, len(by_needs), 2):
        pair = by_needs[index : index + 2]
        rng.shuffle(pair)
        first.append(pair[0])
        second += pair[1:]
    return first, second


def rankings(case: HoldoutCase) -> Mapping[str, Sequence[str]]:
    """Return the baselines, the service's ranking, and that ranking without editorial first choices."""
    ranked = rank([SeedData("disability", case.seed_needs["card"], case.seed_needs)]).solutions
    unguided = sorted(ranked, key=lambda solution: (solution.parts["first_choice"] - solution.score, solution.id))
    return {
        **case.baselines,
        WITHOUT_EDITORIAL: [solution.id for solution in unguided],
        SERVICE: [solution.id for solution in ranked],
    }


def _mean_scores(cases: Sequence[HoldoutCase], on_case: Callable[[], object]) -> dict[str, MeanHoldoutScores]:
    scores = []
    for case in cases:
        scores.append(
            {
                name: score_holdout(ranking, case.hidden, case.gains, case.shown)
                for name, ranking in rankings(case).items()
            }
        )
        on_case()
    return {name: mean_holdout_scores(by_name[name] for by_name in scores) for name in scores[0]} if scores else {}
