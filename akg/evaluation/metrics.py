"""Ranking metrics: nDCG@10, MRR and success@k of judged queries, nDCG@20 and recall@20 of hidden lists.

nDCG discounts the gain of a rank by log2; 1 is the best possible order. Judged queries have gains 2^grade - 1.
success@k is 1 if a hit of the query's highest grade is among the first k; MRR uses the first hit of that grade.
A query that must have no results scores 1 if it has none, else 0. Only `read_judgments` touches the disk.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import fmean

from akg.evaluation.judged_tables import JudgmentError, table_rows

KINDS = ("exact", "alias", "abbreviation", "typo", "multiword", "lay", "intent", "id", "no-answer")
COLUMNS = ["query", "kind", "judgments", "note"]
MAX_GRADE = 3
SEARCH_DEPTH = 10
HOLDOUT_DEPTH = 20
SEARCH_MEASURES = ("ndcg", "success1", "success3")  # a fall of MRR alone is no regression
HOLDOUT_MEASURES = ("ndcg", "graded", "recall")
SCORE_EPSILON = 1e-9  # a drop of exactly the tolerance is accepted
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Judgment:
    """A query and the ids it should find with grades 1 to 3; no ids if it must have no results."""

    query: str
    kind: str
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Scores:
    """Mean scores of a set of queries."""

    queries: int
    ndcg: float
    mrr: float
    success1: float
    success3: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """The ids that a judged query returned, best first, and their scores."""

    judgment: Judgment
    ids: Sequence[str]
    ndcg: float
    mrr: float
    success1: float
    success3: float


@dataclass(frozen=True, slots=True)
class HoldoutScores:
    """Scores of one ranking against one hidden list. `graded` is None if all gains are 0."""

    ndcg: float
    graded: float | None
    recall: float


@dataclass(frozen=True, slots=True)
class MeanHoldoutScores:
    """Mean scores of one ranking over `lists` hidden lists."""

    lists: int
    ndcg: float
    graded: float
    recall: float


def read_judgments(path: Path) -> list[Judgment]:
    """Read the table; raise JudgmentError with every problem as file:line."""
    judgments, problems = [], []
    for number, cells in table_rows(path, COLUMNS):
        judgment = _parse_judgment(cells)
        if isinstance(judgment, Judgment):
            judgments.append(judgment)
        else:
            problems.append(f"{path.name}:{number}: {judgment}")
    if problems:
        raise JudgmentError("\n".join(problems))
    return judgments


def _parse_judgment(cells: Sequence[str]) -> Judgment | str:
    if len(cells) not in (len(COLUMNS) - 1, len(COLUMNS)):
        return f"{len(cells)} cells; a line has {', '.join(COLUMNS)}"
    query, kind, graded_ids = cells[:3]
    if kind not in KINDS:
        return f"unknown kind {kind!r}; valid: {', '.join(KINDS)}"
    grades = {}
    for part in graded_ids.split():
        key, _, grade = part.rpartition("=")
        if not key or not grade.isdecimal() or not 1 <= int(grade) <= MAX_GRADE:
            return f"{part!r} is not id=grade with a grade from 1 to {MAX_GRADE}"
        grades[key] = int(grade)
    if bool(grades) == (kind == "no-answer"):
        return "a no-answer query has no judgments, every other query has at least one"
    return Judgment(query, kind, grades)


def score(judgment: Judgment, ids: Sequence[str]) -> Outcome:
    """Score the ids that a judged query returned, best first."""
    if not judgment.grades:
        value = 0.0 if ids else 1.0
        return Outcome(judgment, ids, value, value, value, value)
    best = max(judgment.grades.values())
    rank = next((rank for rank, key in enumerate(ids, start=1) if judgment.grades.get(key) == best), None)
    gains = {key: 2.0**grade - 1 for key, grade in judgment.grades.items()}
    mrr = 1 / rank if rank else 0.0
    success1, success3 = rank == 1, rank is not None and rank <= 3  # noqa: PLR2004 - success@3
    return Outcome(judgment, ids, ndcg(ids, gains, SEARCH_DEPTH) or 0.0, mrr, float(success1), float(success3))


def score_holdout(
    ranking: Sequence[str], hidden: Collection[str], gains: Mapping[str, float], shown: Collection[str]
) -> HoldoutScores:
    """Score a ranking of ids against a hidden list, without the ids that are still shown."""
    first = [key for key in ranking if key not in shown][:HOLDOUT_DEPTH]
    return HoldoutScores(
        ndcg=ndcg(first, dict.fromkeys(hidden, 1.0), HOLDOUT_DEPTH) or 0.0,
        graded=ndcg(first, gains, HOLDOUT_DEPTH),
        recall=len(set(first) & set(hidden)) / min(HOLDOUT_DEPTH, len(hidden)),
    )


def ndcg(ranking: Sequence[str], gains: Mapping[str, float], depth: int) -> float | None:
    """Return the nDCG of the first ids of a ranking; None if all gains are 0."""
    ideal = _discounted(sorted(gains.values(), reverse=True)[:depth])
    return _discounted([gains.get(key, 0.0) for key in ranking[:depth]]) / ideal if ideal else None


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def scores_by_kind(outcomes: Iterable[Outcome]) -> dict[str, Scores]:
    """Return the mean scores of each kind and of `all`."""
    groups: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.judgment.kind].append(outcome)
        groups["all"].append(outcome)
    return {kind: mean_scores(groups[kind]) for kind in (*KINDS, "all") if kind in groups}


def mean_scores(outcomes: Sequence[Outcome]) -> Scores:
    """Return the mean scores of queries."""
    names = ("ndcg", "mrr", "success1", "success3")
    return Scores(len(outcomes), *(_mean([getattr(outcome, name) for outcome in outcomes]) for name in names))


def mean_holdout_scores(scores: Iterable[HoldoutScores]) -> MeanHoldoutScores:
    """Return the means; `graded` over the lists that have gains."""
    judged = list(scores)
    return MeanHoldoutScores(
        len(judged),
        ndcg=_mean([score.ndcg for score in judged]),
        graded=_mean([score.graded for score in judged if score.graded is not None]),
        recall=_mean([score.recall for score in judged]),
    )


def _mean(values: Sequence[float]) -> float:
    return round(fmean(values), DIGITS) if values else 0.0


def regressions(
    before: Mapping[str, Mapping[str, float]],
    after: Mapping[str, object],
    tolerance: float,
    measures: Sequence[str] = SEARCH_MEASURES,
) -> list[str]:
    """Return a message for each measure that dropped by more than the tolerance; `before` is an earlier report."""
    messages = []
    for kind, scores in after.items():
        for name in measures:
            old, new = before.get(kind, {}).get(name), getattr(scores, name)
            if old is not None and new < old - tolerance - SCORE_EPSILON:
                messages.append(f"{kind}: {name} fell from {old:.4f} to {new:.4f}")
    return messages
