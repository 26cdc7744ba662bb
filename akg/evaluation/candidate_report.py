"""Reports what candidate rules change: as JSON, as text and as a page."""

from dataclasses import asdict

from akg.console import grid, stdout
from akg.evaluation.candidate import ChangedQuery, Comparison, Preview
from akg.evaluation.comparison_page import ComparisonPage, HitLine, QuerySection
from akg.evaluation.metrics import Scores
from akg.reports.evaluation import ChangedQueryRow, ComparisonReport, ScoreChange, SearchScores

SAME_TOP = "The first five results stay the same; the order changes below them."
MEASURES = {"nDCG@10": "ndcg", "success@1": "success1", "success@3": "success3"}


def comparison_report(comparison: Comparison) -> ComparisonReport:
    """Return a comparison as it is printed with `--json`."""
    return ComparisonReport(
        queries=comparison.queries,
        scores={
            kind: ScoreChange(before=SearchScores(**asdict(before)), after=SearchScores(**asdict(after)))
            for kind, (before, after) in comparison.scores.items()
        },
        changed=[ChangedQueryRow.model_validate(asdict(query)) for query in comparison.changed],
        regressions=comparison.regressions,
    )


def print_text(preview: Preview) -> None:
    """Print the preview."""
    stdout.print(f"Rules {preview.before} → {preview.after} on data {preview.data_version}", markup=False)
    for sign, rules in (("+", preview.added), ("-", preview.removed)):
        for rule in rules:
            stdout.print(f"{sign} {rule}", markup=False)
    comparison = preview.comparison
    print_scores(comparison)
    for query in comparison.changed:
        _print_query(query)
    print_regressions(comparison)


def print_scores(comparison: Comparison) -> None:
    """Print the scores of each kind before and after, and how many queries changed."""
    if comparison.scores:
        table = grid(("kind",), ("queries", *MEASURES))
        for kind, scores in comparison.scores.items():
            table.add_row(kind, *_cells(*scores))
        stdout.print(table)
    stdout.print(_summary(comparison))


def print_regressions(comparison: Comparison) -> None:
    """Print which kinds drop beyond the tolerance."""
    if comparison.regressions:
        stdout.print("\n".join(("Drops beyond the tolerance:", *comparison.regressions)), style="red", markup=False)


def _summary(comparison: Comparison) -> str:
    return f"Results of {len(comparison.changed)} of {comparison.queries} queries changed."


def _cells(before: Scores, after: Scores) -> list[str]:
    values = [(getattr(before, field), getattr(after, field)) for field in MEASURES.values()]
    return [str(after.queries), *(f"{new:.4f}" if old == new else f"{old:.4f} → {new:.4f}" for old, new in values)]


def query_title(query: ChangedQuery) -> str:
    """Return the query with its kind and what it gains, if it is judged."""
    if query.kind is None or query.gain is None:
        return f"‘{query.query}’"
    return f"‘{query.query}’ ({query.kind}, nDCG {query.gain:+.4f})"


def _print_query(query: ChangedQuery) -> None:
    stdout.print(f"\n{query_title(query)}", markup=False)
    if query.before == query.after:
        stdout.print(f"  {SAME_TOP}", markup=False)
        return
    for label, hits in (("before", query.before), ("after", query.after)):
        names = [f"{rank}. {hit['name']}" for rank, hit in enumerate(hits, start=1)]
        stdout.print(f"  {label:6} {'  '.join(names) or 'no results'}", markup=False)


def preview_page(preview: Preview) -> ComparisonPage:
    """Return the preview as a page."""
    comparison = preview.comparison
    return ComparisonPage(
        title=f"Synonym rules {preview.before} → {preview.after}",
        introduction=(f"On data {preview.data_version}.",),
        changes=(("Added", preview.added), ("Removed", preview.removed)),
        columns=("Kind", "Queries", *MEASURES),
        rows=[(kind, *_cells(*scores)) for kind, scores in comparison.scores.items()],
        drops=comparison.regressions,
        summary=_summary(comparison),
        sections=list(map(_section, comparison.changed)),
    )


def _section(query: ChangedQuery) -> QuerySection:
    if query.before == query.after:
        return QuerySection(query_title(query), note=SAME_TOP)
    before, after = ([HitLine(hit["name"], hit["why"]) for hit in hits] for hits in (query.before, query.after))
    return QuerySection(query_title(query), (("Before", before), ("After", after)))
