"""Fault injection: verdicts on responses, recovery times, growth, steps and reports."""

import math
from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from bench.faults.report import markdown, page
from bench.faults.response_check import Checker, Response, Verdict, Versions, parse_body
from bench.faults.steps import list_steps, normalize_call
from bench.faults.trials import growth_of, recovery, slope
from bench.figures import percentile

A: Versions = ("tables-a", "rules")
B: Versions = ("tables-b", "rules")
TAGS = {A: "a" * 16, B: "b" * 16}


def body(results: str, versions: Versions = A, **fields: int | str) -> bytes:
    provenance = {"data_version": versions[0], "synonyms_version": versions[1], "released": "noon", **fields}
    return orjson.dumps({"results": results, "provenance": provenance})


def tag(versions: Versions) -> str:
    return f'"{TAGS[versions]}{"0" * 16}"'


def checker() -> Checker:
    """Release A is live; the response to `q` differs between the releases, the response to `same` does not."""
    baseline = {
        versions: {"q": parse_body(body(versions[0], versions)).content, "same": parse_body(body("s")).content}
        for versions in (A, B)
    }
    return Checker(baseline, {A})


@pytest.mark.parametrize(
    ("name", "response", "verdict"),
    [
        ("q", Response(200, body("tables-a"), tag(A)), Verdict.CORRECT),
        ("same", Response(200, body("s"), tag(A)), Verdict.CORRECT),
        ("q", Response(200, body("tables-a", stale_seconds=4)), Verdict.STALE),
        ("q", Response(200, body("tables-b", B, stale_seconds=4)), Verdict.STALE),
        ("q", Response(200, body("tables-b", B), tag(B)), Verdict.LATE),
        ("q", Response(200, body("tables-b", A), tag(A)), Verdict.MIXED),
        ("q", Response(200, body("tables-b", A, stale_seconds=4)), Verdict.MIXED),
        ("q", Response(200, body("tables-a"), ""), Verdict.MIXED),
        ("q", Response(200, body(""), tag(A)), Verdict.WRONG),
        ("q", Response(200, body("tables-a", ("tables-c", "rules")), tag(A)), Verdict.WRONG),
        ("q", Response(200, b'{"results": []}', tag(A)), Verdict.BROKEN),
        ("q", Response(200, body("tables-a")[:-9], tag(A)), Verdict.BROKEN),
        ("q", Response(503, b"", retry_after="5"), Verdict.REJECTED),
        ("q", Response(504, b"", retry_after="1"), Verdict.REJECTED),
        ("q", Response(503, b""), Verdict.BROKEN),
        ("q", Response(500, b""), Verdict.BROKEN),
        ("q", Response(404, b"", retry_after="1"), Verdict.BROKEN),
        ("q", Response(304, b"", tag(A), if_none_match=tag(A)), Verdict.WRONG),
    ],
)
def test_each_response_gets_its_verdict(name: str, response: Response, verdict: Verdict) -> None:
    assert checker().check(name, response)[0] is verdict


@pytest.mark.parametrize(
    ("response", "verdict"),
    [
        (Response(200, body("tables-a"), tag(A)), Verdict.CORRECT),
        (Response(304, b"", tag(A), if_none_match=tag(A)), Verdict.CORRECT),
        (Response(304, b"", tag(B), if_none_match=tag(B)), Verdict.WRONG),
        (Response(304, b"", tag(A)), Verdict.WRONG),  # the request had no If-None-Match
        (Response(304, b"", tag(A), if_none_match=tag(B)), Verdict.WRONG),
        (Response(200, body("tables-a"), tag(B)), Verdict.MIXED),  # a release has one tag
        (Response(200, body("tables-a", released="later"), tag(A)), Verdict.MIXED),  # a tag identifies one release
        (Response(200, body("tables-a", released="later"), tag(B)), Verdict.CORRECT),
    ],
)
def test_etags_are_compared_with_earlier_ones(response: Response, verdict: Verdict) -> None:
    response_checker = checker()
    assert response_checker.check("q", Response(200, body("tables-a"), tag(A))) == (Verdict.CORRECT, "")
    assert response_checker.check("q", response)[0] is verdict


