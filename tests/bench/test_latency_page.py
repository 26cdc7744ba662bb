"""Rendering of a report: figures, tables and aims; and its file."""

from pathlib import Path

import pytest

from bench.latency.page import MET, MISSED, UNKNOWN, goals, number, render, spread_text
from bench.latency.report import (
    CACHED,
    ENGINE,
    PEER_SEARCH,
    PLAIN,
    SQL_ROUTE,
    STAC,
    UNCACHED,
    Comparison,
    ContenderInfo,
    Costs,
    Footprint,
    Graph,
    Machine,
    Measurement,
    Peers,
    RaceResult,
    Report,
    Route,
    Skipped,
    Spread,
    read,
    write,
)
from bench.latency.route_requests import SEARCH

RATES_HEAD = (
    "| route | OpenSearch/s at 1 | OpenSearch/s at 8 | service × at 1 | service × at 8 "
    "| cached × at 1 | cached × at 8 |"
)


def same(value: float) -> Spread:
    return Spread(value, value, value)


def measurement(contender: str, level: int, rate: float, millis: float) -> Measurement:
    return Measurement(contender, level, 100, 0, 500, 0.0, same(rate), same(millis), same(2 * millis), 0.2)


def comparisons(contender: str, baseline: str, level: int, rate: float, more: float = 0.5) -> Comparison:
    return Comparison(contender, baseline, level, Spread(rate, rate / 2, rate * 2), same(more))


ROUTE = Route(
    "GET /search?query=adhd",
    32,
    1,
    1,
    RaceResult(
        SEARCH,
        [
            measurement(ENGINE, 1, 1000, 1),
            measurement(UNCACHED, 1, 600, 1.5),
            measurement(CACHED, 1, 4000, 0.25),
            measurement(PLAIN, 1, 500, 2),
        ],
        [
            comparisons(UNCACHED, ENGINE, 1, 0.6, 0.5),
            comparisons(UNCACHED, ENGINE, 8, 0.61),
            comparisons(CACHED, ENGINE, 8, 1.4),
            comparisons(PLAIN, ENGINE, 1, 0.5),
        ],
    ),
)
PEER = Peers(
    24,
    [ContenderInfo(UNCACHED, "0.1.0", "does this"), ContenderInfo(STAC, "8.0.0", "does that")],
    RaceResult(PEER_SEARCH, [measurement(STAC, 8, 78, 12.8)], [comparisons(UNCACHED, STAC, 8, 21)]),
)
REPORT = Report(
    machine=Machine("2026-01-02 03:04 UTC", 600, "Some Processor", 2, 8.4, "Linux 6.1", "3.11.9", (0.1, 2.5)),
    graph=Graph("1+abc", 1200, 34_000, 5600, 12.34),
    rounds=5,
    turn_seconds=1.0,
    in_flight=[1, 8],
    routes=[ROUTE],
    peers=[PEER],
    costs=Costs(same(2), None, same(10), same(8), same(0.8), 5600, 101.5, 12.3),
    memory=[Footprint(UNCACHED, "after all turns", 123.4, 99.9)],
    skipped=[Skipped(SQL_ROUTE, "it is not installed")],
)


@pytest.mark.parametrize(
    ("value", "written"), [(0.123, "0.12"), (9.994, "9.99"), (12.34, "12.3"), (123.4, "123"), (12_345, "12,345")]
)
def test_figures_have_about_three_significant_digits(value: float, written: str) -> None:
    assert number(value) == written


def test_a_spread_has_its_range_in_brackets() -> None:
    assert spread_text(Spread(1.5, 1.25, 20)) == "1.50 (1.25–20.0)"
    assert spread_text(None) == "–"


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (
            "latency",
            [
                "| route | requests | OpenSearch p50 | service p50 | p99 | added | cached p50 | p99 |",
                "| --- | --- | --- | --- | --- | --- | --- | --- |",
                "| `GET /search` | 1 | 1.00 | 1.50 | 3.00 | 0.50 (0.50–0.50) | 0.25 | 0.50 |",
            ],
        ),
        (
            "rates",
            [
                RATES_HEAD,
                "| --- | --- | --- | --- | --- | --- | --- |",
                "| `GET /search` | 1,000 | – | 0.60 (0.30–1.20) | 0.61 (0.30–1.22) | – | 1.40 (0.70–2.80) |",
            ],
        ),
        (
            "peers",
            [
                "**Search**, 24 requests:",
                "",
                "- **service**: does this",
                "- **stac-fastapi-opensearch**: does that",
                "",
                "| program | version | in flight | responses/s | p50 ms | p99 ms | mean bytes | service × | cached × |",
                "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
                "| stac-fastapi-opensearch | 8.0.0 | 8 | 78.0 (78.0–78.0) | 12.8 | 25.6 | 500 | 21.0 (10.5–42.0) | – |",
                "",
                "![Search: responses per second](benchmarks-search.svg)",
            ],
        ),
        ("skipped", ["Skipped in this run:", "", "- datasette, SQL route: it is not installed."]),
        (
            "memory",
            [
                "| program | when | resident MB | unshared MB |",
                "| --- | --- | --- | --- |",
                "| service | after all turns | 123 | 99.9 |",
            ],
        ),
    ],
)
def test_a_part_is_rendered_line_by_line(part: str, expected: list[str]) -> None:
    assert render(f"{{{{{part}}}}}", REPORT).splitlines() == expected


def test_every_aim_has_a_verdict() -> None:
    assert [(one.target, one.measured, one.verdict) for one in goals(REPORT)] == [
        ("≥ 1.5 ×", "1.40 ×, `GET /search`", MISSED),
        ("≥ 0.6 ×", "0.61 ×", MET),
        ("≥ 0.4 ×", "–", UNKNOWN),
        ("≥ 0.4 ×", "–", UNKNOWN),
        ("≤ 1.0 ms", "0.50 ms", MET),
        ("≥ 20 ×", "21.00 ×", MET),
        ("≥ 20 ×", "–", UNKNOWN),
        ("≥ 20 ×", "–", UNKNOWN),
        ("≥ 20 ×", "–", UNKNOWN),
        ("≥ 3 ×", "–", UNKNOWN),
        ("≥ 3 ×", "–", UNKNOWN),
        ("≥ 3 ×", "–", UNKNOWN),
        ("≥ 3 ×", "–", UNKNOWN),
        ("≥ 0.7 ×", "0.80 ×", MET),
    ]


def test_a_report_survives_a_round_trip_to_its_file(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "report.json"
    write(REPORT, path)
    assert read(path) == REPORT
