"""`akg import`: import external releases, list and remove them. Every build merges imports with the content."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import DownloadColumn

from akg.commands.import_losses import require_small_loss
from akg.connection import command_settings
from akg.console import MEGABYTE, JsonOption, grid, print_json, progress, stderr, stdout
from akg.download import FileRequest, check_sha256, download, is_url, sha256_of, without_secrets
from akg.reports.imports import Imported, ImportList, ImportRemove, ImportRow
from api.settings import content_folder, imports_folder, mappings_folder
from indexer.content.loader import read_package
from indexer.content.problems import ContentError
from indexer.content.table_specs import TABLE_SPECS
from indexer.imports import store
from indexer.imports.export_files import exported_version, read_files
from indexer.imports.export_tables import KIND, ContentTables, require_valid_tables
from indexer.onet import merge
from indexer.onet.archive import open_release
from indexer.onet.reader import OnetRelease, read_release
from schema.errors import UsageError
from schema.vocabulary import read_vocabulary

import_app = typer.Typer(no_args_is_help=True, help="Manage imports, which every build merges with the content tables.")

MAX_MEGABYTES = 200  # the full csv archive of O*NET 31.0 has about 20
ONET, TABLES = "onet", "tables"
TIMESTAMP = "%Y-%m-%dT%H:%M:%SZ"
SHA256 = re.compile(r"[0-9a-fA-F]{64}")

SourceArgument = Annotated[str, typer.Argument(metavar="SOURCE", help="Folder, zip archive, or URL of one.")]
ReleaseOption = Annotated[str, typer.Option("--release", help="Release number, if the files do not contain it.")]
ShaOption = Annotated[str, typer.Option("--sha256", help="Expected SHA-256 of the archive.")]
MaxOption = Annotated[int, typer.Option("--max-megabytes", min=1, help="Maximum size of a download.")]
AllowLossOption = Annotated[
    bool, typer.Option("--allow-loss", help="Import even if the next build would lose much of what it has now.")
]
NameArgument = Annotated[str, typer.Argument(help="Name of an import, as `akg import list` shows it.")]


@import_app.command()
def onet(
    source: SourceArgument,
    release: ReleaseOption = "",
    sha256: ShaOption = "",
    max_megabytes: MaxOption = MAX_MEGABYTES,
    *,
    allow_loss: AllowLossOption = False,
    json: JsonOption = False,
) -> None:
    """Import an official O*NET release (29.x to 31.x, text or csv), which replaces the O*NET tables of the content."""
    with command_settings() as settings:
        folder = imports_folder(settings)
        with store.work_folder(folder) as work:
            archive = _local_path(source, FileRequest(source, max_megabytes * MEGABYTE, sha256), work)
            onet_release = _read(archive, release)
            now = datetime.now(UTC)
            manifest = store.Manifest(
                name=ONET,
                kind=merge.KIND,
                title=f"O*NET {onet_release.number}",
                made=now.strftime(TIMESTAMP),
                origin=_origin(source, archive),
                source=merge.source_row(onet_release, now.date().isoformat()),
                notes=onet_release.notes,
            )

            def store_release(target: Path) -> store.Manifest:
                return store.store_tables(target, manifest, merge.to_tables(onet_release))

            if not allow_loss:
                require_small_loss(settings, work, ONET, store_release)
            stored = store_release(folder)
        if json:
            print_json(Imported(stored=_row(stored), entities=None, skipped_edges=0, notes=stored.notes))
            return
        for note in stored.notes:
            stderr.print(note, style="yellow", markup=False, soft_wrap=True)
        counts = ", ".join(f"{table.rows:,} {name.removesuffix('.csv')}" for name, table in stored.tables.items())
        stdout.print(f"Imported {stored.title}: {counts}. `akg index build` merges it with the content.", markup=False)


@import_app.command("table")
def table(
    source: SourceArgument,
    sha256: ShaOption = "",
    max_megabytes: MaxOption = MAX_MEGABYTES,
    *,
    allow_loss: AllowLossOption = False,
    json: JsonOption = False,
) -> None:
    """Import entities and edges in the export format, which replace all content tables.

    To add to the graph instead, use an overlay: `akg overlay new`.
    """
    with command_settings() as settings:
        folder, vocabulary = imports_folder(settings), read_vocabulary(mappings_folder(settings))
        package = read_package(content_folder(settings))
        with store.work_folder(folder) as work:
            path = _local_path(source, FileRequest(source, max_megabytes * MEGABYTE, sha256), work)
            with _unchanged_on_error(), stderr.status("Checking every row"):
                files = read_files(path)
                checked = require_valid_tables(files, package, vocabulary)
            version = exported_version(files)
            manifest = store.Manifest(
                name=TABLES,
                kind=KIND,
                title=f"release {version}" if version else "external tables",
                made=datetime.now(UTC).strftime(TIMESTAMP),
                origin=_origin(source, path),
                version=version,
            )
            rows = {name: (data.count(b"\n"), data) for name, data in files.items()}
            if not allow_loss:
                require_small_loss(settings, work, TABLES, lambda target: store.store_files(target, manifest, rows))
            stored = store.store_files(folder, manifest, rows)
        _print_imported_tables(stored, checked, json=json)


def _print_imported_tables(stored: store.Manifest, checked: ContentTables, *, json: bool) -> None:
    entities = [checked.tables[stem] for stem, spec in TABLE_SPECS.items() if spec.type and stem in checked.tables]
    count, skipped = sum(len(table.lines) for table in entities), checked.skipped_edges
    if json:
        print_json(Imported(stored=_row(stored), entities=count, skipped_edges=skipped, notes=stored.notes))
        return
    if skipped:
        stderr.print(f"{skipped:,} derived or inherited edges were skipped, because a build computes them.")
    stdout.print(f"Imported {count:,} entities. They replace the content tables in the next `akg index build`.")


@import_app.command("list")
def list_imports(*, json: JsonOption = False) -> None:
    """List the imports that a build merges with the content."""
    with command_settings() as settings:
        folder = imports_folder(settings)
        if json:
            print_json(ImportList(imports=list(map(_row, store.list_imports(folder)))))
            return
        listing = grid(("import", "title", "made", "origin", "rows"))
        for manifest in store.list_imports(folder):
            rows = f"{sum(file.rows for file in manifest.tables.values()):,}"
            listing.add_row(manifest.name, manifest.title, manifest.made, manifest.origin, rows)
        stdout.print(listing if listing.row_count else "No imports.")


@import_app.command()
def remove(name: NameArgument, *, json: JsonOption = False) -> None:
    """Remove an import, so that the next build does not use it."""
    with command_settings() as settings:
        folder = imports_folder(settings)
        with store.import_lock(folder):
            store.remove_import(folder, name)
        if json:
            print_json(ImportRemove(removed=name))
        else:
            stdout.print(f"Removed {name}. The next `akg index build` does not use it.", markup=False)


def _row(manifest: store.Manifest) -> ImportRow:
    rows = {name: file.rows for name, file in manifest.tables.items()}
    return ImportRow(**manifest.model_dump(include={"name", "title", "made", "origin"}), rows=rows)


def _origin(source: str, path: Path) -> str:
    return without_secrets(source) if is_url(source) else store.origin_of(path.resolve())


def _local_path(source: str, request: FileRequest, work: Path) -> Path:
    """Return the path of a folder or archive; a URL is downloaded into `work` first."""
    if request.sha256 and not SHA256.fullmatch(request.sha256):
        raise UsageError("--sha256 takes 64 hexadecimal digits.")
    if is_url(source):
        name = Path(without_secrets(source)).name or "release.zip"
        download(request, work / name, stderr)
        return work / name
    if "://" in source:
        raise UsageError(f"{source.partition('://')[0]}:// cannot be downloaded; valid: http, https.")
    path = Path(source).expanduser()
    if not path.exists():
        raise UsageError(f"{path} does not exist. Name a folder, a zip archive, or the URL of one.")
    if request.sha256:
        if not path.is_file():
            raise UsageError(f"--sha256 needs an archive; {path} is not a file.")
        check_sha256(path, sha256_of(path), request.sha256)
    return path


def _read(archive: Path, release: str) -> OnetRelease:
    with _unchanged_on_error(), open_release(archive) as files, progress(DownloadColumn()) as bar:
        task = bar.add_task("Reading", total=sum(member.size for member in files.members.values()))
        return read_release(files, lambda count: bar.advance(task, count), release)


@contextmanager
def _unchanged_on_error() -> Iterator[None]:
    """Print that nothing was changed before the problems."""
    try:
        yield
    except ContentError:
        stderr.print("Nothing was changed:", style="red")
        raise
