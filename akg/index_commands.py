"""`akg index`: build a release from content, list releases, go back to one, delete old ones."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from akg.connection import connect, settings_from_environment
from akg.console import notes, out, plain_errors
from api.settings import content_folder, imports_folder, mappings_folder
from indexer.imports import imports_in, joined_version
from indexer.joining import joined
from indexer.lock import writer
from indexer.market.due import aged, oldest_fresh
from indexer.plan import Versions, make_plan, placed, placement
from indexer.release import KEEP, Releases
from indexer.sources import fingerprint, package_of, read, stale_findings
from indexer.synonyms import read_rules
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opensearchpy import OpenSearch

    from api.settings import Settings
    from indexer.rows import Content
    from indexer.vocabulary import Vocabulary

index_app = typer.Typer(no_args_is_help=True, help="Releases of the graph in OpenSearch.")

ContentOption = Annotated[
    Path | None, typer.Option("--content", help="Content folder; default: AKG_CONTENT or the shipped one.")
]
IfChangedOption = Annotated[bool, typer.Option("--if-changed", help="Only if the live release would differ.")]
KeepOption = Annotated[int, typer.Option("--keep", min=0, help="Releases to keep beside the live one.")]
MEGABYTE = 1_000_000


def build_release(
    settings: Settings, client: OpenSearch, content_path: Path, *, only_if_changed: bool = False
) -> str | None:
    """Read, check, build, verify and publish; return the new index, or None where nothing changed."""
    mappings = mappings_folder(settings)
    desk = Releases(client, settings.alias)
    body = orjson.loads((mappings / "entities.json").read_bytes())
    rules = read_rules(mappings / "synonyms")
    now = datetime.now(UTC)
    stale = stale_findings(content_path, oldest_fresh(now.date(), settings.market_stale_days))
    version = joined_version(fingerprint(content_path), imports_in(imports_folder(settings)))
    if only_if_changed and Versions.of(version, rules, body, stale).live_in(desk.live_meta()):
        return None
    with _without_collections():
        vocabulary = read_vocabulary(mappings)
        content = with_imports(content_path, imports_folder(settings), vocabulary)
        content = aged(content, now.date(), settings.market_stale_days)
        plan, total = make_plan(content, vocabulary, body, rules, stale)
        plan = placed(plan, placement(settings.index_shards, settings.index_replicas))
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with writer(client, settings.alias) as renew, Progress(*columns, console=notes) as progress:
            task = progress.add_task("Indexing", total=total)

            def on_document() -> None:
                progress.advance(task)
                renew()

            return desk.build(plan, datetime.now(UTC), on_document)


def with_imports(tables: Path, folder: Path, vocabulary: Vocabulary) -> Content:
    """The content of a folder joined with every import of another; what the joins did is told as notes."""
    made = joined(read(tables, vocabulary), folder, package_of(tables), vocabulary)
    for note in made.notes:
        notes.print(note, markup=False, soft_wrap=True)
    return made.content


@contextmanager
def _without_collections() -> Iterator[None]:
    """No garbage collection: what a build makes stays to its end, and looking through it took 60 % of its time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@index_app.command()
def build(content: ContentOption = None, *, if_changed: IfChangedOption = False) -> None:
    """Build a release from the content tables and publish it."""
    with plain_errors():
        settings = settings_from_environment()
        client = connect(settings)
        tables = content or content_folder(settings)
        index = build_release(settings, client, tables, only_if_changed=if_changed)
        if index is None:
            out.print("Nothing changed since the live release.")
            return
        made = next(one for one in Releases(client, settings.alias).complete() if one.index == index)
        out.print(f"Published {made.index}: {made.entities:,} entities, {made.edges:,} edges, {made.data_version}")


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
