"""`akg export`: write the files of the live release into a folder, whole or not at all."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

from akg.connection import engine_urls, settings_from_environment
from akg.console import ExportError, notes, out, plain_errors
from api.engine import Engine
from api.exports import live_export, read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from api.exports import Export, File
    from api.settings import Settings

MEGABYTE = 1_000_000

Folder = Annotated[Path, typer.Argument(help="The folder to write into; it is made if it is not there.")]


def export(folder: Folder) -> None:
    """Write the files of the live release, as `GET /export` lists them, into a folder."""
    with plain_errors():
        settings = settings_from_environment()
        urls = engine_urls(settings)
        written = _into(folder, lambda aside: asyncio.run(_export(settings, urls, aside)))
        size = sum(file.own.bytes for file in written.files) / MEGABYTE
        version = written.release.data_version
        out.print(f"Wrote {len(written.files)} files of {version} into {folder}: {size:.1f} MB", markup=False)


def _into(folder: Path, fill: Callable[[Path], Export]) -> Export:
    """Have all files written aside, then move them to their places: the description, first of the list, comes last."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".akg-export-", dir=folder) as aside:
            found = fill(Path(aside))
            for file in reversed(found.files):
                (Path(aside) / file.name).replace(folder / file.name)
    except OSError as error:
        raise ExportError(f"{error.filename or folder}: {error.strerror}") from None
    return found


async def _export(settings: Settings, urls: Sequence[str], folder: Path) -> Export:
    engine = Engine(settings, urls)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    try:
        found = await live_export(engine)
        with Progress(*columns, console=notes) as progress:
            task = progress.add_task("Exporting", total=sum(file.own.bytes for file in found.files))
            for file in found.files:
                await _copy(engine, found, file, folder / file.name, lambda size: progress.advance(task, size))
    finally:
        await engine.close()
    return found


async def _copy(engine: Engine, export: Export, file: File, to: Path, on_bytes: Callable[[int], None]) -> None:
    digest = hashlib.sha256()
    with to.open("wb") as opened:
        async for piece in read(engine, export.release, file, file.own):
            opened.write(piece)
            digest.update(piece)
            on_bytes(len(piece))
    if digest.hexdigest() != file.own.sha256:
        raise ExportError(f"{file.name} did not arrive whole. Nothing was changed in the folder; try again.")
