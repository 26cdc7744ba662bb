"""`akg export`: write the export files of the live release into a folder, all or none."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.progress import DownloadColumn, TimeElapsedColumn

from akg.connection import command_settings, connect, engine_urls
from akg.console import MEGABYTE, progress, stdout
from api.engine.search_engine import SearchEngine
from api.graph.release_contents import Export, ExportFile, live_export, read_file
from api.settings import Settings
from schema.errors import AkgError

FolderArgument = Annotated[Path, typer.Argument(help="Folder to write to, created if missing.")]


class ExportError(AkgError):
    """The export was not written; the folder is unchanged."""


def export(folder: FolderArgument) -> None:
    """Write the export files of the live release into a folder."""
    with command_settings() as settings:
        connect(settings).close()  # raises ClusterError with what to do, where the service says only 503
        urls = engine_urls(settings)
        listing = _write_all(folder, lambda staging: asyncio.run(_export(settings, urls, staging)))
        size = sum(file.native.bytes for file in listing.files) / MEGABYTE
        version = listing.release.data_version
        stdout.print(f"Wrote {len(listing.files)} files of {version} into {folder}: {size:.1f} MB", markup=False)


def _write_all(folder: Path, write: Callable[[Path], Export]) -> Export:
    """Write all files to a staging folder, then move them: the description, first in the list, is moved last."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".akg-export-", dir=folder) as staging:
            listing = write(Path(staging))
            for file in reversed(listing.files):
                (Path(staging) / file.name).replace(folder / file.name)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(error.filename or folder)) from None
    return listing


async def _export(settings: Settings, urls: Sequence[str], folder: Path) -> Export:
    engine = SearchEngine(settings, urls)
    try:
        listing = await live_export(engine)
        with progress(DownloadColumn(), TimeElapsedColumn()) as bar:
            task = bar.add_task("Exporting", total=sum(file.native.bytes for file in listing.files))
            for file in listing.files:
                await _copy(engine, listing, file, folder / file.name, lambda size: bar.advance(task, size))
    finally:
        await engine.close()
    return listing


async def _copy(
    engine: SearchEngine, listing: Export, file: ExportFile, path: Path, on_bytes: Callable[[int], None]
) -> None:
    digest = hashlib.sha256()
    with path.open("wb") as output:
        async for chunk in read_file(engine, listing.release, file, file.native):
            output.write(chunk)
            digest.update(chunk)
            on_bytes(len(chunk))
    if digest.hexdigest() != file.native.sha256:
        raise ExportError(f"{file.name} is incomplete. Nothing was changed in the folder; try again.")
