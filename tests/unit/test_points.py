"""The score of a hit, whichever way it was ranked."""

from __future__ import annotations

from api.results import points


def test_where_hits_are_sorted_the_score_is_what_they_are_sorted_by_first() -> None:
    assert points({"_score": None, "sort": [6886.4, 12]}) == 6886.4


def test_where_the_index_is_sorted_hits_have_their_score() -> None:
    assert points({"_score": 6886.4}) == 6886.4
