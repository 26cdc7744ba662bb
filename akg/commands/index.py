"""`akg index`: build, compare, list, roll back and delete releases."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from opensearchpy import OpenSearchException
from rich.progress import MofNCompleteColumn, TimeElapsedColumn

from akg.build import Inputs, build_release, gc_disabled
from akg.commands.index_changes import changes_report, print_changes
from akg.connection import command_settings, connect
from akg.console import (
    MEGABYTE,
    ContentOption,
    JsonOption,
    grid,
    pluralize,
    print_json,
    print_notice,
    progress,
    stderr,
    stdout,
    stop_on_sigterm,
)
from akg.reports.releases import IndexBuild, IndexList, IndexPrune, IndexRollback, IndexVerify, ReleaseRow
from api.settings import Settings, content_folder, mappings_folder
from indexer.release.changes import Fingerprints, compare, fingerprints_of
from indexer.release.formats import other_formats_notice
from indexer.release.releases import KEEP, Releases
from indexer.release.retention import Release
from indexer.release.stored_releases import ReleaseError
from indexer.release.verify import release_problems
from indexer.release.writer_lease import writer_lease
from indexer.synonyms.publish import live_difference
from indexer.synonyms.rules import Difference
from schema.errors import REFUSED, UsageError
from schema.pins import pins_from
from schema.synonyms import rules_from
from schema.vocabulary import read_vocabulary

index_app = typer.Typer(no_args_is_help=True, help="Build, publish, roll back and delete releases of the graph.")

IfChangedOption = Annotated[bool, typer.Option("--if-changed", help="The default; kept for scripts.", hidden=True)]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Publish a release even if tables, rules and mapping are those of the live one.")
]
AllowLossOption = Annotated[
    bool, typer.Option("--allow-loss", help="Publish even if much of what the live release has would be lost.")
]
FileRulesOption = Annotated[
    bool, typer.Option("--file-rules", help="Use the rules of the files even if they were undone.")
]
AllOption = Annotated[bool, typer.Option("--all", help="List every change, not only the first ten of each kind.")]
KeepOption = Annotated[int, typer.Option("--keep", min=0, help="Earlier releases to keep.")]
FormatOption = Annotated[
    int | None,
    typer.Option("--format", min=0, help="Delete instead every release of another format, also the live one."),
]


def _require_fingerprints(releases: Releases, index: str) -> Fingerprints:
    fingerprints = releases.fingerprints(index)
    if not fingerprints.names:
        raise ReleaseError(f"{index} was built by an older version and cannot be compared.")
    return fingerprints


@contextmanager
def _open_releases() -> Iterator[Releases]:
    with command_settings() as settings:
        yield Releases(connect(settings), settings.alias)


@contextmanager
def _leased(releases: Releases) -> Iterator[Releases]:
    """Take the writer lease, which the releases then check before every change."""
    with writer_lease(releases.client, releases.index_alias, print_notice) as lease:
        yield replace(releases, check_lease=lease.check)


@index_app.command()
def build(  # noqa: PLR0913 - one parameter for each option
    content: ContentOption = None,
    *,
    if_changed: IfChangedOption = False,
    force: ForceOption = False,
    allow_loss: AllowLossOption = False,
    file_rules: FileRulesOption = False,
    from_scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Send every document and copy nothing from the live release.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, without writing anything.")
    ] = False,
    every: AllOption = False,
    json: JsonOption = False,
) -> None:
    """Build a release from the content tables and publish it, unless nothing changed since the live one."""
    stop_on_sigterm()
    with command_settings() as settings:
        client = connect(settings)
        releases = Releases(client, settings.alias)
        tables = content or content_folder(settings)
        if dry_run:
            _dry_run(settings, releases, tables, file_rules=file_rules, every=every, json=json)
            return
        only_if_changed = if_changed or not (force or from_scratch)
        index = build_release(
            settings,
            client,
            tables,
            only_if_changed=only_if_changed,
            file_rules=file_rules,
            from_scratch=from_scratch,
            allow_loss=allow_loss,
        )
        _print_build(releases, index, json=json)


def _print_build(releases: Releases, index: str | None, *, json: bool) -> None:
    """Print which release was published, if any."""
    if json:
        print_json(_build_report(releases, index))
    elif index is None:
        stdout.print("Nothing changed: the live release is up to date. --force publishes a new one anyway.")
    else:
        stdout.print(f"Published {index}{_contents(_published_release(releases, index))}")


def _contents(release: Release | None) -> str:
    return f": {release.entities:,} entities, {release.edges:,} edges, {release.data_version}" if release else ""


def _published_release(releases: Releases, index: str) -> Release | None:
    """Return a published release; None if OpenSearch does not describe it, because the release is live anyway."""
    try:
        return Release.from_meta(index, releases.metadata(index), 0, live=True)
    except OpenSearchException:
        return None


def _build_report(releases: Releases, published: str | None) -> IndexBuild:
    index = published or releases.live_index()
    release = _published_release(releases, index)
    names = ("data_version", "synonyms_version", "entities", "edges")
    facts = {name: getattr(release, name, None) for name in names}
    return IndexBuild(published=published is not None, live=index, **facts)


def _dry_run(
    settings: Settings, releases: Releases, tables: Path, *, file_rules: bool, every: bool, json: bool
) -> None:
    """Plan a release and compare it with the live one."""
    inputs = Inputs.read(settings, tables, file_rules=file_rules)
    meta = releases.live_metadata()
    names = inputs.vocabulary.forward
    with gc_disabled(), stderr.status("Planning the release"):
        plan, _ = inputs.plan(inputs.content(settings), meta)
        after = fingerprints_of(names, plan.documents)
        before = _require_fingerprints(releases, releases.live_index()) if meta else Fingerprints()
    rules = _rule_changes(meta or {"rules": ()}, plan.meta)
    if json:
        live = releases.live_index() if meta else None
        print_json(changes_report(live, None, compare(before, after), rules))
        return
    stdout.print(f"{meta['data_version'] if meta else 'no release'} → {plan.meta['data_version']}", markup=False)
    print_changes(compare(before, after), rules, every=every)


def _rule_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Difference:
    """Return how rules and pins differ between two releases, given by their `_meta`."""
    return live_difference(before, rules_from(after["rules"]), pins_from(after.get("pins", ())))


@index_app.command()
def diff(
    before: Annotated[str, typer.Argument(help="The earlier release.")],
    after: Annotated[str | None, typer.Argument(help="The later release. Default: the live release.")] = None,
    *,
    every: AllOption = False,
    json: JsonOption = False,
) -> None:
    """List the entities, edges and synonym rules that changed between two releases."""
    with _open_releases() as releases:
        indices = [releases.require_complete(before)]
        indices.append(releases.require_complete(after) if after else releases.live_index())
        fingerprints = [_require_fingerprints(releases, index) for index in indices]
        metas = [releases.metadata(index) for index in indices]
        changes, rule_changes = compare(*fingerprints), _rule_changes(*metas)
        if json:
            print_json(changes_report(indices[0], indices[1], changes, rule_changes))
            return
        stdout.print(" → ".join(indices), markup=False)
        print_changes(changes, rule_changes, every=every)


@index_app.command()
def verify(
    release: Annotated[str | None, typer.Argument(help="A release. Default: the live release.")] = None,
    *,
    json: JsonOption = False,
) -> None:
    """Verify every document, edge, export file and synonym rule of a release, without changing anything.

    Exits with 1 if there is a problem.
    """
    with command_settings() as settings:
        releases = Releases(connect(settings), settings.alias)
        inverses = read_vocabulary(mappings_folder(settings)).forward
        index = releases.require_complete(release or releases.live_index())
        with progress(MofNCompleteColumn(), TimeElapsedColumn()) as bar:
            task = bar.add_task("Verifying", total=None)
            problems = release_problems(
                releases, index, inverses, lambda done, total: bar.update(task, completed=done, total=total)
            )
        live = index in releases.live_indices()
        if json:
            print_json(IndexVerify(release=index, live=live, intact=not problems, problems=problems))
        else:
            stdout.print("\n".join([*problems, f"{index}: {pluralize(len(problems), 'problem')}"]), markup=False)
        if problems:
            raise typer.Exit(REFUSED)


@index_app.command("list")
@index_app.command("releases")
def list_releases(*, json: JsonOption = False) -> None:
    """List all complete releases, newest first."""
    with _open_releases() as releases:
        if json:
            print_json(_index_list(releases))
            return
        table = grid(("release", "live", "released", "data", "synonyms", "entities", "edges", "MB"))
        for release in releases.complete_releases():
            live = "live" if release.live else ""
            versions = (release.released, release.data_version, release.synonyms_version)
            numbers = (f"{release.entities:,}", f"{release.edges:,}", f"{release.size_bytes / MEGABYTE:.1f}")
            table.add_row(release.index, live, *versions, *numbers)
        stdout.print(table)
        if notice := other_formats_notice(releases.other_formats()):
            stdout.print(notice)


def _index_list(releases: Releases) -> IndexList:
    rows = list(map(release_row, releases.complete_releases()))
    counts = {number: len(indices) for number, indices in releases.other_formats().items()}
    return IndexList(releases=rows, other_formats=counts)


def release_row(release: Release) -> ReleaseRow:
    """Return a release as it is printed with `--json`."""
    names = ("live", "released", "data_version", "synonyms_version", "entities", "edges", "size_bytes")
    return ReleaseRow(release=release.index, **{name: getattr(release, name) for name in names})


@index_app.command()
def rollback(
    to: Annotated[str | None, typer.Argument(help="A release. Default: the one before the live release.")] = None,
    *,
    json: JsonOption = False,
) -> None:
    """Publish an earlier release again, in one atomic step."""
    with _open_releases() as unleased, _leased(unleased) as releases:
        live = releases.rollback(to)
        if json:
            print_json(IndexRollback(live=live))
        else:
            stdout.print(f"Live: {live}")


@index_app.command()
def prune(keep: KeepOption = KEEP, other_format: FormatOption = None, *, json: JsonOption = False) -> None:
    """Delete old releases and the indices of interrupted commands."""
    with _open_releases() as releases:
        if other_format is not None:
            deleted = _delete_format(releases, other_format)
        else:
            with _leased(releases) as leased:
                deleted = [*leased.delete_leftovers(), *leased.prune(keep)]
        if json:
            print_json(IndexPrune(deleted=deleted))
        else:
            stdout.print(f"Deleted: {', '.join(deleted) or 'nothing'}")


def _delete_format(releases: Releases, format_version: int) -> list[str]:
    """Delete every release of another format; return what was deleted."""
    if format_version == releases.format_version:
        raise UsageError(
            f"This program reads format {format_version}. `akg index prune` without --format deletes its old releases."
        )
    with _leased(replace(releases, format_version=format_version)) as others:
        return others.delete_all()
