"""What the chaos trials judge by, as tables: verdicts on answers, times to recover, growth, steps, reports."""

from __future__ import annotations

import math
from typing import Any

import orjson
import pytest

from bench.faults.report import markdown, page
from bench.faults.response_check import Checker, Given, Verdict, Versions, parse_body
from bench.faults.steps import shape, steps_of
from bench.faults.trials import grown, recovery, slope
from bench.figures import percentile

A: Versions = ("tables-a", "rules")
B: Versions = ("tables-b", "rules")
TAGS = {A: "a" * 16, B: "b" * 16}


def body(results: str, versions: Versions = A, **said: int | str) -> bytes:
    provenance = {"data_version": versions[0], "synonyms_version": versions[1], "released": "noon", **said}
    return orjson.dumps({"results": results, "provenance": provenance})


def tag(versions: Versions) -> str:
    return f'"{TAGS[versions]}{"0" * 16}"'


def checker() -> Checker:
    """Release A is live; both give `q` answers of their own and `same` the same one."""
    truth = {
        versions: {"q": parse_body(body(versions[0], versions)).content, "same": parse_body(body("s")).content}
        for versions in (A, B)
    }
    return Checker(truth, {A})


@pytest.mark.parametrize(
    ("question", "given", "verdict"),
    [
        ("q", Given(200, body("tables-a"), tag(A)), Verdict.RIGHT),
        ("same", Given(200, body("s"), tag(A)), Verdict.RIGHT),
        ("q", Given(200, body("tables-a", stale_seconds=4)), Verdict.STALE),
        ("q", Given(200, body("tables-b", B, stale_seconds=4)), Verdict.STALE),
        ("q", Given(200, body("tables-b", B), tag(B)), Verdict.LATE),
        ("q", Given(200, body("tables-b", A), tag(A)), Verdict.MIXED),
        ("q", Given(200, body("tables-b", A, stale_seconds=4)), Verdict.MIXED),
        ("q", Given(200, body("tables-a"), ""), Verdict.MIXED),
        ("q", Given(200, body(""), tag(A)), Verdict.WRONG),
        ("q", Given(200, body("tables-a", ("tables-c", "rules")), tag(A)), Verdict.WRONG),
        ("q", Given(200, b'{"results": []}', tag(A)), Verdict.BROKEN),
        ("q", Given(200, body("tables-a")[:-9], tag(A)), Verdict.BROKEN),
        ("q", Given(503, b"", retry_after="5"), Verdict.REFUSED),
        ("q", Given(504, b"", retry_after="1"), Verdict.REFUSED),
        ("q", Given(503, b""), Verdict.BROKEN),
        ("q", Given(500, b""), Verdict.BROKEN),
        ("q", Given(404, b"", retry_after="1"), Verdict.BROKEN),
        ("q", Given(304, b"", tag(A), had=tag(A)), Verdict.WRONG),
    ],
)
def test_each_answer_is_judged(question: str, given: Given, verdict: Verdict) -> None:
    assert checker().judge(question, given)[0] is verdict


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (Given(200, body("tables-a"), tag(A)), Verdict.RIGHT),
        (Given(304, b"", tag(A), had=tag(A)), Verdict.RIGHT),
        (Given(304, b"", tag(B), had=tag(B)), Verdict.WRONG),
        (Given(304, b"", tag(A)), Verdict.WRONG),  # nobody said what they have
        (Given(304, b"", tag(A), had=tag(B)), Verdict.WRONG),
        (Given(200, body("tables-a"), tag(B)), Verdict.MIXED),  # one release has one tag
        (Given(200, body("tables-a", released="later"), tag(A)), Verdict.MIXED),  # one tag stands for one release
        (Given(200, body("tables-a", released="later"), tag(B)), Verdict.RIGHT),
    ],
)
def test_tags_are_held_against_those_that_were_given(given: Given, verdict: Verdict) -> None:
    judge = checker()
    assert judge.judge("q", Given(200, body("tables-a"), tag(A))) == (Verdict.RIGHT, "")
    assert judge.judge("q", given)[0] is verdict


@pytest.mark.parametrize(
    ("troubles", "seconds"),
    [
        ([], 0.0),
        ([(4.0, 9.0)], 0.0),  # over before
        ([(9.0, 10.5)], 0.5),
        ([(10.0, 10.5), (11.0, 12.0)], 2.0),
        ([(11.0, 12.0), (10.0, 10.5)], 2.0),
        ([(10.0, 14.0), (11.0, 12.0)], 4.0),
        ([(10.0, 10.5), (13.6, 14.0)], 0.5),  # calm between
        ([(12.0, 12.5)], 2.5),  # soon after it, so of it
        ([(13.5, 15.0)], 1.5),  # long after it: from its own beginning
        ([(10.0, 11.0), (30.5, 31.0), (32.0, 36.0)], 6.0),  # what comes of the mending counts from then
        ([(10.0, 11.0), (31.0, 34.0)], 4.0),
    ],
)
def test_it_has_recovered_when_all_is_calm(troubles: list[tuple[float, float]], seconds: float) -> None:
    assert recovery(troubles, causes=(10.0, 30.0), calm=3.0) == seconds


