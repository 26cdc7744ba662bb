"""A report becomes tables and verdicts, and comes back from its file as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.latency.page import MET, MISSED, UNKNOWN, goals, number, render, spread_text
from bench.latency.questions import SEARCH
from bench.latency.report import (
    CACHED,
    ENGINE,
    PEER_SEARCH,
    PLAIN,
    SQL_ROUTE,
    STAC,
    UNCACHED,
    Against,
    Cell,
    Costs,
    Does,
    Footprint,
    Graph,
    Held,
    LeftOut,
    Machine,
    Peers,
    Report,
    Route,
    Spread,
    read,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path

RATES_HEAD = (
    "| route | engine/s at 1 | engine/s at 8 | service × at 1 | service × at 8 | from the cache × at 1 "
    "| from the cache × at 8 |"
)
MACHINE = Machine("2026-01-02 03:04 UTC", 600, "Some Processor", 2, 8.4, "Linux 6.1", "3.11.9", (0.1, 2.5))
GRAPH = Graph("1+abc", 1200, 34_000, 5600, 12.34)


def same(value: float) -> Spread:
    return Spread(value, value, value)


def cell(contender: str, level: int, rate: float, millis: float) -> Cell:
    return Cell(contender, level, 100, 0, 500, 0.0, same(rate), same(millis), same(2 * millis), 0.2)


def against(contender: str, than: str, level: int, rate: float, more: float = 0.5) -> Against:
    return Against(contender, than, level, Spread(rate, rate / 2, rate * 2), same(more))


ROUTE = Route(
    "GET /search?query=adhd",
    32,
    1,
    1,
    Held(
        SEARCH,
        [cell(ENGINE, 1, 1000, 1), cell(UNCACHED, 1, 600, 1.5), cell(CACHED, 1, 4000, 0.25), cell(PLAIN, 1, 500, 2)],
        [
            against(UNCACHED, ENGINE, 1, 0.6, 0.5),
            against(UNCACHED, ENGINE, 8, 0.61),
            against(CACHED, ENGINE, 8, 1.4),
            against(PLAIN, ENGINE, 1, 0.5),
        ],
    ),
)
PEER = Peers(
    24,
    [Does(UNCACHED, "0.1.0", "does this"), Does(STAC, "8.0.0", "does that")],
    Held(PEER_SEARCH, [cell(STAC, 8, 78, 12.8)], [against(UNCACHED, STAC, 8, 21)]),
)
REPORT = Report(
    MACHINE,
    GRAPH,
    5,
    1.0,
    [1, 8],
    [ROUTE],
    [PEER],
    Costs(same(2), None, same(10), same(8), same(0.8), 5600, 101.5, 12.3),
    [Footprint(UNCACHED, "after all turns", 123.4, 99.9)],
    [LeftOut(SQL_ROUTE, "it is not installed")],
)


@pytest.mark.parametrize(
    ("value", "written"), [(0.123, "0.12"), (9.994, "9.99"), (12.34, "12.3"), (123.4, "123"), (12_345, "12,345")]
)
def test_a_figure_has_as_many_digits_as_it_is_worth(value: float, written: str) -> None:
    assert number(value) == written


def test_a_spread_has_its_range_in_brackets() -> None:
    assert spread_text(Spread(1.5, 1.25, 20)) == "1.50 (1.25–20.0)"
    assert spread_text(None) == "–"


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (
            "alone",
            [
                "| route | requests | engine p50 | service p50 | p99 | more | from the cache p50 | p99 |",
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
                "**Search**, 24 questions:",
                "",
                "- **service**: does this",
                "- **stac-fastapi-opensearch**: does that",
                "",
                "|  | version | in flight | answers/s | p50 ms | p99 ms | mean bytes | service × | cached × |",
                "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
                "| stac-fastapi-opensearch | 8.0.0 | 8 | 78.0 (78.0–78.0) | 12.8 | 25.6 | 500 | 21.0 (10.5–42.0) | – |",
                "",
                "![Search: answers per second](benchmarks-search.svg)",
            ],
        ),
        ("left_out", ["Left out of this run:", "", "- datasette, SQL route: it is not installed."]),
        (
            "memory",
            [
                "| program | when | resident MB | of its own MB |",
                "| --- | --- | --- | --- |",
                "| service | after all turns | 123 | 99.9 |",
            ],
        ),
    ],
)
def test_parts_of_the_page(part: str, expected: list[str]) -> None:
    assert render(f"{{{{{part}}}}}", REPORT).splitlines() == expected


def test_every_aim_has_its_verdict() -> None:
    assert [(one.wanted, one.measured, one.verdict) for one in goals(REPORT)] == [
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


def test_a_report_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "report.json"
    write(REPORT, path)
    assert read(path) == REPORT
