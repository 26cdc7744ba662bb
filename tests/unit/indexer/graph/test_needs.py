"""How telling a need is, how rare a solution, how well it answers: numbers worked out by hand."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.content.rows import Recommendation
from indexer.graph.needs import Listings, strengths


def listed(*rows: tuple[str, str, str], sources: tuple[str, ...] = ("atlas",)) -> Listings:
    """Listings of (condition, need, solution)."""
    return Listings.from_rows(
        Recommendation(disability, via, solution, "", sources) for disability, via, solution in rows
    )


# Two conditions. Both have fatigue, one has pain. Both list breaks, one lists naps.
TWO = listed(
    ("ms", "fatigue", "breaks"),
    ("ms", "fatigue", "naps"),
    ("ms", "pain", "breaks"),
    ("als", "fatigue", "breaks"),
)


def test_rates_are_shares_of_the_condition_pages_that_have_the_need() -> None:
    assert TWO.rates == {"fatigue": {"breaks": 1.0, "naps": 0.5}, "pain": {"breaks": 1.0}}
    assert TWO.pages == {("fatigue", "breaks"): 2, ("fatigue", "naps"): 1, ("pain", "breaks"): 1}
    assert TWO.disabilities_with == {"fatigue": 2, "pain": 1}
    assert TWO.disabilities_listing == {"breaks": 2, "naps": 1}


def test_a_need_says_more_about_a_condition_the_fewer_have_it() -> None:
    assert TWO.specificity("fatigue") == pytest.approx(log(1 + 2 / 2))
    assert TWO.specificity("pain") == pytest.approx(log(1 + 2 / 1))
    assert TWO.specificity("never listed") == TWO.specificity("pain")


def test_a_solution_that_everyone_lists_is_not_rare_at_all() -> None:
    assert TWO.rarity("breaks") == 0.0
    assert TWO.rarity("naps") == 1.0
    four = listed(*((condition, "pain", "breaks") for condition in "ab"), ("c", "pain", "naps"), ("d", "pain", "naps"))
    assert four.rarity("breaks") == pytest.approx(0.5)  # ln(4/2) / ln 4


def test_with_a_single_condition_everything_is_rare() -> None:
    assert listed(("ms", "pain", "naps")).rarity("naps") == 1.0


@pytest.mark.parametrize(
    ("disability", "need", "share"),
    [
        ("ms", "fatigue", 1.0),
        ("ms", "pain", 0.5),
        ("ms", "memory", 0.0),
        ("als", "pain", 0.0),
        ("lupus", "fatigue", None),  # lists nothing
    ],
)
def test_the_share_of_a_conditions_solutions_under_a_need(disability: str, need: str, share: float | None) -> None:
    assert TWO.share(disability, need) == share


def test_a_solution_is_strong_by_the_needs_it_answers_and_how_usual_that_is() -> None:
    found = strengths(TWO)
    # breaks: ln 2 × (0.5 + 0.5 × 1) + ln 3 × (0.5 + 0.5 × 1) = ln 6; naps: ln 2 × (0.5 + 0.5 × 0.5)
    assert found["ms"] == {"breaks": 1.0, "naps": pytest.approx(0.75 * log(2) / log(6))}
    assert found["als"] == {"breaks": 1.0}


def test_where_a_solution_is_listed_is_remembered_with_its_sources() -> None:
    twice = Listings.from_rows(
        [
            Recommendation("ms", "fatigue", "breaks", "", ("atlas", "fair")),
            Recommendation("als", "fatigue", "breaks", "", ("fair", "editors")),
        ]
    )
    assert twice.via_sources == {("fatigue", "breaks"): ("atlas", "fair", "editors")}
    assert [row.via for row in TWO.rows("ms", "breaks")] == ["fatigue", "pain"]


def test_nothing_listed_has_no_strengths() -> None:
    assert strengths(listed()) == {}


rows = st.sets(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), st.sampled_from("pqrs")), min_size=1)


@settings(deadline=None, max_examples=30)
@given(found=rows)
def test_every_number_stays_within_its_bounds(found: set[tuple[str, str, str]]) -> None:
    listings = listed(*sorted(found))
    assert all(0 < rate <= 1 for rated in listings.rates.values() for rate in rated.values())
    assert all(0 <= listings.rarity(solution) <= 1 for _, _, solution in found)
    assert all(log(2) <= listings.specificity(need) <= log(5) for _, need, _ in found)
    for of_condition in strengths(listings).values():
        assert max(of_condition.values()) == 1.0
        assert min(of_condition.values()) > 0
