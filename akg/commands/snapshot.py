"""`akg snapshot create | list | restore`: back up and restore releases."""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import DownloadColumn, TimeElapsedColumn

from akg.connection import connect, settings_from_environment
from akg.console import MEGABYTE, grid, progress, report_errors, stdout
from api.settings import mappings_folder
from indexer.release.plan import placement
from indexer.release.snapshots import Snapshots
from indexer.release.writer_lease import writer_lease
from schema.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from api.settings import Settings

snapshot_app = typer.Typer(no_args_is_help=True, help="Back up and restore releases in a snapshot repository.")

NameArgument = Annotated[str | None, typer.Argument(help="A snapshot of `akg snapshot list`. Default: the newest.")]
POLL_SECONDS = 0.5


@snapshot_app.command()
def create() -> None:
    """Take a snapshot of the live release."""
    with report_errors():
        snapshots = _snapshots(settings_from_environment())
        with writer_lease(snapshots.client, snapshots.alias) as renew, _progress("Writing", renew) as watch:
            snapshot = snapshots.create(watch)
        contents = f"{snapshot.entities:,} entities, {snapshot.data_version}"
        stdout.print(f"Wrote {snapshot.name} to the repository {snapshots.repository}: {contents}")


@snapshot_app.command("list")
def list_() -> None:
    """List the snapshots of the graph, newest release first."""
    with report_errors():
        table = grid(("snapshot", "state", "taken", "data", "synonyms", "entities", "MB"))
        snapshots = _snapshots(settings_from_environment())
        for snapshot in snapshots.list_snapshots():
            versions = (snapshot.taken, snapshot.data_version, snapshot.synonyms_version)
            numbers = (f"{snapshot.entities:,}", f"{snapshot.size_bytes / MEGABYTE:.1f}")
            table.add_row(snapshot.name, snapshot.state, *versions, *numbers)
        empty = (
            f"The repository {snapshots.repository} has no snapshot of {snapshots.alias}. Run `akg snapshot create`."
        )
        stdout.print(table if table.row_count else empty)


@snapshot_app.command()
def restore(name: NameArgument = None) -> None:
    """Restore the release of a snapshot and publish it, in one atomic step."""
    with report_errors():
        settings = settings_from_environment()
        snapshots = _snapshots(settings)
        vocabulary = read_vocabulary(mappings_folder(settings))
        index_settings = placement(settings.index_shards, settings.index_replicas)
        index_settings.pop("number_of_shards")  # fixed when the index was built
        with writer_lease(snapshots.client, snapshots.alias) as renew, _progress("Restoring", renew) as watch:
            index = snapshots.restore(name, vocabulary.forward, index_settings, datetime.now(UTC), watch)
        stdout.print(f"Live: {index}")


def _snapshots(settings: Settings) -> Snapshots:
    return Snapshots(connect(settings), settings.alias, settings.snapshot_repository, settings.snapshot_location)


@contextmanager
def _progress(label: str, renew: Callable[[], None]) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback for the bytes done, which renews the writer lease and sleeps until the next poll."""
    with progress(DownloadColumn(), TimeElapsedColumn()) as bar:
        task = bar.add_task(label, total=None)

        def watch(done: int, total: int) -> None:
            bar.update(task, completed=min(done, total), total=total)
            renew()
            time.sleep(POLL_SECONDS)

        yield watch
        if (total := bar.tasks[0].total) is None:
            bar.update(task, visible=False)
        else:
            bar.update(task, completed=total)
