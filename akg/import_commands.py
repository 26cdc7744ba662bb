"""`akg import`: take in what others publish, list it, take it out again. Every build joins it with the content."""

from __future__ import annotations

import hashlib
import re
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn
from rich.table import Table as Listing

from akg.connection import settings_from_environment
from akg.console import notes, out, plain_errors
from akg.download import Wanted, download, is_address, without_secrets
from api.settings import content_folder, imports_folder, mappings_folder
from indexer import imports
from indexer.export_files import exported_version, read_files
from indexer.exported import KIND, sound_tables
from indexer.onet import tables
from indexer.onet.files import OnetError, opened
from indexer.onet.reading import read_release
from indexer.problems import ContentError
from indexer.shapes import SHAPES
from indexer.sources import package_of
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.onet.reading import OnetRelease
    from indexer.tables import Table

import_app = typer.Typer(no_args_is_help=True, help="Imports that every build joins with the content.")

MEGABYTE = 1_000_000
MOST_MEGABYTES = 200  # the whole csv archive of 31.0 has about 20
ONET, TABLES = "onet", "tables"
STAMP = "%Y-%m-%dT%H:%M:%SZ"
SHA256 = re.compile(r"[0-9a-fA-F]{64}")

SourceArgument = Annotated[str, typer.Argument(metavar="SOURCE", help="Folder, zip archive, or address of one.")]
ReleaseOption = Annotated[str, typer.Option("--release", help="Release number, if nothing in the files says it.")]
ShaOption = Annotated[str, typer.Option("--sha256", help="The archive must have this SHA-256.")]
MostOption = Annotated[int, typer.Option("--most-megabytes", min=1, help="Largest download.")]
NameArgument = Annotated[str, typer.Argument(help="Name of an import, as `akg import list` shows it.")]


@import_app.command()
def onet(
    source: SourceArgument,
    release: ReleaseOption = "",
    sha256: ShaOption = "",
    most_megabytes: MostOption = MOST_MEGABYTES,
) -> None:
    """Import an official O*NET release, 29.x to 31.x, text or csv, in place of the content's O*NET tables."""
    with plain_errors():
        folder = imports_folder(settings_from_environment())
        with imports.alone(folder), tempfile.TemporaryDirectory(prefix=imports.TABLES, dir=folder) as work:
            archive = _local(source, Wanted(source, most_megabytes * MEGABYTE, sha256), Path(work))
            found = _read(archive, release)
            now = datetime.now(UTC)
            manifest = imports.Manifest(
                name=ONET,
                kind=tables.KIND,
                title=f"O*NET {found.number}",
                made=now.strftime(STAMP),
                origin=_origin(source, archive),
                source=tables.source_of(found, now.date().isoformat()),
                notes=found.notes,
            )
            made = imports.replace(folder, manifest, tables.to_tables(found))
        for note in made.notes:
            notes.print(note, style="yellow", markup=False, soft_wrap=True)
        counts = ", ".join(f"{table.rows:,} {name.removesuffix('.csv')}" for name, table in made.tables.items())
        out.print(f"Imported {made.title}: {counts}. `akg index build` joins it.", markup=False)


@import_app.command("table")
def table(source: SourceArgument, sha256: ShaOption = "", most_megabytes: MostOption = MOST_MEGABYTES) -> None:
    """Import entities and edges in the form of an export, in place of the whole content."""
    with plain_errors():
        settings = settings_from_environment()
        folder, vocabulary = imports_folder(settings), read_vocabulary(mappings_folder(settings))
        package = package_of(content_folder(settings))
        with imports.alone(folder), tempfile.TemporaryDirectory(prefix=imports.TABLES, dir=folder) as work:
            given = _local(source, Wanted(source, most_megabytes * MEGABYTE, sha256), Path(work))
            with _all_or_nothing(), notes.status("Checking every row"):
                files = read_files(given)
                found = sound_tables(files, package, vocabulary)
            version = exported_version(files)
            manifest = imports.Manifest(
                name=TABLES,
                kind=KIND,
                title=f"release {version}" if version else "tables of others",
                made=datetime.now(UTC).strftime(STAMP),
                origin=_origin(source, given),
                version=version,
            )
            imports.keep(folder, manifest, {name: (data.count(b"\n"), data) for name, data in files.items()})
        if found.worked_out:
            notes.print(f"{found.worked_out:,} edges are derived or inherited; a build works them out itself.")
        out.print(f"Imported {_told(found.tables)}, in place of the content. `akg index build` builds them.")


@import_app.command("list")
def list_imports() -> None:
    """List the imports that a build would join."""
    with plain_errors():
        folder = imports_folder(settings_from_environment())
        table = Listing(box=None)
        for name in ("import", "what", "made", "from", "rows"):
            table.add_column(name, no_wrap=True)
        for one in imports.imports_in(folder):
            rows = f"{sum(file.rows for file in one.tables.values()):,}"
            table.add_row(one.name, one.title, one.made, one.origin, rows)
        out.print(table if table.row_count else "No imports.")


@import_app.command()
def remove(name: NameArgument) -> None:
    """Take an import out; the next build uses the content alone."""
    with plain_errors():
        folder = imports_folder(settings_from_environment())
        with imports.alone(folder):
            imports.remove(folder, name)
        out.print(f"Removed {name}. `akg index build` builds without it.", markup=False)


def _told(tables: Mapping[str, Table]) -> str:
    entities = sum(len(tables[stem].lines) for stem, shape in SHAPES.items() if shape.type and stem in tables)
    return f"{entities:,} entities"


def _origin(source: str, given: Path) -> str:
    """What an import was made from, as it may be shown."""
    return without_secrets(source) if is_address(source) else given.resolve().name


def _local(source: str, wanted: Wanted, work: Path) -> Path:
    """The folder or archive on this machine, downloaded first where it is an address."""
    if wanted.sha256 and not SHA256.fullmatch(wanted.sha256):
        raise OnetError("--sha256 takes 64 hexadecimal digits.")
    if is_address(source):
        name = Path(without_secrets(source)).name or "release.zip"
        download(wanted, work / name, notes)
        return work / name
    if "://" in source:
        raise OnetError(f"{source.partition('://')[0]}:// is no address that can be fetched; valid: http, https.")
    path = Path(source).expanduser()
    if wanted.sha256:
        if not path.is_file():
            raise OnetError(f"--sha256 is for one archive; {path} is none.")
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != wanted.sha256.lower():
            raise OnetError(f"{path} is not the file that was asked for: its SHA-256 is {found}.")
    return path


def _read(archive: Path, release: str) -> OnetRelease:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with _all_or_nothing(), opened(archive) as files, Progress(*columns, console=notes) as progress:
        task = progress.add_task("Reading", total=sum(member.size for member in files.members.values()))
        return read_release(files, lambda count: progress.advance(task, count), release)


@contextmanager
def _all_or_nothing() -> Iterator[None]:
    """Say before the faults that nothing was changed."""
    try:
        yield
    except ContentError:
        notes.print("Nothing was changed:", style="red")
        raise
