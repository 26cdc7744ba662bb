"""The public report of usage: small numbers are suppressed, and incomplete days are rounded."""

from datetime import date
from typing import Any

import pytest

from api.telemetry.usage_report import BREAKDOWNS, parse_days, suppress_small


@pytest.mark.parametrize(
    ("counts", "step", "public"),
    [
        ({}, 1, {}),
        ({"a": 10, "b": 500}, 1, {"a": 10, "b": 500}),
        ({"a": 0, "b": 500}, 1, {"a": 0, "b": 500}),
        ({"a": 9, "b": 20, "c": 500}, 1, {"a": None, "b": None, "c": 500}),  # or 9 could be computed from the total
        ({"a": 9, "b": 9, "c": 500}, 1, {"a": None, "b": None, "c": 500}),
        ({"a": 1, "b": 2, "c": 30, "d": 500}, 1, {"a": None, "b": None, "c": None, "d": 500}),
        ({"a": 9}, 1, {"a": None}),
        ({"a": 3, "b": 20}, 1, {"a": None, "b": None}),
        ({"a": 9, "b": 19, "c": 519, "d": 0}, 10, {"a": None, "b": None, "c": 510, "d": 0}),  # an incomplete day
    ],
)
def test_small_numbers_are_suppressed_and_cannot_be_computed(
    counts: dict[str, int], step: int, public: dict[str, int | None]
) -> None:
    assert suppress_small(counts, step) == public


def bucket(day: str, requests: int) -> dict[str, Any]:
    kinds = {"buckets": [{"key": "x", "requests": {"value": float(requests)}}]}
    sums = {"by_transport": kinds, "by_route": kinds, "by_status": kinds, "requests": {"value": float(requests)}}
    return {"key_as_string": f"{day}T00:00:00.000Z", **sums}


def test_days_are_newest_first_and_today_is_incomplete() -> None:
    buckets = [bucket("2026-11-20", 44), bucket("2026-11-21", 4), bucket("2026-11-22", 44)]
    response = {"aggregations": {"days": {"buckets": buckets}}}
    assert parse_days(response, date(2026, 11, 21)) == [
        {"date": "2026-11-22", "complete": False, "requests": 40} | {name: {"x": 40} for name in BREAKDOWNS},
        {"date": "2026-11-21", "complete": False, "requests": None} | {name: {"x": None} for name in BREAKDOWNS},
        {"date": "2026-11-20", "complete": True, "requests": 44} | {name: {"x": 44} for name in BREAKDOWNS},
    ]
    assert parse_days({"hits": {}}, date(2026, 11, 21)) == []
