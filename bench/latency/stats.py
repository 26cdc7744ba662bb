"""Percentiles of one turn, then medians and spread over all turns. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


DIGITS = 4


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of some turns, the least and the most."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Turn:
    """What one contender did in one turn.

    `micros` are the microseconds that each answer took, sorted; `size` is the bytes of all bodies, `hits` how many came
    from a cache that says so, `failed` what was no whole 200. `cpu` is the load client's processor time, in seconds.
    """

    micros: Sequence[int]
    seconds: float
    size: int
    hits: int
    failed: int
    cpu: float

    @property
    def rate(self) -> float:
        """Answers per second."""
        return len(self.micros) / self.seconds

    @property
    def p50(self) -> float:
        """Milliseconds."""
        return percentile(self.micros, 0.5) / 1000

    @property
    def p99(self) -> float:
        """Milliseconds."""
        return percentile(self.micros, 0.99) / 1000


def percentile(ranked: Sequence[float], share: float) -> float:
    """The smallest of the sorted values that at least so large a share does not pass; not a number where none is."""
    if not ranked:
        return math.nan
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)]


def spread(values: Sequence[float]) -> Spread | None:
    """Median, least and most; values that are no numbers are left out, and None is said of nothing at all."""
    known = [value for value in values if not math.isnan(value)]
    return Spread(*map(rounded, (median(known), min(known), max(known)))) if known else None


def rounded(value: float) -> float:
    """To so many digits as a measurement is worth."""
    return float(f"{value:.{DIGITS}g}")


def over(turns: Sequence[Turn], figure: Callable[[Turn], float]) -> Spread | None:
    """One figure over all turns."""
    return spread([figure(turn) for turn in turns])


def paired(
    ones: Sequence[Turn], others: Sequence[Turn], figure: Callable[[Turn], float], both: Callable[[float, float], float]
) -> Spread | None:
    """Two contenders held against each other round by round, so that a slow moment of the machine weighs on both."""
    pairs = [(figure(one), figure(other)) for one, other in zip(ones, others, strict=True)]
    return spread([both(one, other) for one, other in pairs if other])