def test_what_cannot_be_survived_is_counted_from_when_it_is_over() -> None:
    assert recovery([(10.0, 29.0), (28.0, 31.0), (31.5, 32.0)], causes=(30.0,), calm=3.0) == 2.0


@pytest.mark.parametrize(
    ("points", "per_hour"),
    [
        ([(0.0, 5.0), (1800.0, 5.0), (3600.0, 5.0)], 0.0),
        ([(0.0, 5.0), (1800.0, 6.0)], 2.0),
        ([(0.0, 1.0), (3600.0, 4.0), (7200.0, 1.0)], 0.0),
    ],
)
def test_slopes_are_per_hour(points: list[tuple[float, float]], per_hour: float) -> None:
    assert slope(points) == pytest.approx(per_hour)


def test_of_one_moment_nothing_is_known() -> None:
    assert math.isnan(slope([(1.0, 2.0)]))
    assert math.isnan(percentile([], 0.5))


@pytest.mark.parametrize(("share", "value"), [(0.0, 1.0), (0.5, 2.0), (0.51, 3.0), (0.99, 4.0), (1.0, 4.0)])
def test_quantiles_are_values_that_were_seen(share: float, value: float) -> None:
    assert percentile([4.0, 2.0, 1.0, 3.0], share) == value


def test_growth_excludes_the_warm_up() -> None:
    points = [(0.0, 10.0), (900.0, 100.0), (1800.0, 100.0), (2700.0, 160.0)]
    assert grown(points) == {"first": 100.0, "last": 160.0, "per_hour": 120.0, "flat": False}
    assert grown([(at, 100.0) for at, _ in points])["flat"]
    assert grown([]) == {"flat": False}


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("PUT", "/akg-steps-20261122t004100z", "PUT /akg-steps-…"),
        ("POST", "/akg-steps-20261122t004100z/_forcemerge", "POST /akg-steps-…/_forcemerge"),
        ("PUT", "/akg-control/_doc/writer-akg-steps", "PUT /akg-control/_doc"),
    ],
)
def test_call_shapes_omit_variable_parts(method: str, path: str, expected: str) -> None:
    assert shape(method, path) == expected


def test_steps_are_each_write_twice_and_each_read_once() -> None:
    calls = ["GET /a", "POST /_bulk", "POST /_bulk", "POST /_bulk", "GET /a", "POST /a/_search", "POST /a/_search"]
    assert steps_of(calls) == ["GET /a 1", "POST /_bulk 1", "POST /_bulk 2", "POST /a/_search 1"]


def trial(**other: object) -> dict[str, Any]:
    verdicts = {one.value: 0 for one in Verdict} | {"right": 1200, "refused": 3}
    return {
        "name": "line-cut",
        "says": "no connection to one node",
        "verdicts": verdicts,
        "reads": 1200,
        "failed_reads": 0,
        "recovery_seconds": 0.52,
        "passed": True,
        "held": {},
        "notes": [],
        "lost": [],
        "failures": [],
        "complaints": {},
        **other,
    }


def test_a_report_is_a_table_and_what_did_not_hold() -> None:
    failed = trial(
        passed=False,
        held={"nothing published was lost": False, "0 reads failed after the retry": True},
        notes=["the line to node-1 is cut"],
        lost=["akg-1 is gone"],
        complaints={"GET /graph: 503": 3},
    )
    report = {
        "seed": 1,
        "ended": "2026-11-22 15:00 UTC",
        "rounds": 1,
        "seconds": 15.0,
        "heap": "400m",
        "processors": 2,
        "entities": 12_000,
        "trials": [trial(), failed],
        "soak": None,
        "skipped": {"clock-jumped": "no clock"},
    }
    lines = markdown(report).splitlines()
    assert lines[2].startswith("| fault | requests | right |")
    assert lines[4] == "| no connection to one node | 1,203 | 1,200 | 0 | 3 | 0 | 0 | 0 of 1,200 | 0.5 s | yes |"
    assert lines[7] == "- **line-cut**: the line to node-1 is cut."
    assert lines[9:12] == [
        "**line-cut**: not held: nothing published was lost.",
        "- akg-1 is gone",
        "- 3 × GET /graph: 503",
    ]
    assert lines[13] == "- Not tried: clock-jumped: no clock"
    assert page("# Title\n\n{{report}}\n\nEnd\n", report) == f"# Title\n\n{markdown(report).strip()}\n\nEnd\n"
