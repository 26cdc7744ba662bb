"""Held-out lists: baselines, and the ranking from the remaining data."""

import random
from dataclasses import replace
from math import log

import pytest

from akg.evaluation import recommend_eval
from akg.evaluation.recommend_eval import HELD_OUT, SERVICE, WITHOUT_EDITORIAL, HoldoutCase
from indexer.documents.entity import EntityCard
from indexer.graph.model import Graph
from tests.support.needs_documents import as_needs
from tests.support.small_graphs import listings
from tests.support.written_documents import ADHD

# conditions, needs and solutions are single letters
THREE = listings("axs", "axt", "ays", "bxs", "bxu", "czs")


@pytest.fixture(scope="module")
def cases(graph: Graph) -> dict[str, HoldoutCase]:
    return {case.condition: case for case in recommend_eval.condition_cases(graph, cards_of(graph), min_solutions=3)}


def rng(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - a sample, not a secret


def cards_of(graph: Graph) -> dict[str, EntityCard]:
    return {node: EntityCard.of(entity) for node, entity in graph.nodes.items()}


def test_baselines_rank_by_popularity_union_or_noisy_or() -> None:
    assert recommend_eval.rank_by_popularity(THREE) == ["s", "t", "u"]  # three conditions, then one each by id
    assert recommend_eval.rank_by_union(THREE, ["x", "y"]) == ["s", "t", "u"]
    assert recommend_eval.rank_by_union(THREE, ["z", "never listed"]) == ["s"]
    certain_under_y = listings("axs", "bxt", "bys")
    # 1 - (1 - 1/2) × (1 - 1), and 1/2
    assert recommend_eval.rank_by_noisy_or(certain_under_y, ["x", "y"]) == ["s", "t"]


def test_counts_without_a_condition_equal_counts_without_its_rows() -> None:
    left = THREE.without("a")
    for counts in ("rates", "pages", "disabilities_with", "disabilities_listing"):
        assert getattr(left, counts) == getattr(listings("bxs", "bxu", "czs"), counts)
    assert set(left.by_disability) == {"b", "c"}
    assert THREE.without("c").rates == {need: rated for need, rated in THREE.rates.items() if need != "z"}


def test_a_hidden_condition_is_ranked_from_what_others_list(cases: dict[str, HoldoutCase]) -> None:
    # two more conditions list too few solutions
    assert set(cases) == {ADHD, "disability:crohns-disease", "disability:multiple-sclerosis"}
    crohn = cases["disability:crohns-disease"]
    assert crohn.hidden == {"solution:flexible-schedule", "solution:periodic-rest-breaks", "solution:telework"}
    rows = {row["id"]: row for row in crohn.seed_needs["solutions"]}
    # of the two other conditions with fatigue, both list breaks and one a flexible schedule; smoothed by one page
    assert rows["solution:periodic-rest-breaks"]["under"] == {"limitation:decreased-stamina-fatigue": 0.6667}
    assert rows["solution:flexible-schedule"]["under"] == {"limitation:decreased-stamina-fatigue": 0.3333}
    assert {row["basis"] for row in rows.values()} == {"derived"}
    assert not crohn.shown


def test_a_gain_is_the_number_of_needs_times_the_rarity(cases: dict[str, HoldoutCase]) -> None:
    gains = cases[ADHD].gains
    assert gains["solution:checklists"] == pytest.approx(2 * 1.0)  # under two needs; no other condition lists it
    assert gains["solution:written-instructions"] == pytest.approx(2 * log(5 / 2) / log(5))
    assert gains["solution:telework"] == pytest.approx(1 * log(5 / 4) / log(5))


def test_measures_the_ranking_of_the_service(cases: dict[str, HoldoutCase]) -> None:
    case = cases["disability:crohns-disease"]
    by_name = recommend_eval.rankings(case)
    assert set(by_name) == {"popularity", "union", "noisy-or", WITHOUT_EDITORIAL, SERVICE}
    assert set(by_name[SERVICE]) == {row["id"] for row in case.seed_needs["solutions"]}
    scores = recommend_eval.measure({HELD_OUT: list(cases.values())}, lambda: None)[HELD_OUT]
    assert {means.lists for means in scores.values()} == {3}


def test_a_link_is_either_hidden_or_shown(graph: Graph) -> None:
    pairs = sum(len(solutions) for solutions in graph.listings.by_disability.values())
    cases = list(recommend_eval.link_cases(graph, cards_of(graph), rng(3)))
    assert sum(len(case.hidden) for case in cases) == round(0.1 * pairs) > 0
    for case in cases:
        assert set(case.hidden) | set(case.shown) == set(graph.listings.by_disability[case.condition])
        assert not set(case.hidden) & set(case.shown)


def test_halves_are_equally_hard_and_depend_on_the_seed_alone(cases: dict[str, HoldoutCase]) -> None:
    seeds = [as_needs({"needs": [0] * (number // 2)}) for number in range(11)]
    many = [replace(cases[ADHD], condition=str(number), seed_needs=seed) for number, seed in enumerate(seeds)]
    first, second = recommend_eval.split_in_halves(many, rng(1))
    assert (len(first), len(second)) == (6, 5)
    needs = [sorted(len(case.seed_needs["needs"]) for case in half) for half in (first, second)]
    assert needs == [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4]]
    assert {case.condition for case in (*first, *second)} == {str(number) for number in range(11)}
    assert recommend_eval.split_in_halves(many, rng(1)) == (first, second)
