"""`akg index`: build a release from content, compare, list, roll back and delete releases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from akg.build.pipeline import Inputs, build_release, gc_disabled
from akg.commands.changes_report import print_changes
from akg.connection import connect, settings_from_environment
from akg.console import MEGABYTE, ContentOption, grid, report_errors, stderr, stdout, stop_on_sigterm
from api.settings import content_folder
from indexer.release.changes import Fingerprints, compare, fingerprints_of
from indexer.release.releases import KEEP, ReleaseError, Releases
from indexer.release.writer_lease import writer_lease
from indexer.synonyms.rules import difference
from schema.synonyms import rules_from

if TYPE_CHECKING:
    from pathlib import Path

    from api.settings import Settings

index_app = typer.Typer(no_args_is_help=True, help="Build, publish, roll back and delete releases of the graph.")

IfChangedOption = Annotated[bool, typer.Option("--if-changed", help="Build only if the live release would change.")]
FileRulesOption = Annotated[
    bool, typer.Option("--file-rules", help="Use the rules of the files even if they were undone.")
]
AllOption = Annotated[bool, typer.Option("--all", help="List every change, not only the first ten of each kind.")]
KeepOption = Annotated[int, typer.Option("--keep", min=0, help="Earlier releases to keep.")]


def require_fingerprints(releases: Releases, index: str) -> Fingerprints:
    """Return the fingerprints of a release. Raise ReleaseError if it has none."""
    fingerprints = releases.fingerprints(index)
    if not fingerprints.names:
        raise ReleaseError(f"{index} was built by an older version and cannot be compared.")
    return fingerprints


@index_app.command()
def build(
    content: ContentOption = None,
    *,
    if_changed: IfChangedOption = False,
    file_rules: FileRulesOption = False,
    from_scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Send every document and copy nothing from the live release.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, without writing anything.")
    ] = False,
    every: AllOption = False,
) -> None:
    """Build a release from the content tables and publish it."""
    stop_on_sigterm()
    with report_errors():
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
            stdout.print("The live release is up to date.")
            return
        live = next(
            release for release in Releases(client, settings.alias).complete_releases() if release.index == index
        )
        stdout.print(f"Published {live.index}: {live.entities:,} entities, {live.edges:,} edges, {live.data_version}")


def _dry_run(settings: Settings, releases: Releases, tables: Path, *, file_rules: bool, every: bool) -> None:
    """Plan a release and compare it with the live one."""
    inputs = Inputs.read(settings, tables, file_rules=file_rules)
    meta = releases.live_metadata()
    names = inputs.vocabulary.forward
    with gc_disabled(), stderr.status("Planning the release"):
        plan, _ = inputs.plan(inputs.content(settings), meta)
        after = fingerprints_of(names, plan.documents)
        before = require_fingerprints(releases, releases.live_index()) if meta else Fingerprints()
    rules = difference(rules_from(meta["rules"] if meta else ()), rules_from(plan.meta["rules"]))
    stdout.print(f"{meta['data_version'] if meta else 'no release'} → {plan.meta['data_version']}", markup=False)
    print_changes(compare(before, after), rules, every=every)


@index_app.command()
def diff(
    before: Annotated[str, typer.Argument(help="The earlier release.")],
    after: Annotated[str | None, typer.Argument(help="The later release. Default: the live release.")] = None,
    *,
    every: AllOption = False,
) -> None:
    """List the entities, edges and synonym rules that changed between two releases."""
    with report_errors():
        settings = settings_from_environment()
        releases = Releases(connect(settings), settings.alias)
        indices = [
            releases.require_complete(before),
            releases.require_complete(after) if after else releases.live_index(),
        ]
        fingerprints = [require_fingerprints(releases, index) for index in indices]
        rules = [rules_from(releases.metadata(index)["rules"]) for index in indices]
        stdout.print(" → ".join(indices), markup=False)
        print_changes(compare(*fingerprints), difference(*rules), every=every)


@index_app.command("releases")
def list_releases() -> None:
    """List all complete releases, newest first."""
    with report_errors():
        table = grid(("release", "live", "released", "data", "synonyms", "entities", "edges", "MB"))
        for release in _releases().complete_releases():
            live = "live" if release.live else ""
            versions = (release.released, release.data_version, release.synonyms_version)
            numbers = (f"{release.entities:,}", f"{release.edges:,}", f"{release.size_bytes / MEGABYTE:.1f}")
            table.add_row(release.index, live, *versions, *numbers)
        stdout.print(table)


@index_app.command()
def rollback(
    to: Annotated[str | None, typer.Argument(help="A release. Default: the one before the live release.")] = None,
) -> None:
    """Publish an earlier release again, in one atomic step."""
    with report_errors():
        releases = _releases()
        with writer_lease(releases.client, releases.alias):
            stdout.print(f"Live: {releases.rollback(to)}")


@index_app.command()
def prune(keep: KeepOption = KEEP) -> None:
    """Delete old releases and the indices of interrupted commands."""
    with report_errors():
        releases = _releases()
        with writer_lease(releases.client, releases.alias):
            deleted = [*releases.delete_leftovers(), *releases.prune(keep)]
        stdout.print(f"Deleted: {', '.join(deleted) or 'nothing'}")


def _releases() -> Releases:
    settings = settings_from_environment()
    return Releases(connect(settings), settings.alias)
