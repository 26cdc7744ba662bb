"""Reports what an overlay changes: the graph, and the first ten results of the judged queries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from akg.console import stdout
from akg.evaluation.candidate import ChangedQuery, Comparison
from akg.evaluation.candidate_report import comparison_report, print_regressions, print_scores, query_title
from akg.reports.overlays import OverlayCheck, OverlayPreview
from akg.reports.releases import edge_changes, entity_changes
from akg.reports.report import ProblemRow
from indexer.content.problems import Problem
from indexer.overlays.apply import Overlay
from indexer.release.changes import KINDS, Changes

CHANGE_NAMES = dict(zip(KINDS, ("added", "changed", "hidden"), strict=True))
MAX_QUERIES = 10  # whose results are printed without --all


@dataclass(frozen=True, slots=True)
class OverlayComparison:
    """A release without an overlay beside one with it."""

    folder: str
    before: str
    after: str
    changes: Changes
    comparison: Comparison


def check_report(folder: Path, overlay: Overlay | None, problems: Sequence[Problem]) -> OverlayCheck:
    """Return the report of a check; the overlay is None if it has problems."""
    return OverlayCheck(
        overlay=str(folder),
        problems=[ProblemRow(file=row.file, line=row.line, message=row.message) for row in problems],
        entities=len(overlay.additions.entities) if overlay else 0,
        names=len(overlay.additions.aliases) if overlay else 0,
        edges=overlay.edge_count if overlay else 0,
        changed=len(overlay.changes) if overlay else 0,
        hidden=len(overlay.hidden) if overlay else 0,
    )


def preview_report(found: OverlayComparison) -> OverlayPreview:
    """Return the report of a preview."""
    comparison = comparison_report(found.comparison)
    return OverlayPreview(
        overlay=found.folder,
        before=found.before,
        after=found.after,
        entities=entity_changes(found.changes, CHANGE_NAMES),
        edges=edge_changes(found.changes, CHANGE_NAMES),
        queries=comparison.queries,
        changed=comparison.changed,
        regressions=comparison.regressions,
    )


def print_queries(comparison: Comparison, *, every: bool) -> None:
    """Print the scores, and for each changed query what enters and leaves the first ten results."""
    print_scores(comparison)
    shown = comparison.changed if every else comparison.changed[:MAX_QUERIES]
    for query in shown:
        stdout.print(f"\n{query_title(query)}", markup=False)
        for line in _moves(query):
            stdout.print(f"  {line}", markup=False)
    if more := len(comparison.changed) - len(shown):
        stdout.print(f"\n{more:,} more queries (--all lists them)", markup=False)
    print_regressions(comparison)


def _moves(query: ChangedQuery) -> Iterator[str]:
    before, after = ({hit["id"]: hit for hit in hits} for hits in (query.before, query.after))
    lines = [f"+ {rank}. {hit['name']}" for rank, hit in enumerate(after.values(), 1) if hit["id"] not in before]
    lines += [f"- {rank}. {hit['name']}" for rank, hit in enumerate(before.values(), 1) if hit["id"] not in after]
    yield from lines or ["The same ten results in another order."]
