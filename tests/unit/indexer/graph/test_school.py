"""What is named for school: its weights worked out by hand, and what it answers of a condition's needs."""

from __future__ import annotations

from math import log

import pytest

from indexer.content.rows import Link, Recommendation, SchoolRecommendation
from indexer.graph.needs import Listings
from indexer.graph.school import School, listed_for_work

A, B, C = (f"https://school.example.org/{page}" for page in "abc")
ADHD, POTS, ATTENTION, FATIGUE = "disability:adhd", "disability:pots", "limitation:attention", "limitation:fatigue"
SEAT, TIME, EASIER = "solution:seat", "solution:time", "solution:easier-texts"


def row(entity: str, solution: str, page: str = "") -> SchoolRecommendation:
    return SchoolRecommendation(
        entity, solution, "source" if page else "editorial", page, ("pages" if page else "editors",)
    )


ROWS = (
    row(ADHD, SEAT, A),
    row(ADHD, SEAT, B),
    row(ADHD, TIME, A),
    row(ATTENTION, TIME, C),
    row(ATTENTION, EASIER, C),
    row(POTS, TIME),
)
LINKS = (
    Link("has_limitation", ADHD, ATTENTION, "source", ()),
    Link("has_limitation", ADHD, FATIGUE, "source", ()),
    Link("has_limitation", POTS, FATIGUE, "source", ()),
    Link("affects", ADHD, "workrelatedfunction:stress", "source", ()),
)
SCHOOL = School.from_rows(ROWS, LINKS, [EASIER])
WORK = Listings.from_rows([Recommendation("disability:ms", FATIGUE, TIME, "", ("atlas",))])
NO_WORK = Listings.from_rows(())


def test_a_weight_is_half_for_being_named_and_half_for_how_usual_that_is() -> None:
    # three pages were read, two on ADHD: the seat stands in two of three, more time in two of three
    assert SCHOOL.stated[ADHD][SEAT].weight == pytest.approx(0.5 + 0.5 * (2 + 2 * 2 / 3) / (2 + 2))
    assert SCHOOL.stated[ADHD][TIME].weight == pytest.approx(0.5 + 0.5 * (1 + 2 * 2 / 3) / (2 + 2))
    assert SCHOOL.stated[ATTENTION][TIME].weight == pytest.approx(0.5 + 0.5 * (1 + 2 * 2 / 3) / (1 + 2))
    assert SCHOOL.stated[POTS][TIME].weight == 0.5  # the editors alone


def test_a_statement_keeps_its_ground_its_sources_and_its_pages() -> None:
    seat, time = SCHOOL.stated[ADHD][SEAT], SCHOOL.stated[POTS][TIME]
    assert (seat.basis, seat.sources, seat.read_at) == ("source", ("pages",), (A, B))
    assert (time.basis, time.sources, time.read_at) == ("editorial", ("editors",), ())


def test_a_condition_has_what_is_named_for_it_and_for_its_limitations_but_no_modification_of_these() -> None:
    assert SCHOOL.solutions(ADHD) == [SEAT, TIME]
    assert SCHOOL.solutions(POTS) == [TIME]
    assert SCHOOL.solutions(ATTENTION) == [EASIER, TIME]
    assert SCHOOL.solutions("disability:aging") == []


def test_what_is_named_for_a_condition_answers_it_as_a_whole_and_the_limitations_it_is_named_for() -> None:
    adhd = SCHOOL.stated[ADHD][TIME].weight
    attention = SCHOOL.stated[ATTENTION][TIME].weight
    assert SCHOOL.weights_by_need(ADHD, SEAT, NO_WORK) == {ADHD: SCHOOL.stated[ADHD][SEAT].weight}
    assert SCHOOL.weights_by_need(ADHD, TIME, NO_WORK) == {ADHD: adhd, ATTENTION: attention}
    assert SCHOOL.weights_by_need(ADHD, TIME, WORK) == {
        ADHD: adhd,
        FATIGUE: adhd,
        ATTENTION: attention,
    }  # listed for fatigue
    assert SCHOOL.weights_by_need(ATTENTION, TIME, WORK) == {ATTENTION: attention}


def test_what_is_named_for_its_limitations_alone_counts_half() -> None:
    school = School.from_rows([row(ATTENTION, SEAT)], LINKS)
    assert school.weights_by_need(ADHD, SEAT, WORK) == {ATTENTION: 0.25}
    assert school.weights_by_need(POTS, SEAT, WORK) == {}


def test_what_is_named_for_all_is_half_as_special_as_what_is_named_for_one() -> None:
    assert SCHOOL.rarity(SEAT) == 1
    assert SCHOOL.rarity(TIME) == 0.5
    assert School.from_rows([*ROWS, row(POTS, SEAT)], LINKS).rarity(SEAT) == pytest.approx(1 - log(2) / log(3) / 2)
    assert School().rarity(SEAT) == 1


def test_it_is_known_what_is_for_school_alone() -> None:
    assert listed_for_work(WORK, FATIGUE, TIME)
    assert listed_for_work(WORK, "disability:ms", TIME)
    assert not listed_for_work(WORK, ADHD, TIME)
    assert SCHOOL.is_only_for_school(ATTENTION, TIME, WORK)
    assert not SCHOOL.is_only_for_school(FATIGUE, TIME, WORK)


def test_nothing_read_is_nothing_stated() -> None:
    assert School.from_rows((), LINKS).solutions(ADHD) == []
