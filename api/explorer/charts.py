"""The chart of usage: bars of days as numbers for an SVG. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDTH, HEIGHT = 720, 180  # of the drawing; it is stretched to the page
STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Bar:
    """One day. `height` is zero where nothing is told; `known` says whether there is a number."""

    date: str
    requests: int | None
    known: bool
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars from the oldest day to the newest under a rounded top value."""

    bars: list[Bar]
    top: int
    width: int = WIDTH
    height: int = HEIGHT


def usage_chart(days: Sequence[Mapping[str, Any]], count: int, newest: str) -> Chart:
    """The last `count` days up to `newest` (ISO date); days that are not told of have no bar."""
    told = {day["date"]: day["requests"] for day in days}
    last = date.fromisoformat(newest)
    dates = [str(last - timedelta(days=back)) for back in reversed(range(count))]
    top = rounded_up(max((told.get(one) or 0 for one in dates), default=0))
    step = WIDTH / count
    bars = []
    for place, day in enumerate(dates):
        requests = told.get(day)
        height = round((requests or 0) / top * HEIGHT, 1)
        x, width = round(place * step + step * 0.1, 1), round(step * 0.8, 1)
        bars.append(Bar(day, requests, day in told, x, round(HEIGHT - height, 1), width, height))
    return Chart(bars, top)


def rounded_up(value: int) -> int:
    """The next of 10, 20, 50, 100 and so on."""
    size = 10
    while True:
        for step in STEPS:
            if step * size >= value:
                return step * size
        size *= 10