@pytest.mark.parametrize(
    ("problems", "seconds"),
    [
        ([], 0.0),
        ([(4.0, 9.0)], 0.0),  # ended before the fault
        ([(9.0, 10.5)], 0.5),
        ([(10.0, 10.5), (11.0, 12.0)], 2.0),
        ([(11.0, 12.0), (10.0, 10.5)], 2.0),
        ([(10.0, 14.0), (11.0, 12.0)], 4.0),
        ([(10.0, 10.5), (13.6, 14.0)], 0.5),  # quiet between
        ([(12.0, 12.5)], 2.5),  # shortly after the fault: counts from the fault
        ([(13.5, 15.0)], 1.5),  # long after the fault: counts from its own start
        ([(10.0, 11.0), (30.5, 31.0), (32.0, 36.0)], 6.0),  # after the end of the fault: counts from there
        ([(10.0, 11.0), (31.0, 34.0)], 4.0),
    ],
)
def test_recovery_ends_with_the_last_failed_request(problems: list[tuple[float, float]], seconds: float) -> None:
    assert recovery(problems, causes=(10.0, 30.0), quiet=3.0) == seconds


def test_recovery_from_an_unsurvivable_fault_counts_from_its_end() -> None:
    assert recovery([(10.0, 29.0), (28.0, 31.0), (31.5, 32.0)], causes=(30.0,), quiet=3.0) == 2.0


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


def test_one_point_has_no_slope_and_no_values_have_no_percentile() -> None:
    assert math.isnan(slope([(1.0, 2.0)]))
    assert math.isnan(percentile([], 0.5))


@pytest.mark.parametrize(
    ("values", "share", "value"),
    [
        *(([4, 2, 1, 3], share, value) for share, value in ((0.0, 1), (0.5, 2), (0.51, 3), (0.99, 4), (1.0, 4))),
        *((range(1, 101), share, value) for share, value in ((0.5, 50), (0.99, 99))),
        *(([7], share, 7) for share in (0.5, 0.99)),
        ([1, 2], 0.5, 1),
        *(([1, 2, 3], share, value) for share, value in ((0.5, 2), (0.99, 3))),
    ],
)
def test_percentiles_are_observed_values(values: Sequence[float], share: float, value: float) -> None:
    assert percentile(values, share) == value


def test_growth_excludes_the_warm_up() -> None:
    points = [(0.0, 10.0), (900.0, 100.0), (1800.0, 100.0), (2700.0, 160.0)]
    assert growth_of(points) == {"first": 100.0, "last": 160.0, "per_hour": 120.0, "flat": False}
    assert growth_of([(at, 100.0) for at, _ in points])["flat"]
    assert growth_of([]) == {"flat": False}


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("PUT", "/akg-steps-20261122t004100z", "PUT /akg-steps-…"),
        ("POST", "/akg-steps-20261122t004100z/_forcemerge", "POST /akg-steps-…/_forcemerge"),
        ("PUT", "/akg-control/_doc/writer-akg-steps", "PUT /akg-control/_doc"),
    ],
)
def test_call_shapes_omit_variable_parts(method: str, path: str, expected: str) -> None:
    assert normalize_call(method, path) == expected


def test_steps_contain_a_repeated_write_twice_and_a_repeated_read_once() -> None:
    calls = ["GET /a", "POST /_bulk", "POST /_bulk", "POST /_bulk", "GET /a", "POST /a/_search", "POST /a/_search"]
    assert list_steps(calls) == ["GET /a 1", "POST /_bulk 1", "POST /_bulk 2", "POST /a/_search 1"]


def trial(**fields: object) -> dict[str, Any]:
    verdicts = {verdict.value: 0 for verdict in Verdict} | {"correct": 1200, "rejected": 3}
    return {
        "name": "connection-cut",
        "description": "no connection to one node",
        "verdicts": verdicts,
        "reads": 1200,
        "failed_reads": 0,
        "recovery_seconds": 0.52,
        "passed": True,
        "goals": {},
        "notes": [],
        "lost": [],
        "failures": [],
        "reasons": {},
        **fields,
    }


def test_a_report_has_a_table_and_the_missed_goals() -> None:
    failed = trial(
        passed=False,
        goals={"no release was lost": False, "0 reads failed after the retry": True},
        notes=["connection to node-1: cut"],
        lost=["akg-1 is missing"],
        reasons={"GET /graph: 503": 3},
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
    assert lines[2].startswith("| fault | requests | correct |")
    assert lines[4] == "| no connection to one node | 1,203 | 1,200 | 0 | 3 | 0 | 0 | 0 of 1,200 | 0.5 s | yes |"
    assert lines[7] == "- **connection-cut**: connection to node-1: cut."
    assert lines[9:12] == [
        "**connection-cut**: failed: no release was lost.",
        "- akg-1 is missing",
        "- 3 × GET /graph: 503",
    ]
    assert lines[13] == "- Skipped: clock-jumped: no clock"
    assert page("# Title\n\n{{report}}\n\nEnd\n", report) == f"# Title\n\n{markdown(report).strip()}\n\nEnd\n"
