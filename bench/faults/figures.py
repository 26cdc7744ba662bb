"""What a trial comes to: how long it took to recover, how fast something grows, where most of the times lie. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HOUR = 3600.0
MEGABYTE = 1e6
WARM = 0.25  # share of the looks at the beginning that are left out: caches fill, code gets compiled
FLAT = 0.1  # growth over the rest of the time, as a share of where it began, that still counts as flat
FEW = 8.0  # megabytes or handles of growth that count as flat in any case


def recovery(troubles: Iterable[tuple[float, float]], causes: Sequence[float], calm: float) -> float:
    """The most seconds that something was wrong at a stretch after the first cause; 0 where nothing was.

    Each trouble is when a request began and when it ended. A stretch ends where nothing goes wrong for `calm` seconds.
    It is counted from the cause that came up to `calm` seconds before it, and else from its own beginning.
    """
    longest, start, well = 0.0, min(causes), -math.inf
    for began, ended in sorted(troubles):
        if ended <= min(causes):
            continue
        if began - well >= calm:
            start = max((cause for cause in causes if cause <= began < cause + calm), default=max(began, min(causes)))
        well = max(well, ended)
        longest = max(longest, well - start)
    return longest


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The least-squares growth per hour of values that were read at these seconds; nan for fewer than two moments."""
    if len({at for at, _ in points}) < 2:
        return math.nan
    middle = sum(at for at, _ in points) / len(points)
    mean = sum(value for _, value in points) / len(points)
    spread = sum((at - middle) ** 2 for at, _ in points)
    return HOUR * sum((at - middle) * (value - mean) for at, value in points) / spread


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all reach or stay under; nan where there is none."""
    if not values:
        return math.nan
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def grown(points: Sequence[tuple[float, float]]) -> dict[str, float | bool]:
    """How a value went after the warm-up, and whether that is flat."""
    steady = points[int(len(points) * WARM) :]
    if not steady:
        return {"flat": False}
    first, per_hour = steady[0][1], slope(steady)
    over_all = per_hour * (steady[-1][0] - steady[0][0]) / HOUR
    flat = len(steady) > 1 and over_all <= max(FEW, FLAT * first)
    return {"first": round(first, 1), "last": round(steady[-1][1], 1), "per_hour": round(per_hour, 1), "flat": flat}
