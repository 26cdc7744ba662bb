"""What is hidden from the ranking, and that nothing of it leaks into what is left."""

from __future__ import annotations

import random
from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

import pytest

from akg.trial import HELD_OUT, OURS, UNGUIDED, halves, measure, orders
from indexer.documents import card
from indexer.needs import Listings
from indexer.rows import Recommendation
from indexer.trial import noisy_or, popular, union, without_a_condition, without_links

if TYPE_CHECKING:
    from indexer.graph import Graph
    from indexer.trial import Trial

ADHD = "disability:attention-deficit-hyperactivity-disorder"


def listed(*rows: str) -> Listings:
    """Rows of condition, need and solution, each one letter."""
    return Listings.of(Recommendation(row[0], row[1], row[2], "", ("atlas",)) for row in rows)


THREE = listed("axs", "axt", "ays", "bxs", "bxu", "czs")


@pytest.fixture(scope="module")
def trials(graph: Graph) -> dict[str, Trial]:
    """The conditions of the small world that list at least three solutions, each hidden in turn."""
    return {one.condition: one for one in without_a_condition(graph, cards_of(graph), fewest=3)}


def chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - a sample, no secret


def cards_of(graph: Graph) -> dict[str, dict[str, object]]:
    return {node: card(entity) for node, entity in graph.nodes.items()}


def test_the_simple_orders() -> None:
    assert popular(THREE) == ["s", "t", "u"]  # three conditions, then one each by id
    assert union(THREE, ["x", "y"]) == ["s", "t", "u"]
    assert union(THREE, ["z", "never listed"]) == ["s"]
    assert noisy_or(listed("axs", "bxt", "bys"), ["x", "y"]) == ["s", "t"]  # 1 - (1 - 1/2) × (1 - 1), and 1/2


def test_counting_without_a_condition_is_counting_its_rows_out() -> None:
    left = THREE.without("a")
    counted = listed("bxs", "bxu", "czs")
    assert left.rates == counted.rates
    assert left.pages == counted.pages
    assert left.disabilities_with == counted.disabilities_with
    assert left.disabilities_listing == counted.disabilities_listing
    assert set(left.by_disability) == {"b", "c"}
    assert THREE.without("c").rates == {need: rated for need, rated in THREE.rates.items() if need != "z"}


def test_a_hidden_condition_is_ranked_from_what_others_list(trials: dict[str, Trial]) -> None:
    # two more list too little to be judged by
    assert set(trials) == {ADHD, "disability:crohns-disease", "disability:multiple-sclerosis"}
    crohn = trials["disability:crohns-disease"]
    assert crohn.hidden == {"solution:flexible-schedule", "solution:periodic-rest-breaks", "solution:telework"}
    rows = {row["id"]: row for row in crohn.document["solutions"]}
    # of the two others with fatigue, both list breaks and one a flexible schedule; one more page to be safe
    assert rows["solution:periodic-rest-breaks"]["under"] == {"limitation:decreased-stamina-fatigue": 0.6667}
    assert rows["solution:flexible-schedule"]["under"] == {"limitation:decreased-stamina-fatigue": 0.3333}
    assert {row["basis"] for row in rows.values()} == {"derived"}
    assert not crohn.shown


def test_a_gain_is_how_many_needs_list_it_times_how_rare_it_is(trials: dict[str, Trial]) -> None:
    graded = trials[ADHD].graded
    assert graded["solution:checklists"] == pytest.approx(2 * 1.0)  # under two needs; no other condition lists it
    assert graded["solution:written-instructions"] == pytest.approx(2 * log(5 / 2) / log(5))
    assert graded["solution:telework"] == pytest.approx(1 * log(5 / 4) / log(5))


def test_the_services_own_ranking_is_what_is_measured(trials: dict[str, Trial]) -> None:
    found = orders(trials["disability:crohns-disease"])
    assert set(found) == {"popularity", "union", "noisy-or", UNGUIDED, OURS}
    assert set(found[OURS]) == {row["id"] for row in trials["disability:crohns-disease"].document["solutions"]}
    figures = measure({HELD_OUT: list(trials.values())}, lambda: None)[HELD_OUT]
    assert {one.lists for one in figures.values()} == {3}


def test_hidden_links_are_gone_from_all_counts_and_the_rest_is_shown(graph: Graph) -> None:
    pairs = sum(len(solutions) for solutions in graph.listings.by_disability.values())
    found = list(without_links(graph, cards_of(graph), chance(3)))
    assert sum(len(one.hidden) for one in found) == round(0.1 * pairs) > 0
    for one in found:
        assert set(one.hidden) | set(one.shown) == set(graph.listings.by_disability[one.condition])
        assert not set(one.hidden) & set(one.shown)


def test_the_halves_are_as_hard_as_each_other_and_chance_alone_decides(trials: dict[str, Trial]) -> None:
    (one,) = (trial for trial in trials.values() if trial.condition == ADHD)
    many = [replace(one, condition=str(number), document={"needs": [0] * (number // 2)}) for number in range(11)]
    first, second = halves(many, chance(1))
    assert (len(first), len(second)) == (6, 5)
    needs = [sorted(len(trial.document["needs"]) for trial in half) for half in (first, second)]
    assert needs == [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4]]
    assert {trial.condition for trial in (*first, *second)} == {str(number) for number in range(11)}
    assert halves(many, chance(1)) == (first, second)
