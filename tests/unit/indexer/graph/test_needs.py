"""Specificity of needs, rarity and strength of solutions, at work and at school: numbers computed by hand."""

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.content.rows import Recommendation, SchoolRecommendation
from indexer.graph.needs import Listings, School, strengths
from tests.support.small_graphs import listings

# Two conditions. Both have fatigue, one has pain. Both list breaks, one lists naps.
TWO = listings(
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


def test_a_need_is_more_specific_the_fewer_conditions_have_it() -> None:
    assert TWO.specificity("fatigue") == pytest.approx(log(1 + 2 / 2))
    assert TWO.specificity("pain") == pytest.approx(log(1 + 2 / 1))
    assert TWO.specificity("never listed") == TWO.specificity("pain")


def test_a_solution_that_every_condition_lists_has_rarity_0() -> None:
    assert TWO.rarity("breaks") == 0.0
    assert TWO.rarity("naps") == 1.0
    four = listings(*((condition, "pain", "breaks" if condition in "ab" else "naps") for condition in "abcd"))
    assert four.rarity("breaks") == pytest.approx(0.5)  # ln(4/2) / ln 4
    assert listings(("ms", "pain", "naps")).rarity("naps") == 1.0  # of a single condition


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
def test_a_need_has_its_share_of_the_solutions_of_a_condition(disability: str, need: str, share: float | None) -> None:
    assert TWO.share(disability, need) == share


def test_strength_counts_the_needs_of_a_solution_and_how_usual_it_is_for_them() -> None:
    found = strengths(TWO)
    # breaks: ln 2 × (0.5 + 0.5 × 1) + ln 3 × (0.5 + 0.5 × 1) = ln 6; naps: ln 2 × (0.5 + 0.5 × 0.5)
    assert found["ms"] == {"breaks": 1.0, "naps": pytest.approx(0.75 * log(2) / log(6))}
    assert found["als"] == {"breaks": 1.0}
    assert strengths(listings()) == {}


def test_listings_have_their_headings_and_sources() -> None:
    twice = Listings.from_rows(
        [
            Recommendation("ms", "fatigue", "breaks", "", ("atlas", "fair")),
            Recommendation("als", "fatigue", "breaks", "", ("fair", "editors")),
        ]
    )
    assert twice.via_sources == {("fatigue", "breaks"): ("atlas", "fair", "editors")}
    assert [row.via for row in TWO.by_disability["ms"]["breaks"]] == ["fatigue", "pain"]


rows = st.sets(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), st.sampled_from("pqrs")), min_size=1)


@settings(deadline=None, max_examples=30)
@given(found=rows)
def test_every_number_stays_within_its_bounds(found: set[tuple[str, str, str]]) -> None:
    made = listings(*sorted(found))
    assert all(0 < rate <= 1 for rated in made.rates.values() for rate in rated.values())
    assert all(0 <= made.rarity(solution) <= 1 for _, _, solution in found)
    assert all(log(2) <= made.specificity(need) <= log(5) for _, need, _ in found)
    for of_condition in strengths(made).values():
        assert max(of_condition.values()) == 1.0
        assert min(of_condition.values()) > 0


A, B, C = (f"https://school.example.org/{page}" for page in "abc")
ADHD, POTS, ATTENTION, FATIGUE = "disability:adhd", "disability:pots", "limitation:attention", "limitation:fatigue"
SEAT, TIME, EASIER = "solution:seat", "solution:time", "solution:easier-texts"


def row(entity: str, solution: str, page: str = "") -> SchoolRecommendation:
    basis, source = ("source", "pages") if page else ("editorial", "editors")
    return SchoolRecommendation(entity, solution, basis, page, (source,))


ROWS = (
    row(ADHD, SEAT, A),
    row(ADHD, SEAT, B),
    row(ADHD, TIME, A),
    row(ATTENTION, TIME, C),
    row(ATTENTION, EASIER, C),
    row(POTS, TIME),
)
SCHOOL = School.from_rows(ROWS, [EASIER])
WORK = listings(("disability:ms", FATIGUE, TIME))


def test_a_weight_is_half_constant_and_half_the_share_of_pages() -> None:
    # three pages, two on ADHD: two of three name the seat, two of three extra time
    assert SCHOOL.stated[ADHD][SEAT].weight == pytest.approx(0.5 + 0.5 * (2 + 2 * 2 / 3) / (2 + 2))
    assert SCHOOL.stated[ADHD][TIME].weight == pytest.approx(0.5 + 0.5 * (1 + 2 * 2 / 3) / (2 + 2))
    assert SCHOOL.stated[ATTENTION][TIME].weight == pytest.approx(0.5 + 0.5 * (1 + 2 * 2 / 3) / (1 + 2))
    assert SCHOOL.stated[POTS][TIME].weight == 0.5  # only the editors


def test_a_statement_has_its_basis_sources_and_pages() -> None:
    seat, time = SCHOOL.stated[ADHD][SEAT], SCHOOL.stated[POTS][TIME]
    assert (seat.basis, seat.sources, seat.read_at) == ("source", ("pages",), (A, B))
    assert (time.basis, time.sources, time.read_at) == ("editorial", ("editors",), ())


def test_a_solution_named_for_every_entity_has_half_the_rarity_of_one_named_once() -> None:
    assert SCHOOL.rarity(SEAT) == 1
    assert SCHOOL.rarity(TIME) == 0.5
    assert School.from_rows([*ROWS, row(POTS, SEAT)]).rarity(SEAT) == pytest.approx(1 - log(2) / log(3) / 2)
    assert School().rarity(SEAT) == 1


def test_solutions_only_for_school_are_those_not_listed_for_work() -> None:
    school = School.from_rows([*ROWS, row(FATIGUE, TIME, C), row("disability:ms", TIME, C)])
    for_school = [node for node in school.stated if school.is_only_for_school(node, TIME, WORK)]
    assert for_school == [ADHD, ATTENTION, POTS]
    assert not SCHOOL.is_only_for_school(FATIGUE, TIME, WORK)
