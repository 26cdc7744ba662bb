"""Prints or reports what changes from one release to another."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape

from akg.console import grid, stdout
from akg.reports.releases import IndexDiff, RuleChange, edge_changes, entity_changes
from indexer.release.changes import KINDS, Changes, Fingerprints
from indexer.release.releases import Releases
from indexer.release.stored_releases import ReleaseError
from indexer.synonyms.publish import live_difference
from indexer.synonyms.rules import Difference
from schema.pins import pins_from
from schema.synonyms import rules_from

SIGNS = dict(zip(KINDS, "+~-", strict=True))
CHANGE_NAMES = dict(zip(KINDS, KINDS, strict=True))
MAX_SHOWN = 10  # lines of each kind without --all
AllOption = Annotated[bool, typer.Option("--all", help="List every change, not only the first ten of each kind.")]


def print_changes(changes: Changes, rules: Difference, *, every: bool, kinds: Sequence[str] = KINDS) -> None:
    """Print counts by type and edge, then names; the first MAX_SHOWN of each kind unless `every`.

    `kinds` are the headings of the counts of what was added, changed and removed.
    """
    if not changes and not rules:
        stdout.print("No changes.", markup=False)
        return
    if changes:
        table = grid(("",), kinds)
        for name, by_kind in {**changes.entities, **changes.edges}.items():
            table.add_row(name, *(f"{len(by_kind[kind]):,}" for kind in KINDS))
        stdout.print(table)
    for name, keys_by_kind in changes.entities.items():
        lines = {kind: [f"{changes.names[key]}  ({key})" for key in keys] for kind, keys in keys_by_kind.items()}
        _print_section(name, lines, every=every)
    for name, edges_by_kind in changes.edges.items():
        ends = {
            kind: [
                f"{changes.names.get(source, source)} → {changes.names.get(target, target)}"
                for _, source, target in edges
            ]
            for kind, edges in edges_by_kind.items()
        }
        _print_section(name, ends, every=every)
    if rules:
        changed = {"added": rules.all_added, "removed": rules.all_removed}
        lines = {kind: [f"{one.text}  ({one.file}:{one.line})" for one in some] for kind, some in changed.items()}
        _print_section("synonym rules and pins", lines, every=every)


def _print_section(title: str, lines_by_kind: Mapping[str, Sequence[str]], *, every: bool) -> None:
    stdout.print(f"\n[bold]{escape(title)}[/bold]")
    for kind, lines in lines_by_kind.items():
        for line in lines if every else lines[:MAX_SHOWN]:
            stdout.print(f"  {SIGNS[kind]} {line}", markup=False)
        if len(lines) > MAX_SHOWN and not every:
            stdout.print(f"  {SIGNS[kind]} {len(lines) - MAX_SHOWN:,} more (--all lists them)", markup=False)


def require_fingerprints(releases: Releases, index: str) -> Fingerprints:
    """Return the fingerprints of a release; raise ReleaseError if it has none."""
    fingerprints = releases.fingerprints(index)
    if not fingerprints.names:
        raise ReleaseError(f"{index} was built by an older version and cannot be compared.")
    return fingerprints


def rule_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Difference:
    """Return how rules and pins differ between two releases, given by their `_meta`."""
    return live_difference(before, rules_from(after["rules"]), pins_from(after.get("pins", ())))


def changes_report(before: str | None, after: str | None, changes: Changes, rules: Difference) -> IndexDiff:
    """Return every change from one release to another, or to the plan of a build."""
    entities, edges = entity_changes(changes, CHANGE_NAMES), edge_changes(changes, CHANGE_NAMES)
    changed_rules = [
        RuleChange(rule=rule.text, file=rule.file, line=rule.line, change=kind)
        for kind, changed in (("added", rules.all_added), ("removed", rules.all_removed))
        for rule in changed
    ]
    return IndexDiff(before=before, after=after, entities=entities, edges=edges, rules=changed_rules)
