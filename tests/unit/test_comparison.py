"""Two releases asked the same: what moved, what fell, and which queries need not be asked."""

from __future__ import annotations

from typing import Any

import pytest

from api.comparison import Hits, compare, falls, sizes_of, touched
from api.quality import Judgment


def hits(*keys: str) -> Hits:
    return [{"id": key, "name": key.upper(), "match": {"why": f"It is {key}."}, "score": 1.0} for key in keys]


JUDGED = [
    Judgment("screen", "exact", {"a": 3}),
    Judgment("lamp", "exact", {"b": 3}),
    Judgment("tired", "lay", {"c": 3, "d": 1}),
]
BEFORE = [hits("a", "x"), hits("b"), hits("c", "d"), hits("o")]
AFTER = [hits("x", "a"), hits("b"), hits("c", "d"), hits("p", "o")]


def test_what_moved_is_shown_worst_first_with_both_sides() -> None:
    found = compare(JUDGED, ["own words"], BEFORE, AFTER, 0.01)
    assert found.asked == 4
    assert [(one.query, one.kind, one.gain) for one in found.moved] == [
        ("screen", "exact", -0.3691),
        ("own words", None, None),
    ]
    shown: list[dict[str, Any]] = [dict(hit) for hit in found.moved[0].after]
    assert shown == [
        {"id": "x", "name": "X", "why": "It is x."},
        {"id": "a", "name": "A", "why": "It is a."},
    ]
    before, after = found.scores["exact"]
    assert (before.success1, after.success1, after.success3) == (1.0, 0.5, 1.0)


@pytest.mark.parametrize(
    ("tolerance", "found"),
    [
        (0.2, ["exact: success1 falls by 0.5000 ('screen')", "all: success1 falls by 0.3333 ('screen')"]),
        (0.5, []),
    ],
)
def test_a_fall_beyond_the_tolerance_is_told_with_its_queries(tolerance: float, found: list[str]) -> None:
    assert falls(JUDGED, BEFORE, AFTER, tolerance) == found


def test_queries_that_were_not_asked_count_as_unmoved() -> None:
    everything = falls(JUDGED, BEFORE, AFTER, 0.1)
    assert falls(JUDGED[:1], BEFORE[:1], AFTER[:1], 0.1, sizes_of(JUDGED)) == everything


@pytest.mark.parametrize(
    ("query", "terms", "is_touched"),
    [
        ("screen reader", ["reader"], True),
        ("screen reader", ["screen-reader"], True),
        ("wheelchiar ramp", ["wheelchair"], True),  # the slip is mended before the rules see it
        ("stairlft", ["stair lift"], True),
        ("crohns disease", ["wheelchair"], False),
        ("adhd", ["pc"], False),
        ("adhd", ["+++"], False),
    ],
)
def test_only_queries_that_a_rule_can_touch_are_asked(query: str, terms: list[str], *, is_touched: bool) -> None:
    assert (touched([query], terms) == [query]) is is_touched
