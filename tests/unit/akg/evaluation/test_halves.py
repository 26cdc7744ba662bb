"""The halves of the judged queries, which must never change."""

import pytest

from akg.evaluation.halves import DEVELOPMENT, HELD_OUT, half_of, scores_by_half
from akg.evaluation.metrics import Judgment, Outcome, Scores, read_judgments
from tests.support.project import MAPPINGS

HALVES = {  # a query that changes its half would be reported on after it was used to choose points
    "low vision": DEVELOPMENT,
    "fibromyalgia": DEVELOPMENT,
    "lasagna": DEVELOPMENT,
    "Multiple Sclerosis": HELD_OUT,
    "adhd": HELD_OUT,
    "carpel tunnel": HELD_OUT,
    "can't stand for long": HELD_OUT,
    "": HELD_OUT,
}


@pytest.mark.parametrize(("query", "half"), HALVES.items())
def test_the_half_of_a_query_is_fixed(query: str, half: str) -> None:
    assert half_of(query) == half


@pytest.mark.parametrize(
    ("query", "variant"),
    [
        ("guillain-barre syndrome", "Guillain-Barré Syndrome"),
        ("addisons disease", "Addison’s DISEASE"),
    ],
)
def test_spellings_that_fold_to_the_same_text_are_in_the_same_half(query: str, variant: str) -> None:
    assert half_of(query) == half_of(variant)


def test_the_shipped_queries_are_split_about_evenly() -> None:
    judgments = read_judgments(MAPPINGS / "relevance" / "judgments.tsv")
    held_out = sum(half_of(judgment.query) == HELD_OUT for judgment in judgments)
    assert 0.45 < held_out / len(judgments) < 0.55


def outcome(query: str, *scores: float) -> Outcome:
    return Outcome(Judgment(query, "exact", {}), (), *scores)


def test_means_are_listed_by_half() -> None:
    outcomes = [outcome("lasagna", 1, 1, 1, 1), outcome("adhd", 0.5, 0.5, 0, 1), outcome("low vision", 0, 0, 0, 0)]
    assert scores_by_half(outcomes) == {
        DEVELOPMENT: Scores(2, 0.5, 0.5, 0.5, 0.5),
        HELD_OUT: Scores(1, 0.5, 0.5, 0, 1),
    }
    assert list(scores_by_half(outcomes[:1])) == [DEVELOPMENT]
    assert scores_by_half([]) == {}
