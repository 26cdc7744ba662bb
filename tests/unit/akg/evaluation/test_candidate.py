"""Comparison of two releases: changed queries, regressions, and queries that a rule can affect."""

from typing import Any

import pytest

from akg.evaluation.candidate import (
    Hits,
    affected_queries,
    compare,
    query_counts,
    regressions,
)
from akg.evaluation.metrics import Judgment


def hits(*keys: str) -> Hits:
    return [{"id": key, "name": key.upper(), "match": {"why": f"It is {key}."}, "score": 1.0} for key in keys]


JUDGED = [
    Judgment("screen", "exact", {"a": 3}),
    Judgment("lamp", "exact", {"b": 3}),
    Judgment("tired", "lay", {"c": 3, "d": 1}),
]
BEFORE = [hits("a", "x"), hits("b"), hits("c", "d"), hits("o")]
AFTER = [hits("x", "a"), hits("b"), hits("c", "d"), hits("p", "o")]


def test_lists_changed_queries_worst_first_with_both_sides() -> None:
    comparison = compare(JUDGED, ["own words"], BEFORE, AFTER, 0.01)
    assert comparison.queries == 4
    assert [(query.query, query.kind, query.gain) for query in comparison.changed] == [
        ("screen", "exact", -0.3691),
        ("own words", None, None),
    ]
    shown: list[dict[str, Any]] = [dict(hit) for hit in comparison.changed[0].after]
    assert shown == [
        {"id": "x", "name": "X", "why": "It is x."},
        {"id": "a", "name": "A", "why": "It is a."},
    ]
    before, after = comparison.scores["exact"]
    assert (before.success1, after.success1, after.success3) == (1.0, 0.5, 1.0)


@pytest.mark.parametrize(
    ("tolerance", "messages"),
    [
        (0.2, ["exact: success1 drops by 0.5000 ('screen')", "all: success1 drops by 0.3333 ('screen')"]),
        (0.5, []),
    ],
)
def test_reports_drops_beyond_the_tolerance_with_their_queries(tolerance: float, messages: list[str]) -> None:
    assert regressions(JUDGED, BEFORE, AFTER, tolerance) == messages


def test_queries_that_were_not_run_count_as_unchanged() -> None:
    all_queries = regressions(JUDGED, BEFORE, AFTER, 0.1)
    assert regressions(JUDGED[:1], BEFORE[:1], AFTER[:1], 0.1, query_counts(JUDGED)) == all_queries


@pytest.mark.parametrize(
    ("query", "terms", "is_affected"),
    [
        ("screen reader", ["reader"], True),
        ("screen reader", ["screen-reader"], True),
        ("wheelchiar ramp", ["wheelchair"], True),  # corrected before the rules are matched
        ("stairlft", ["stair lift"], True),
        ("crohns disease", ["wheelchair"], False),
        ("adhd", ["pc"], False),
        ("adhd", ["+++"], False),
    ],
)
def test_selects_queries_that_a_rule_can_affect(query: str, terms: list[str], *, is_affected: bool) -> None:
    assert (affected_queries([query], terms) == [query]) is is_affected
