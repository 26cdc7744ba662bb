"""Two releases asked the same: which queries moved, and what that does to the scores. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rapidfuzz.fuzz import partial_ratio

from api.quality import ROUNDING, by_kind, score
from api.words import squeeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from api.quality import Judgment, Scores

Hits = list[dict[str, Any]]  # as search answers them

SHOWN = 5  # hits of a moved query that are shown
ALIKE = 70.0  # of 100; with two slips in a term of seven letters, its best stretch in the query still has 71
MEASURES = ("ndcg", "success1", "success3")


@dataclass(frozen=True, slots=True)
class Moved:
    """A query that finds other entities or another order. Without a judgment, `kind` and `gain` (nDCG) are None."""

    query: str
    kind: str | None
    gain: float | None
    before: Sequence[Mapping[str, str]]
    after: Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a change does: scores of each kind before and after, and every query that moved, the worst first."""

    asked: int
    scores: Mapping[str, tuple[Scores, Scores]]
    moved: Sequence[Moved]
    falls: Sequence[str]


def compare(
    judgments: Sequence[Judgment],
    texts: Sequence[str],
    before: Sequence[Hits],
    after: Sequence[Hits],
    tolerance: float,
) -> Comparison:
    """Compare the hits of the judged queries and of further texts, in this order, on two releases."""
    old = [score(one, _ids(hits)) for one, hits in zip(judgments, before[: len(judgments)], strict=True)]
    new = [score(one, _ids(hits)) for one, hits in zip(judgments, after[: len(judgments)], strict=True)]
    scores_before, scores_after = by_kind(old), by_kind(new)
    gains = [round(there.ndcg - here.ndcg, 4) for here, there in zip(old, new, strict=True)]
    labels: list[tuple[str, str | None, float | None]] = [
        *((one.query, one.kind, gain) for one, gain in zip(judgments, gains, strict=True)),
        *((text, None, None) for text in texts),
    ]
    moved = [
        Moved(query, kind, gain, _shown(here), _shown(there))
        for (query, kind, gain), here, there in zip(labels, before, after, strict=True)
        if _ids(here) != _ids(there)
    ]
    moved.sort(key=lambda one: (one.gain is None, one.gain or 0.0))
    return Comparison(
        asked=len(labels),
        scores={kind: (scores_before[kind], scores_after[kind]) for kind in scores_after},
        moved=moved,
        falls=falls(judgments, before, after, tolerance),
    )


def falls(
    judgments: Sequence[Judgment],
    before: Sequence[Hits],
    after: Sequence[Hits],
    tolerance: float,
    sizes: Mapping[str, int] | None = None,
) -> list[str]:
    """Kinds whose nDCG or success falls by more than the tolerance, in words.

    `sizes` says how many queries each kind has, where only those that can have moved were asked.
    """
    numbers = sizes or sizes_of(judgments)
    lost: defaultdict[tuple[str, str], float] = defaultdict(float)
    worst: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for one, here, there in zip(judgments, before, after, strict=False):
        old, new = score(one, _ids(here)), score(one, _ids(there))
        for kind in (one.kind, "all"):
            for measure in MEASURES:
                lost[kind, measure] += getattr(old, measure) - getattr(new, measure)
        if new.ndcg < old.ndcg:
            worst[one.kind].append((new.ndcg - old.ndcg, one.query))
            worst["all"].append((new.ndcg - old.ndcg, one.query))
    found = []
    for (kind, measure), sum_lost in lost.items():
        fall = sum_lost / numbers[kind]
        if fall > tolerance + ROUNDING:
            queries = ", ".join(repr(query) for _, query in sorted(worst[kind])[:SHOWN])
            found.append(f"{kind}: {measure} falls by {fall:.4f}" + (f" ({queries})" if queries else ""))
    return found


def sizes_of(judgments: Iterable[Judgment]) -> dict[str, int]:
    """How many judged queries each kind has, and `all`."""
    kinds = Counter(one.kind for one in judgments)
    return {**kinds, "all": kinds.total()}


def touched(queries: Iterable[str], terms: Iterable[str]) -> list[str]:
    """The queries that rules with these terms can act on, as typed or once a slip in them is mended.

    Never too few: a term must stand in the query but for a slip or two, else no rule of it can speak.
    """
    squeezed = [one for one in {squeeze(term) for term in terms} if one]
    return [query for query in queries if any(partial_ratio(term, squeeze(query)) >= ALIKE for term in squeezed)]


def _ids(hits: Hits) -> list[str]:
    return [hit["id"] for hit in hits]


def _shown(hits: Hits) -> list[dict[str, str]]:
    return [{"id": hit["id"], "name": hit["name"], "why": hit["match"]["why"]} for hit in hits[:SHOWN]]
