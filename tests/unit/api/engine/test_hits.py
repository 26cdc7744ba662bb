"""The score of a hit."""

from __future__ import annotations

from api.engine.hits import hit_score


def test_sorted_hits_have_their_score_as_first_sort_value() -> None:
    assert hit_score({"_score": None, "sort": [6886.4, 12]}) == 6886.4


def test_other_hits_have_their_own_score() -> None:
    assert hit_score({"_score": 6886.4}) == 6886.4
