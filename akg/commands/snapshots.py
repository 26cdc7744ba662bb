"""`akg snapshot`: back up releases in a snapshot repository, restore and verify them, and delete snapshots."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.progress import DownloadColumn, TimeElapsedColumn

from akg.commands.index_build import AllowLossOption
from akg.connection import command_settings, connect
from akg.console import MEGABYTE, JsonOption, grid, pluralize, print_json, print_notice, progress, stderr, stdout
from akg.reports.snapshots import (
    SnapshotCreate,
    SnapshotDelete,
    SnapshotList,
    SnapshotPrune,
    SnapshotRestore,
    SnapshotRow,
    SnapshotVerify,
)
from api.settings import Settings, SettingsError, mappings_folder
from indexer.release.plan import placement
from indexer.release.stored_releases import StoredReleases
from indexer.release.writer_lease import WriterLease, writer_lease
from indexer.snapshots.restore import Restore
from indexer.snapshots.retention import surplus_snapshots
from indexer.snapshots.snapshots import Snapshot, Snapshots
from indexer.snapshots.verification import Verification, verify_snapshot
from schema.errors import REFUSED
from schema.release_names import index_alias
from schema.vocabulary import read_vocabulary

snapshot_app = typer.Typer(no_args_is_help=True, help="Back up and restore releases in a snapshot repository.")

NameArgument = Annotated[str | None, typer.Argument(help="A snapshot of `akg snapshot list`. Default: the newest.")]
DeletedArgument = Annotated[str, typer.Argument(metavar="NAME", help="A snapshot of `akg snapshot list`.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Delete without asking.")]
KeepOption = Annotated[int | None, typer.Option("--keep", min=1, help="Keep so many, the newest. Default: 1.")]
OlderOption = Annotated[
    int | None, typer.Option("--older-than", min=0, help="Delete only what was taken this many days ago or earlier.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only list what would be deleted.")]
POLL_SECONDS = 0.5


@snapshot_app.command()
def create(*, json: JsonOption = False) -> None:
    """Take a snapshot of the live release."""
    with command_settings() as settings:
        with _leased_snapshots(settings) as (snapshots, lease), _progress("Writing", lease) as watch:
            snapshot = snapshots.create(watch)
        if json:
            print_json(SnapshotCreate(repository=snapshots.repository, snapshot=_row(snapshot)))
            return
        contents = f"{snapshot.entities:,} entities, {snapshot.data_version}"
        stdout.print(f"Wrote {snapshot.name} to the repository {snapshots.repository}: {contents}")


@snapshot_app.command("list")
def list_(*, json: JsonOption = False) -> None:
    """List the snapshots of the graph, newest release first."""
    with command_settings() as settings:
        if json:
            print_json(_snapshot_list(_snapshots(settings)))
            return
        table = grid(("snapshot", "state", "taken", "data", "synonyms", "entities", "MB"))
        snapshots = _snapshots(settings)
        for snapshot in snapshots.list_snapshots():
            versions = (snapshot.taken, snapshot.data_version, snapshot.synonyms_version)
            numbers = (f"{snapshot.entities:,}", f"{snapshot.size_bytes / MEGABYTE:.1f}")
            table.add_row(snapshot.name, snapshot.state, *versions, *numbers)
        empty = f"The repository {snapshots.repository} has no snapshot of {settings.index_alias}."
        stdout.print(table if table.row_count else f"{empty} Run `akg snapshot create`.")
        for number, count in sorted(Counter(snapshots.other_formats().values()).items()):
            stdout.print(f"{pluralize(count, 'snapshot')} of format {number}: restore with a program that reads it.")


def _snapshot_list(snapshots: Snapshots) -> SnapshotList:
    rows = list(map(_row, snapshots.list_snapshots()))
    counts = Counter(snapshots.other_formats().values())
    return SnapshotList(repository=snapshots.repository, snapshots=rows, other_formats=counts)


def _row(snapshot: Snapshot) -> SnapshotRow:
    names = ("state", "taken", "data_version", "synonyms_version", "entities", "size_bytes")
    return SnapshotRow(snapshot=snapshot.name, **{name: getattr(snapshot, name) for name in names})


@snapshot_app.command()
def restore(name: NameArgument = None, *, allow_loss: AllowLossOption = False, json: JsonOption = False) -> None:
    """Restore the release of a snapshot and publish it, in one atomic step."""
    with command_settings() as settings:
        vocabulary = read_vocabulary(mappings_folder(settings))
        index_settings = placement(settings.index_shards, settings.index_replicas)
        index_settings.pop("number_of_shards")  # fixed when the index was built
        max_loss = None if allow_loss else settings.max_loss
        with _leased_snapshots(settings) as (snapshots, lease), _progress("Restoring", lease) as watch:
            index = Restore(snapshots, vocabulary.forward, index_settings, watch, max_loss).run(name, datetime.now(UTC))
        if json:
            print_json(SnapshotRestore(live=index))
        else:
            stdout.print(f"Live: {index}")


@snapshot_app.command()
def delete(name: DeletedArgument, *, yes: YesOption = False, json: JsonOption = False) -> None:
    """Delete a snapshot from the repository, after a confirmation; also while disks are full."""
    with command_settings() as settings:
        snapshot = _snapshots(settings).find(name)
        contents = f"{snapshot.entities:,} entities, {snapshot.data_version}, taken {snapshot.taken}"
        if not (yes or typer.confirm(f"Delete the snapshot {name} ({contents})?", err=True)):
            stderr.print("Nothing was deleted.")
            raise typer.Exit(1)
        with _leased_snapshots(settings) as (snapshots, _):
            snapshots.delete(name)
        if json:
            print_json(SnapshotDelete(deleted=name))
        else:
            stdout.print(f"Deleted: {name}")


@snapshot_app.command()
def verify(name: NameArgument = None, *, json: JsonOption = False) -> None:
    """Restore a snapshot beside the live release, verify it as a build does, and delete the copy."""
    with command_settings() as settings:
        vocabulary = read_vocabulary(mappings_folder(settings))
        with _leased_snapshots(settings) as (snapshots, lease), _progress("Restoring", lease) as watch:
            found = verify_snapshot(Restore(snapshots, vocabulary.forward, {}, watch), name, datetime.now(UTC))
        if json:
            print_json(_verify_report(found))
        else:
            _print_verification(found)
        if found.problems:
            raise typer.Exit(REFUSED)


def _verify_report(found: Verification) -> SnapshotVerify:
    snapshot = found.snapshot
    return SnapshotVerify(
        snapshot=snapshot.name,
        intact=not found.problems,
        problems=found.problems,
        data_version=snapshot.data_version,
        entities=snapshot.entities,
    )


def _print_verification(found: Verification) -> None:
    snapshot = found.snapshot
    for problem in found.problems:
        stdout.print(problem, markup=False)
    if found.problems:
        advice = "Take another with `akg snapshot delete` and `akg snapshot create`, while its release is live."
        stdout.print(f"Damaged: {snapshot.name}. {advice}", markup=False)
    else:
        stdout.print(f"Intact: {snapshot.name}, {snapshot.entities:,} entities, {snapshot.data_version}")


@snapshot_app.command()
def prune(
    keep: KeepOption = None, older_than: OlderOption = None, *, dry_run: DryRunOption = False, json: JsonOption = False
) -> None:
    """Delete old snapshots by count and age; never the newest complete one, nor that of the live release."""
    with command_settings() as settings:
        if keep is None and older_than is None:
            raise SettingsError("Nothing says what to delete. Give --keep, --older-than or both.")
        min_age = timedelta(days=older_than or 0)
        with nullcontext((_snapshots(settings), None)) if dry_run else _leased_snapshots(settings) as (snapshots, _):
            stored = snapshots.list_snapshots()
            live = StoredReleases(snapshots.client, settings.alias).live_indices()
            surplus = surplus_snapshots(stored, keep or 1, min_age, live, datetime.now(UTC))
            for snapshot in () if dry_run else surplus:
                snapshots.delete(snapshot.name)
                print_notice(f"Deleted {snapshot.name}")
        deleted = [snapshot.name for snapshot in surplus]
        kept = [snapshot.name for snapshot in stored if snapshot not in surplus]
        if json:
            print_json(SnapshotPrune(dry_run=dry_run, deleted=deleted, kept=kept))
            return
        label = "Would delete" if dry_run else "Deleted"
        stdout.print(f"{label}: {', '.join(deleted) or 'nothing'}", markup=False)
        stdout.print(f"Kept: {', '.join(kept) or 'nothing'}", markup=False)


@contextmanager
def _leased_snapshots(settings: Settings) -> Iterator[tuple[Snapshots, WriterLease]]:
    snapshots = _snapshots(settings)
    with writer_lease(snapshots.client, index_alias(snapshots.alias), print_notice) as lease:
        yield replace(snapshots, check_lease=lease.check), lease


def _snapshots(settings: Settings) -> Snapshots:
    return Snapshots(connect(settings), settings.alias, settings.snapshot_repository, settings.snapshot_location)


@contextmanager
def _progress(label: str, lease: WriterLease) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback for the bytes done, which sleeps until the next poll, or stops when the lease was lost."""
    with progress(DownloadColumn(), TimeElapsedColumn()) as bar:
        task = bar.add_task(label, total=None)

        def watch(done: int, total: int) -> None:
            bar.update(task, completed=min(done, total), total=total)
            lease.require()
            time.sleep(POLL_SECONDS)

        yield watch
        if (total := bar.tasks[0].total) is None:
            bar.update(task, visible=False)
        else:
            bar.update(task, completed=total)
