"""`akg index`: build a release from content, list releases, go back to one, delete old ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from akg.building import Inputs, build_release, without_collections
from akg.changes_report import print_changes
from akg.connection import connect, settings_from_environment
from akg.console import notes, out, plain_errors
from api.settings import content_folder
from indexer.changes import compare
from indexer.ledger import Ledger, ledger_of
from indexer.lock import writer
from indexer.release import KEEP, ReleaseError, Releases
from indexer.synonyms import difference, rules_from

if TYPE_CHECKING:
    from api.settings import Settings

index_app = typer.Typer(no_args_is_help=True, help="Releases of the graph in OpenSearch.")

ContentOption = Annotated[
    Path | None, typer.Option("--content", help="Content folder; default: AKG_CONTENT or the shipped one.")
]
IfChangedOption = Annotated[bool, typer.Option("--if-changed", help="Only if the live release would differ.")]
FileRulesOption = Annotated[
    bool, typer.Option("--file-rules", help="Take the rules of the files even where they were undone.")
]
AllOption = Annotated[bool, typer.Option("--all", help="Name everything that changes, not only the first ten.")]
KeepOption = Annotated[int, typer.Option("--keep", min=0, help="Releases to keep beside the live one.")]
MEGABYTE = 1_000_000


def ledger(desk: Releases, index: str) -> Ledger:
    """What a release holds, to be compared with another; ReleaseError where it does not say."""
    found = desk.ledger(index)
    if not found.names:
        raise ReleaseError(f"{index} was built by an older version and does not say what it holds.")
    return found


@index_app.command()
def build(
    content: ContentOption = None,
    *,
    if_changed: IfChangedOption = False,
    file_rules: FileRulesOption = False,
    from_scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Take nothing over from the live release; send every document.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    every: AllOption = False,
) -> None:
    """Build a release from the content tables and publish it."""
    with plain_errors():
        settings = settings_from_environment()
        client = connect(settings)
        tables = content or content_folder(settings)
        if dry_run:
            _dry_run(settings, Releases(client, settings.alias), tables, file_rules=file_rules, every=every)
            return
        index = build_release(
            settings, client, tables, only_if_changed=if_changed, file_rules=file_rules, from_scratch=from_scratch
        )
        if index is None:
            out.print("Nothing changed since the live release.")
            return
        made = next(one for one in Releases(client, settings.alias).complete() if one.index == index)
        out.print(f"Published {made.index}: {made.entities:,} entities, {made.edges:,} edges, {made.data_version}")


def _dry_run(settings: Settings, desk: Releases, tables: Path, *, file_rules: bool, every: bool) -> None:
    """Make the whole plan, compare it with the live release, and write nothing."""
    inputs = Inputs.read(settings, tables, file_rules=file_rules)
    meta = desk.live_meta()
    names = inputs.vocabulary.forward
    with without_collections(), notes.status("Making the release, without writing it"):
        plan, _ = inputs.plan(inputs.content(settings), meta)
        after = ledger_of(names, plan.documents)
        before = ledger(desk, desk.live_index()) if meta else Ledger()
    rules = difference(rules_from(meta["rules"] if meta else ()), rules_from(plan.meta["rules"]))
    out.print(f"{meta['data_version'] if meta else 'nothing'} → {plan.meta['data_version']}", markup=False)
    print_changes(compare(before, after), rules, every=every)


@index_app.command()
def diff(
    one: Annotated[str, typer.Argument(help="The earlier release.")],
    other: Annotated[str | None, typer.Argument(help="The later one; default: the live one.")] = None,
    *,
    every: AllOption = False,
) -> None:
    """Say what is other in the second release: entities, edges and synonym rules, with names."""
    with plain_errors():
        settings = settings_from_environment()
        desk = Releases(connect(settings), settings.alias)
        indices = [desk.named(one), desk.named(other) if other else desk.live_index()]
        before, after = (ledger(desk, index) for index in indices)
        rules = [rules_from(desk.meta_of(index)["rules"]) for index in indices]
        out.print(" → ".join(indices), markup=False)
        print_changes(compare(before, after), difference(*rules), every=every)


@index_app.command()
def releases() -> None:
    """List all complete releases, newest first."""
    with plain_errors():
        table = Table(box=None)
        for name in ("release", "live", "released", "data", "synonyms", "entities", "edges", "MB"):
            table.add_column(name, no_wrap=True)
        for one in _desk().complete():
            live = "live" if one.live else ""
            size = f"{one.size_bytes / MEGABYTE:.1f}"
            counts = (f"{one.entities:,}", f"{one.edges:,}")
            table.add_row(one.index, live, one.released, one.data_version, one.synonyms_version, *counts, size)
        out.print(table)


@index_app.command()
def rollback(
    to: Annotated[str | None, typer.Argument(help="A release; default: the one before the live one.")] = None,
) -> None:
    """Publish an earlier release again, in one atomic step."""
    with plain_errors():
        desk = _desk()
        with writer(desk.client, desk.alias):
            out.print(f"Live: {desk.rollback(to)}")


@index_app.command()
def prune(keep: KeepOption = KEEP) -> None:
    """Delete old releases and what unfinished builds left."""
    with plain_errors():
        desk = _desk()
        with writer(desk.client, desk.alias):
            gone = [*desk.clear_remains(), *desk.prune(keep)]
        out.print(f"Deleted: {', '.join(gone) or 'nothing'}")


def _desk() -> Releases:
    settings = settings_from_environment()
    return Releases(connect(settings), settings.alias)
