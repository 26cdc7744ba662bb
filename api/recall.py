"""How much of a hidden list a ranking finds again: nDCG@20 with plain and with graded gains, recall@20. Pure.

A gain is what finding one item is worth; later places count less (log2). 1 is the best order there could be.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

DEPTH = 20
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Found:
    """What one order found of one hidden list. `graded` is None where every gain is 0: nothing can be told apart."""

    ndcg: float
    graded: float | None
    recall: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over `lists` hidden lists."""

    lists: int
    ndcg: float
    graded: float
    recall: float


def found(order: Sequence[str], hidden: Collection[str], gains: Mapping[str, float], shown: Collection[str]) -> Found:
    """Judge an order of ids by what it puts first beside what is `shown` already and need not be found."""
    first = [one for one in order if one not in shown][:DEPTH]
    plain = ndcg(first, dict.fromkeys(hidden, 1.0))
    return Found(
        ndcg=plain or 0.0,
        graded=ndcg(first, gains),
        recall=len(set(first) & set(hidden)) / min(DEPTH, len(hidden)),
    )


def ndcg(order: Sequence[str], gains: Mapping[str, float]) -> float | None:
    """nDCG@20; None without any gain."""
    best = _sum(sorted(gains.values(), reverse=True))
    return _sum([gains.get(one, 0.0) for one in order]) / best if best else None


def _sum(gains: Sequence[float]) -> float:
    return sum(gain / log2(place + 1) for place, gain in enumerate(gains[:DEPTH], start=1))


def figures(lists: Iterable[Found]) -> Figures:
    """The means; 0 where nothing was judged."""
    judged = list(lists)
    graded = [one.graded for one in judged if one.graded is not None]
    means = (
        [one.ndcg for one in judged],
        graded,
        [one.recall for one in judged],
    )
    return Figures(len(judged), *(round(fmean(values), DIGITS) if values else 0.0 for values in means))


def drops(before: Mapping[str, Mapping[str, float]], now: Mapping[str, Figures], tolerance: float) -> list[str]:
    """Figures that fell by more than the tolerance, in words. `before` holds the same by part, as a report keeps it."""
    fallen = []
    for part, figures_now in now.items():
        for name in ("ndcg", "graded", "recall"):
            old, new = before.get(part, {}).get(name), getattr(figures_now, name)
            if old is not None and new < old - tolerance:
                fallen.append(f"{part}: {name} fell from {old:.4f} to {new:.4f}")
    return fallen
