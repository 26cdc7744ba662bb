"""Reports of `akg synonyms preview`: text, JSON and one HTML page."""

from __future__ import annotations

from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING

import orjson

from akg.console import grid, stdout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.table import Table

    from akg.evaluation.candidate import ChangedQuery, Comparison, Preview
    from akg.evaluation.metrics import Scores

SAME_TOP = "The first five results stay the same; the order changes below them."
MEASURES = (("nDCG@10", "ndcg"), ("success@1", "success1"), ("success@3", "success3"))


STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { padding: .25rem .75rem; text-align: left; }
thead th { border-bottom: 2px solid; } tbody tr { border-bottom: 1px solid #8886; } td.n { text-align: right; }
code { white-space: pre-wrap; } .side { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } a { color: #8cf; } }
"""


def as_json(preview: Preview) -> bytes:
    """Return the preview as JSON."""
    return orjson.dumps(asdict(preview), option=orjson.OPT_INDENT_2)


def print_text(preview: Preview) -> None:
    """Print the preview."""
    stdout.print(f"Rules {preview.before} → {preview.after} on data {preview.data_version}", markup=False)
    for sign, rules in (("+", preview.added), ("-", preview.removed)):
        for rule in rules:
            stdout.print(f"{sign} {rule}", markup=False)
    comparison = preview.comparison
    if comparison.scores:
        stdout.print(_scores(comparison.scores.items()))
    stdout.print(_summary(comparison))
    for query in comparison.changed:
        _print_query(query)
    if comparison.regressions:
        stdout.print("\n".join(("Drops beyond the tolerance:", *comparison.regressions)), style="red", markup=False)


def _summary(comparison: Comparison) -> str:
    return f"Results of {len(comparison.changed)} of {comparison.queries} queries changed."


def _scores(rows: Iterable[tuple[str, tuple[Scores, Scores]]]) -> Table:
    table = grid(("kind",), ("queries", *(name for name, _ in MEASURES)))
    for kind, (before, after) in rows:
        table.add_row(kind, *_cells(before, after))
    return table


def _cells(before: Scores, after: Scores) -> list[str]:
    values = [(getattr(before, field), getattr(after, field)) for _, field in MEASURES]
    return [str(after.queries), *(f"{new:.4f}" if old == new else f"{old:.4f} → {new:.4f}" for old, new in values)]


def _title(query: ChangedQuery) -> str:
    if query.kind is None or query.gain is None:
        return f"‘{query.query}’"
    return f"‘{query.query}’ ({query.kind}, nDCG {query.gain:+.4f})"


def _print_query(query: ChangedQuery) -> None:
    stdout.print(f"\n{_title(query)}", markup=False)
    if query.before == query.after:
        stdout.print(f"  {SAME_TOP}", markup=False)
        return
    for label, hits in (("before", query.before), ("after", query.after)):
        names = [f"{rank}. {hit['name']}" for rank, hit in enumerate(hits, start=1)]
        stdout.print(f"  {label:6} {'  '.join(names) or 'no results'}", markup=False)


def as_html(preview: Preview) -> str:
    """Return the preview as one HTML page without external resources."""
    title = f"Synonym rules {preview.before} → {preview.after}"
    comparison = preview.comparison
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        f"<style>{STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1><p>On data {escape(preview.data_version)}.</p>",
        "<h2>Rules</h2>",
        _rule_list("Added", preview.added),
        _rule_list("Removed", preview.removed),
        "<h2>Scores</h2>",
        _score_table(comparison),
        f"<h2>{_summary(comparison)}</h2>",
        *(_query_section(query) for query in comparison.changed),
        "</body></html>",
    ]
    return "\n".join(parts)


def _rule_list(name: str, rules: Sequence[str]) -> str:
    items = "".join(f"<li><code>{escape(rule)}</code></li>" for rule in rules)
    return f"<h3>{name}: {len(rules)}</h3><ul>{items}</ul>"


def _score_table(comparison: Comparison) -> str:
    if not comparison.scores:
        return "<p>No judged queries were run.</p>"
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Kind", "Queries", *(name for name, _ in MEASURES)))
    rows = []
    for kind, (before, after) in comparison.scores.items():
        cells = "".join(f'<td class="n">{cell}</td>' for cell in _cells(before, after))
        rows.append(f'<tr><th scope="row">{escape(kind)}</th>{cells}</tr>')
    items = "".join(f"<li>{escape(message)}</li>" for message in comparison.regressions)
    drops = f"<p><strong>Drops beyond the tolerance:</strong></p><ul>{items}</ul>" if items else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{drops}"


def _query_section(query: ChangedQuery) -> str:
    if query.before == query.after:
        return f"<section><h3>{escape(_title(query))}</h3><p>{SAME_TOP}</p></section>"
    sides = []
    for label, hits in (("Before", query.before), ("After", query.after)):
        items = "".join(f"<li>{escape(hit['name'])}<br><small>{escape(hit['why'])}</small></li>" for hit in hits)
        sides.append(f"<div><h4>{label}</h4>{f'<ol>{items}</ol>' if items else '<p>No results.</p>'}</div>")
    return f'<section><h3>{escape(_title(query))}</h3><div class="side">{"".join(sides)}</div></section>'
