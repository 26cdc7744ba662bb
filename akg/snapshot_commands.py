"""`akg snapshot create | list | restore`: releases kept outside the cluster, and brought back."""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from akg.connection import connect, settings_from_environment
from akg.console import notes, out, plain_errors
from api.settings import mappings_folder
from indexer.lock import writer
from indexer.plan import placement
from indexer.snapshots import Snapshots
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from api.settings import Settings

snapshot_app = typer.Typer(no_args_is_help=True, help="Snapshots of releases, in a repository of the engine.")

NameArgument = Annotated[str | None, typer.Argument(help="A snapshot of `akg snapshot list`; default: the newest.")]
LOOK_SECONDS = 0.5
MEGABYTE = 1_000_000


@snapshot_app.command()
def create() -> None:
    """Take a snapshot of the live release."""
    with plain_errors():
        desk = _desk(settings_from_environment())
        with writer(desk.client, desk.alias) as renew, _watching("Writing", renew) as watch:
            made = desk.create(watch)
        out.print(f"The repository {desk.repository} has {made.name}: {made.entities:,} entities, {made.data_version}")


@snapshot_app.command("list")
def list_() -> None:
    """List the snapshots of this graph, newest release first."""
    with plain_errors():
        table = Table(box=None)
        for name in ("snapshot", "state", "taken", "data", "synonyms", "entities", "MB"):
            table.add_column(name, no_wrap=True)
        desk = _desk(settings_from_environment())
        taken = desk.taken()
        for one in taken:
            size = f"{one.size_bytes / MEGABYTE:.1f}"
            table.add_row(
                *(one.name, one.state, one.taken, one.data_version, one.synonyms_version), f"{one.entities:,}", size
            )
        none = f"The repository {desk.repository} has no snapshot of {desk.alias}. `akg snapshot create` takes one."
        out.print(table if taken else none)


@snapshot_app.command()
def restore(name: NameArgument = None) -> None:
    """Bring the release of a snapshot back and publish it; until then, what is live stays live."""
    with plain_errors():
        settings = settings_from_environment()
        desk = _desk(settings)
        vocabulary = read_vocabulary(mappings_folder(settings))
        inverses = vocabulary.inverses
        placed = placement(settings.index_shards, settings.index_replicas)
        placed.pop("number_of_shards")  # a matter of how the index was built
        with writer(desk.client, desk.alias) as renew, _watching("Restoring", renew) as watch:
            index = desk.restore(name, inverses, placed, datetime.now(UTC), watch)
        out.print(f"Live: {index}")


def _desk(settings: Settings) -> Snapshots:
    return Snapshots(connect(settings), settings.alias, settings.snapshot_repository, settings.snapshot_location)


@contextmanager
def _watching(what: str, renew: Callable[[], None]) -> Iterator[Callable[[int, int], None]]:
    """A bar in bytes; what it gives waits a moment at each call, and keeps the writer's claim alive."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=notes) as progress:
        task = progress.add_task(what, total=None)

        def watch(done: int, total: int) -> None:
            progress.update(task, completed=min(done, total), total=total)
            renew()
            time.sleep(LOOK_SECONDS)

        yield watch
        if (total := progress.tasks[0].total) is None:
            progress.update(task, visible=False)  # there was nothing to wait for
        else:
            progress.update(task, completed=total)
