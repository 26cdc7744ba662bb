"""Comparison of two releases: changed queries, regressions, queries that a rule can affect, and reports."""

import re
from typing import Any

import pytest

from akg.evaluation.candidate import (
    Hits,
    Preview,
    affected_queries,
    compare,
    query_counts,
    regressions,
)
from akg.evaluation.candidate_report import comparison_report, preview_page
from akg.evaluation.comparison_page import as_html
from akg.evaluation.metrics import Judgment
from akg.reports.evaluation import HitRow


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


HIT = {"id": "a", "name": "<b>A</b>", "match": {"why": "It is a & b."}}
OTHER = {"id": "b", "name": "B", "match": {"why": "It is b."}}
PREVIEW = Preview(
    data_version="1+abc",
    before="aaaaaaaaaaaa",
    after="bbbbbbbbbbbb",
    added=["a.txt:1  <script> => x"],
    removed=[],
    comparison=compare([Judgment("q & a", "lay", {"a": 3})], [], [[HIT]], [[OTHER, HIT]], 0.01),
)


def test_the_page_loads_nothing_and_escapes_text() -> None:
    page = as_html(preview_page(PREVIEW))
    assert re.findall(r"(?:src|href|url)\s*[=(]|<script|<b>A", page) == []
    assert "&lt;script&gt; =&gt; x" in page
    assert "‘q &amp; a’ (lay, nDCG -0.3691)" in page
    assert '<html lang="en">' in page
    assert page.index("<h1>") < page.index("<h2>") < page.index("<h3>")
    assert "1.0000 → 0.6309" in page


def test_the_report_has_the_whole_comparison() -> None:
    report = comparison_report(PREVIEW.comparison)
    assert report.changed[0].after[0] == HitRow(id="b", name="B", why="It is b.")
    assert report.regressions[0].startswith("lay: ndcg drops by 0.3691")
