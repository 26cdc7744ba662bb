"""How good a ranking is: graded judgments in, nDCG@10, MRR and success out. Pure but for `read_judgments`.

nDCG@10 uses gains 2^grade - 1 and a log2 discount; success@k asks for a hit of the query's highest grade in the first
k; MRR takes the first hit of that grade. A query that must find nothing scores 1 when it finds nothing, else 0.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import log2
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

DEPTH = 10
KINDS = ("exact", "alias", "abbreviation", "typo", "multiword", "lay", "intent", "id", "no-answer")
COLUMNS = ["query", "kind", "judgments", "note"]
BEST_GRADE = 3
ROUNDING = 1e-9  # a fall of just the tolerance is let pass


class JudgmentError(Exception):
    """Judgments that cannot be read; one `file:line: what` a line."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a query should find: ids with grades 1 to 3; none for a query that must find nothing."""

    query: str
    kind: str
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over a set of queries."""

    queries: int
    ndcg: float
    mrr: float
    success1: float
    success3: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one query found, best first, and how good that is."""

    judgment: Judgment
    found: Sequence[str]
    ndcg: float
    mrr: float
    success1: float
    success3: float


def read_judgments(path: Path) -> list[Judgment]:
    """Read the table; raise JudgmentError with every problem as file:line."""
    judgments, problems = [], []
    lines = [(number, line) for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)]
    rows = [(number, line.split("\t")) for number, line in lines if line.strip() and not line.startswith("#")]
    if not rows or rows[0][1] != COLUMNS:
        raise JudgmentError(f"{path.name}: the first line that is no comment must be: {', '.join(COLUMNS)}")
    for number, cells in rows[1:]:
        found = _judgment(cells)
        if isinstance(found, Judgment):
            judgments.append(found)
        else:
            problems.append(f"{path.name}:{number}: {found}")
    if problems:
        raise JudgmentError("\n".join(problems))
    return judgments


def _judgment(cells: Sequence[str]) -> Judgment | str:
    if len(cells) not in (len(COLUMNS) - 1, len(COLUMNS)):
        return f"{len(cells)} cells; a line has {', '.join(COLUMNS)}"
    query, kind, judged = cells[:3]
    if kind not in KINDS:
        return f"unknown kind {kind!r}; valid: {', '.join(KINDS)}"
    grades = {}
    for part in judged.split():
        key, _, grade = part.rpartition("=")
        if not key or not grade.isdecimal() or not 1 <= int(grade) <= BEST_GRADE:
            return f"{part!r} is not id=grade with a grade from 1 to {BEST_GRADE}"
        grades[key] = int(grade)
    if bool(grades) == (kind == "no-answer"):
        return "a no-answer query has no judgments, and every other one has some"
    return Judgment(query, kind, grades)


def score(judgment: Judgment, found: Sequence[str]) -> Outcome:
    """Judge what a query found."""
    if not judgment.grades:
        right = 0.0 if found else 1.0
        return Outcome(judgment, found, right, right, right, right)
    best = max(judgment.grades.values())
    first = next((place for place, key in enumerate(found, start=1) if judgment.grades.get(key) == best), None)
    ideal = _gain(sorted(judgment.grades.values(), reverse=True))
    ndcg = _gain([judgment.grades.get(key, 0) for key in found]) / ideal
    mrr = 1 / first if first else 0.0
    return Outcome(judgment, found, ndcg, mrr, float(first == 1), float(first is not None and first <= 3))  # noqa: PLR2004 - success@3


def _gain(grades: Sequence[int]) -> float:
    return sum((2.0**grade - 1) / log2(place + 1) for place, grade in enumerate(grades[:DEPTH], start=1))


def by_kind(outcomes: Iterable[Outcome]) -> dict[str, Scores]:
    """Mean scores per kind, and over `all`."""
    groups: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.judgment.kind].append(outcome)
        groups["all"].append(outcome)
    return {kind: _mean(groups[kind]) for kind in (*KINDS, "all") if kind in groups}


def _mean(outcomes: Sequence[Outcome]) -> Scores:
    names = ("ndcg", "mrr", "success1", "success3")
    return Scores(len(outcomes), *(round(fmean(getattr(one, name) for one in outcomes), 4) for name in names))


def drops(before: Mapping[str, Mapping[str, float]], now: Mapping[str, Scores], tolerance: float) -> list[str]:
    """Kinds whose nDCG or success fell by more than the tolerance, in words."""
    found = []
    for kind, scores in now.items():
        for name in ("ndcg", "success1", "success3"):
            old, new = before.get(kind, {}).get(name), getattr(scores, name)
            if old is not None and new < old - tolerance - ROUNDING:
                found.append(f"{kind}: {name} fell from {old:.4f} to {new:.4f}")
    return found
