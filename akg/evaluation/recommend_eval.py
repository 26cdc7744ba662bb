"""Measures how well the service's ranking recovers solutions that were hidden from the tables."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from akg.evaluation.holdout import condition_cases, link_cases
from akg.evaluation.metrics import MeanHoldoutScores, mean_holdout_scores, score_holdout
from api.recommend.ranking import SeedData, rank
from indexer.content.loader import load_content
from indexer.documents.entity import entity_card
from indexer.graph.build import build_graph
from schema.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from akg.evaluation.holdout import HoldoutCase

SEED = 20261121
SERVICE, WITHOUT_EDITORIAL = "ranking", "ranking without first choices"
DEVELOPMENT, HELD_OUT, LINKS = "development half", "held-out half", "links held out"

ScoresByPart = dict[str, dict[str, MeanHoldoutScores]]


def holdout_cases(content: Path, mappings: Path, seed: int) -> dict[str, list[HoldoutCase]]:
    """Return the cases by part: all solutions of a condition hidden, in two halves, or a tenth of all links."""
    vocabulary = read_vocabulary(mappings)
    graph = build_graph(load_content(content, vocabulary), vocabulary)
    cards = {node: entity_card(entity) for node, entity in graph.nodes.items()}
    rng = random.Random(seed)  # noqa: S311 - a sample, no secret
    development, held_out = split_in_halves(list(condition_cases(graph, cards)), rng)
    return {DEVELOPMENT: development, HELD_OUT: held_out, LINKS: list(link_cases(graph, cards, rng))}


def measure(cases: Mapping[str, Sequence[HoldoutCase]], on_case: Callable[[], object]) -> ScoresByPart:
    """Return mean scores by part and ranking; call `on_case` after each case."""
    return {part: _mean_scores(part_cases, on_case) for part, part_cases in cases.items()}


def split_in_halves(cases: Sequence[HoldoutCase], rng: random.Random) -> tuple[list[HoldoutCase], list[HoldoutCase]]:
    """Split the cases into equally hard halves: of each two conditions with as many needs, put one into either."""
    by_needs = sorted(cases, key=lambda case: (len(case.document["needs"]), case.condition))
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
    ranked = rank([SeedData("disability", case.document["card"], case.document)]).solutions
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
