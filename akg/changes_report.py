"""What changes from one release to another, as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from akg.console import out
from indexer.changes import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.changes import Changes
    from indexer.ledger import Edge
    from indexer.synonyms import Difference

SIGNS = dict(zip(KINDS, "+~-", strict=True))
SHOWN = 10  # of each kind, unless all are asked for


def print_changes(changes: Changes, rules: Difference, *, every: bool) -> None:
    """Print counts by type and edge, then names."""
    if not changes and not rules:
        out.print("Nothing would be other.", markup=False)
        return
    if changes:
        out.print(_counts(changes))
    for name, kinds in changes.entities.items():
        _named(name, {kind: [f"{changes.names[key]}  ({key})" for key in keys] for kind, keys in kinds.items()}, every)
    for name, found in changes.edges.items():
        _named(name, {kind: [_ends(changes, edge) for edge in edges] for kind, edges in found.items()}, every)
    lines = {"added": rules.added, "removed": rules.removed}
    shown = {kind: [f"{rule.text}  ({rule.file}:{rule.line})" for rule in found] for kind, found in lines.items()}
    if rules:
        _named("synonym rules", shown, every)


def _counts(changes: Changes) -> Table:
    table = Table(box=None)
    table.add_column("")
    for kind in KINDS:
        table.add_column(kind, justify="right")
    for name, kinds in {**changes.entities, **changes.edges}.items():
        table.add_row(name, *(f"{len(kinds[kind]):,}" for kind in KINDS))
    return table


def _ends(changes: Changes, edge: Edge) -> str:
    _, source, target = edge
    return f"{changes.names.get(source, source)} → {changes.names.get(target, target)}"


def _named(title: str, kinds: Mapping[str, Sequence[str]], every: bool) -> None:  # noqa: FBT001 - passed on as it came
    out.print(f"\n[bold]{escape(title)}[/bold]")
    for kind, texts in kinds.items():
        for text in texts if every else texts[:SHOWN]:
            out.print(f"  {SIGNS[kind]} {text}", markup=False)
        if len(texts) > SHOWN and not every:
            out.print(f"  {SIGNS[kind]} and {len(texts) - SHOWN:,} more; --all names them", markup=False)
