"""Compares two releases by the judged queries: scores by kind, wins, losses, and the largest differences."""

from collections.abc import Sequence
from typing import Any

from akg.console import grid, stdout
from akg.evaluation.comparison_page import ComparisonPage, HitLine, QuerySection
from akg.evaluation.metrics import DIGITS, SEARCH_DEPTH, Judgment, Outcome, score, scores_by_kind
from akg.reports.comparison import ComparedHit, EvalCompare, KindComparison, QueryDifference

Hits = list[dict[str, Any]]  # the results of a search response

MAX_DIFFERENCES = 20
COLUMNS = ("kind", "queries", "nDCG@10", "success@5", "wins", "losses")
SUCCESS_RANK = 5


def compare_runs(
    a: str, b: str, judgments: Sequence[Judgment], before: Sequence[Hits], after: Sequence[Hits]
) -> EvalCompare:
    """Compare the hits of the judged queries in A with those in B, in the order of the judgments."""
    runs = [
        [score(judgment, [hit["id"] for hit in hits]) for judgment, hits in zip(judgments, run, strict=True)]
        for run in (before, after)
    ]
    pairs = list(zip(*runs, strict=True))
    differences = [
        _difference(old, new, old_hits, new_hits)
        for (old, new), old_hits, new_hits in zip(pairs, before, after, strict=True)
        if old.ndcg != new.ndcg
    ]
    differences.sort(key=lambda one: (-abs(one.change), one.query))
    return EvalCompare(
        a=a,
        b=b,
        kinds=[_kind(kind, pairs) for kind in scores_by_kind(runs[0])],
        reordered=sum(old.ids != new.ids for old, new in pairs),
        differences=differences[:MAX_DIFFERENCES],
    )


def _kind(kind: str, pairs: Sequence[tuple[Outcome, Outcome]]) -> KindComparison:
    own = [(old, new) for old, new in pairs if kind in ("all", old.judgment.kind)]
    return KindComparison(
        kind=kind,
        queries=len(own),
        ndcg=(_mean([old.ndcg for old, _ in own]), _mean([new.ndcg for _, new in own])),
        success5=(_mean([_success(old) for old, _ in own]), _mean([_success(new) for _, new in own])),
        wins=sum(new.ndcg > old.ndcg for old, new in own),
        losses=sum(new.ndcg < old.ndcg for old, new in own),
    )


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), DIGITS)


def _success(outcome: Outcome) -> float:
    """Return 1 if a hit of the best grade is among five; a query that must find nothing must find nothing."""
    grades = outcome.judgment.grades
    if not grades:
        return float(not outcome.ids)
    best = max(grades.values())
    return float(any(grades.get(id_) == best for id_ in outcome.ids[:SUCCESS_RANK]))


def _difference(old: Outcome, new: Outcome, before: Hits, after: Hits) -> QueryDifference:
    return QueryDifference(
        query=old.judgment.query,
        kind=old.judgment.kind,
        change=round(new.ndcg - old.ndcg, DIGITS),
        before=_shown(old.judgment, before),
        after=_shown(new.judgment, after),
    )


def _shown(judgment: Judgment, hits: Hits) -> list[ComparedHit]:
    return [
        ComparedHit(id=hit["id"], name=hit["name"], grade=judgment.grades.get(hit["id"], 0))
        for hit in hits[:SEARCH_DEPTH]
    ]


def cells(kind: KindComparison) -> list[str]:
    """Return the row of a kind."""
    pairs = [f"{old:.4f}" if old == new else f"{old:.4f} → {new:.4f}" for old, new in (kind.ndcg, kind.success5)]
    return [str(kind.queries), *pairs, str(kind.wins), str(kind.losses)]


def title(difference: QueryDifference) -> str:
    """Return the heading of a difference."""
    return f"‘{difference.query}’ ({difference.kind}, nDCG {difference.change:+.4f})"


def summary(comparison: EvalCompare) -> str:
    """Return how many queries changed, in one sentence."""
    shown = len(comparison.differences)
    text = f"{comparison.reordered} queries have other hits or another order."
    return (
        f"{text} The largest differences, {shown} at most {MAX_DIFFERENCES}:" if shown else f"{text} No score differs."
    )


def print_comparison(comparison: EvalCompare) -> None:
    """Print the scores, then the differences with both lists side by side. `*` marks hits that are judged right."""
    stdout.print(f"A: {comparison.a}\nB: {comparison.b}", markup=False)
    table = grid(COLUMNS[:1], COLUMNS[1:])
    for kind in comparison.kinds:
        table.add_row(kind.kind, *cells(kind))
    stdout.print(table)
    stdout.print(summary(comparison), markup=False)
    for difference in comparison.differences:
        stdout.print(f"\n{title(difference)}", markup=False)
        lists = grid(("", "A", "B"))
        for rank in range(max(len(difference.before), len(difference.after))):
            lists.add_row(str(rank + 1), _name(difference.before, rank), _name(difference.after, rank))
        stdout.print(lists)


def _name(hits: Sequence[ComparedHit], rank: int) -> str:
    if rank >= len(hits):
        return ""
    return f"{hits[rank].name}{' *' if hits[rank].grade else ''}".replace("[", "\\[")


def comparison_page(comparison: EvalCompare) -> ComparisonPage:
    """Return the comparison as a page."""
    return ComparisonPage(
        title="Comparison of two releases",
        introduction=(f"A: {comparison.a}", f"B: {comparison.b}"),
        columns=COLUMNS,
        rows=[(kind.kind, *cells(kind)) for kind in comparison.kinds],
        summary=summary(comparison),
        sections=[
            QuerySection(title(one), (("A", _hit_lines(one.before)), ("B", _hit_lines(one.after))))
            for one in comparison.differences
        ],
    )


def _hit_lines(hits: Sequence[ComparedHit]) -> list[HitLine]:
    return [HitLine(hit.name, f"judged {hit.grade}" if hit.grade else "") for hit in hits]
