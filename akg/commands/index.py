"""`akg index`: build, compare, list, roll back and delete releases."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

import typer
from rich.progress import MofNCompleteColumn, TimeElapsedColumn

from akg.commands.index_build import build
from akg.commands.index_changes import AllOption, changes_report, print_changes, require_fingerprints, rule_changes
from akg.connection import command_settings, connect
from akg.console import (
    MEGABYTE,
    JsonOption,
    grid,
    pluralize,
    print_json,
    print_notice,
    progress,
    stdout,
)
from akg.reports.releases import IndexList, IndexPrune, IndexRollback, IndexVerify, ReleaseRow
from api.settings import mappings_folder
from indexer.release.changes import compare
from indexer.release.formats import other_formats_notice
from indexer.release.releases import KEEP, Releases
from indexer.release.retention import Release
from indexer.release.verify import release_problems
from indexer.release.writer_lease import writer_lease
from schema.errors import REFUSED, UsageError
from schema.vocabulary import read_vocabulary

index_app = typer.Typer(no_args_is_help=True, help="Build, publish, roll back and delete releases of the graph.")
index_app.command()(build)

KeepOption = Annotated[
    int, typer.Option("--keep", min=1, help="Earlier releases to keep; the last with other tables is always kept.")
]
FormatOption = Annotated[
    int | None,
    typer.Option("--format", min=0, help="Delete instead every release of another format, also the live one."),
]


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
        fingerprints = [require_fingerprints(releases, index) for index in indices]
        metas = [releases.metadata(index) for index in indices]
        changes, rules = compare(*fingerprints), rule_changes(*metas)
        if json:
            print_json(changes_report(indices[0], indices[1], changes, rules))
            return
        stdout.print(" → ".join(indices), markup=False)
        print_changes(changes, rules, every=every)


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
        before = next(iter(releases.live_indices()), None)
        live = releases.rollback(to)
        meta = releases.metadata(live)
        data, rules = str(meta["data_version"]), str(meta["synonyms_version"])
        if json:
            print_json(IndexRollback(live=live, data_version=data, synonyms_version=rules, before=before))
        else:
            stdout.print(f"Live: {live}, data {data}, rules {rules}. Before: {before or 'none'}.")


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
