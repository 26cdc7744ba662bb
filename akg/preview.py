"""What new synonym rules would change, told as text, JSON and a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING

import orjson
from rich.table import Table

from akg.console import out

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from api.comparison import Comparison, Moved
    from api.quality import Scores

BELOW = "The first five stay; the order changes below them."
MEASURES = (("nDCG@10", "ndcg"), ("success@1", "success1"), ("success@3", "success3"))


@dataclass(frozen=True, slots=True)
class Preview:
    """The rules that change, and what that does to the queries that were asked."""

    data_version: str
    before: str
    after: str
    added: Sequence[str]
    removed: Sequence[str]
    comparison: Comparison


def as_json(found: Preview) -> bytes:
    """The whole preview for programs."""
    return orjson.dumps(asdict(found), option=orjson.OPT_INDENT_2)


def print_text(found: Preview) -> None:
    """The whole preview for a terminal."""
    out.print(f"Rules {found.before} → {found.after} on data {found.data_version}", markup=False)
    for sign, rules in (("+", found.added), ("-", found.removed)):
        for rule in rules:
            out.print(f"{sign} {rule}", markup=False)
    if found.comparison.scores:
        out.print(_scores(found.comparison.scores.items()))
    moved = found.comparison.moved
    out.print(f"{len(moved)} of {found.comparison.asked} queries moved.")
    for one in moved:
        _print_moved(one)
    if found.comparison.falls:
        out.print("\n".join(("Beyond the tolerance:", *found.comparison.falls)), style="red", markup=False)


def _scores(rows: Iterable[tuple[str, tuple[Scores, Scores]]]) -> Table:
    table = Table(box=None)
    for place, name in enumerate(("kind", "queries", *(name for name, _ in MEASURES))):
        table.add_column(name, justify="right" if place else "left", no_wrap=True)
    for kind, (before, after) in rows:
        cells = [_change(getattr(before, field), getattr(after, field)) for _, field in MEASURES]
        table.add_row(kind, str(after.queries), *cells)
    return table


def _change(before: float, after: float) -> str:
    return f"{after:.4f}" if before == after else f"{before:.4f} → {after:.4f}"


def _title(one: Moved) -> str:
    if one.kind is None or one.gain is None:
        return f"‘{one.query}’"
    return f"‘{one.query}’ ({one.kind}, nDCG {one.gain:+.4f})"


def _print_moved(one: Moved) -> None:
    out.print(f"\n{_title(one)}", markup=False)
    if one.before == one.after:
        out.print(f"  {BELOW}", markup=False)
        return
    for label, hits in (("before", one.before), ("after", one.after)):
        names = [f"{place}. {hit['name']}" for place, hit in enumerate(hits, start=1)]
        out.print(f"  {label:6} {'  '.join(names) or 'nothing'}", markup=False)


STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { padding: .25rem .75rem; text-align: left; }
thead th { border-bottom: 2px solid; } tbody tr { border-bottom: 1px solid #8886; } td.n { text-align: right; }
code { white-space: pre-wrap; } .side { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } a { color: #8cf; } }
"""


def as_html(found: Preview) -> str:
    """The whole preview as one page that loads nothing from anywhere."""
    title = f"Synonym rules {found.before} → {found.after}"
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        f"<style>{STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1><p>On data {escape(found.data_version)}.</p>",
        "<h2>Rules</h2>",
        *(_rule_list(name, rules) for name, rules in (("New", found.added), ("Gone", found.removed))),
        "<h2>Scores</h2>",
        _score_table(found.comparison),
        f"<h2>{len(found.comparison.moved)} of {found.comparison.asked} queries moved</h2>",
        *(_moved_part(one) for one in found.comparison.moved),
        "</body></html>",
    ]
    return "\n".join(parts)


def _rule_list(name: str, rules: Sequence[str]) -> str:
    items = "".join(f"<li><code>{escape(rule)}</code></li>" for rule in rules)
    return f"<h3>{name}: {len(rules)}</h3><ul>{items}</ul>"


def _score_table(found: Comparison) -> str:
    if not found.scores:
        return "<p>No judged queries were asked.</p>"
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Kind", "Queries", *(name for name, _ in MEASURES)))
    rows = []
    for kind, (before, after) in found.scores.items():
        cells = [str(after.queries), *(_change(getattr(before, field), getattr(after, field)) for _, field in MEASURES)]
        numbers = "".join(f'<td class="n">{cell}</td>' for cell in cells)
        rows.append(f'<tr><th scope="row">{escape(kind)}</th>{numbers}</tr>')
    falls = "".join(f"<li>{escape(fall)}</li>" for fall in found.falls)
    worse = f"<p><strong>Beyond the tolerance:</strong></p><ul>{falls}</ul>" if falls else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{worse}"


def _moved_part(one: Moved) -> str:
    if one.before == one.after:
        return f"<section><h3>{escape(_title(one))}</h3><p>{BELOW}</p></section>"
    sides = []
    for label, hits in (("Before", one.before), ("After", one.after)):
        items = "".join(f"<li>{escape(hit['name'])}<br><small>{escape(hit['why'])}</small></li>" for hit in hits)
        sides.append(f"<div><h4>{label}</h4>{f'<ol>{items}</ol>' if items else '<p>Nothing.</p>'}</div>")
    return f'<section><h3>{escape(_title(one))}</h3><div class="side">{"".join(sides)}</div></section>'
