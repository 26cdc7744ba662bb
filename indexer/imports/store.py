"""Stores imports: a manifest and a folder of tables for each. The only module that writes them.

`NAME.import.json` is the manifest, with the folder of the tables and their checksums. A new import writes its tables
into a new folder and then replaces the manifest atomically, so that either the old or the new import is valid. No
manifest names the files of an interrupted import; the next import deletes them.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock, Timeout
from pydantic import BaseModel, Field, ValidationError

from indexer.content.csv_table import csv_bytes
from indexer.content.loader import VERSION_DIGITS
from indexer.content.zip_members import error_text
from schema.errors import LOCKED, AkgError

MANIFEST_SUFFIX = ".import.json"
FOLDER_MODE, FILE_MODE = 0o755, 0o644  # readable by the user who builds, who need not be the one who imports
TABLES_PREFIX = "akg-import-"  # of folders of tables: nothing else is ever deleted
LOCK_TIMEOUT_SECONDS = 60


class ImportDataError(AkgError):
    """An import cannot be read or created. The stored imports are unchanged."""


class ImportsLockedError(ImportDataError):
    """Another process changes the imports."""

    exit_code = LOCKED


class TableFile(BaseModel, frozen=True):
    """One table of an import."""

    rows: int
    sha256: str


class Manifest(BaseModel, frozen=True):
    """An import: `kind` determines how it is merged, `source` is its row among the sources.

    `made` is an ISO time, `origin` the imported file. `version` is that of the release of which it is a copy, if any.
    """

    name: str = Field(pattern=r"^[a-z0-9-]+$")
    kind: str
    title: str
    made: str
    origin: str
    folder: str = Field(default="", pattern=r"^[A-Za-z0-9_-]*$")
    source: dict[str, str] = Field(default_factory=dict)
    tables: dict[str, TableFile] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    version: str = ""


def origin_of(path: Path) -> str:
    """Return the name of a file in UTF-8, as manifests are; in an ASCII locale, Python escapes its bytes."""
    return os.fsencode(path.name).decode(errors="replace")


@contextmanager
def work_folder(folder: Path) -> Iterator[Path]:
    """Lock the imports and yield a temporary folder for downloads, deleted at the end."""
    with import_lock(folder):
        try:
            work = TemporaryDirectory(prefix=TABLES_PREFIX, dir=folder)
        except OSError as error:
            raise _not_stored(folder, error) from None
        with work as name:
            yield Path(name)


@contextmanager
def import_lock(folder: Path, seconds: float = LOCK_TIMEOUT_SECONDS) -> Iterator[None]:
    """Lock the imports against changes by other processes. Reading needs no lock, see `read_imports`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock").acquire(timeout=seconds)
    except Timeout:
        raise ImportsLockedError(
            f"Another import has locked {folder} for more than {seconds:g} s. Try again later."
        ) from None
    except OSError as error:
        raise _not_stored(folder, error) from None
    with lock:
        yield


def list_imports(folder: Path) -> list[Manifest]:
    """Return the manifests of the folder, by name. One that is removed at this moment is not listed."""
    manifests = []
    for path in sorted(folder.glob(f"*{MANIFEST_SUFFIX}")):
        try:
            manifests.append(Manifest.model_validate_json(path.read_bytes()))
        except OSError as error:
            if path.is_symlink() or not isinstance(error, FileNotFoundError):
                raise _unreadable(path, error) from None
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise ImportDataError(f"{path} is not a valid import manifest: {first['msg']}. Delete it.") from None
    return manifests


def imports_digest(manifests: Sequence[Manifest]) -> str:
    """Return a digest that changes when the data of an import changes, but not when its date does."""
    digest = hashlib.sha256()
    for manifest in manifests:
        source = {name: value for name, value in manifest.source.items() if name != "retrieved"}
        digest.update(f"{manifest.name}\n{manifest.kind}\n{sorted(source.items())}\n".encode())
        for name, table in sorted(manifest.tables.items()):
            digest.update(f"{name}\n{table.sha256}\n".encode())
    return digest.hexdigest()


def merged_version(version: str, manifests: Sequence[Manifest]) -> str:
    """Return the version of content and imports: that of the content if there are no imports.

    An unchanged export of a release, which replaces the content, has the version of that release.
    """
    export = next((manifest for manifest in manifests if manifest.version), None)
    version = export.version if export else version
    others = [manifest for manifest in manifests if manifest is not export]
    if not others:
        return version
    number, _, content_digest = version.partition("+")
    digest = hashlib.sha256(f"{content_digest}\n{imports_digest(others)}".encode())
    return f"{number}+{digest.hexdigest()[:VERSION_DIGITS]}"


def read_tables(folder: Path, manifest: Manifest) -> dict[str, bytes]:
    """Return the tables of an import; raise ImportDataError if one is missing or was changed."""
    tables = {}
    for name, table in manifest.tables.items():
        path = folder / manifest.folder / name
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            data = b""
        except OSError as error:
            raise _unreadable(path, error) from None
        if hashlib.sha256(data).hexdigest() != table.sha256:
            raise ImportDataError(f"{path} has changed since the import. Import {manifest.name} again, or remove it.")
        tables[name] = data
    return tables


def read_imports(folder: Path) -> list[tuple[Manifest, dict[str, bytes]]]:
    """Return every import with its tables, consistent even while another process replaces one."""
    while True:
        manifests = list_imports(folder)
        try:
            return [(manifest, read_tables(folder, manifest)) for manifest in manifests]
        except ImportDataError:
            if manifests == list_imports(folder):
                raise


def store_tables(
    folder: Path, manifest: Manifest, tables: Mapping[str, tuple[Sequence[str], Iterable[Sequence[str]]]]
) -> Manifest:
    """Replace the import of this name by tables, passed as (header, rows); return its manifest."""
    listed = {name: (header, list(rows)) for name, (header, rows) in tables.items()}
    files = {name: (len(rows), csv_bytes([header, *rows])) for name, (header, rows) in listed.items()}
    return store_files(folder, manifest, files)


def store_files(folder: Path, manifest: Manifest, files: Mapping[str, tuple[int, bytes]]) -> Manifest:
    """Replace the import of this name by files, passed as (row count, bytes); return its manifest."""
    try:
        work = Path(tempfile.mkdtemp(prefix=f"{TABLES_PREFIX}{manifest.name}-", dir=folder))
    except OSError as error:
        raise _not_stored(folder, error) from None
    try:
        work.chmod(FOLDER_MODE)
        written = {name: _write(work / name, rows, data) for name, (rows, data) in files.items()}
        stored = manifest.model_copy(update={"folder": work.name, "tables": written})
        draft = work / "manifest"
        draft.write_text(stored.model_dump_json(indent=2), encoding="utf-8")
        draft.chmod(FILE_MODE)
        draft.replace(folder / f"{manifest.name}{MANIFEST_SUFFIX}")
    except OSError as error:
        shutil.rmtree(work, ignore_errors=True)
        raise _not_stored(folder, error) from None
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    _delete_unused(folder)
    return stored


def remove_import(folder: Path, name: str) -> None:
    """Delete an import; raise ImportDataError if there is none of this name."""
    known = [manifest.name for manifest in list_imports(folder)]
    if name not in known:
        raise ImportDataError(f"There is no import {name!r}. Valid: {', '.join(known) or 'none'}.")
    try:
        (folder / f"{name}{MANIFEST_SUFFIX}").unlink()
    except OSError as error:
        raise ImportDataError(
            f"Import {name} in {folder} cannot be removed: {error.strerror}. Allow writes there."
        ) from None
    _delete_unused(folder)


def _not_stored(folder: Path, error: OSError) -> ImportDataError:
    return ImportDataError(
        f"{folder} cannot store imports: {error_text(error)}. Nothing was changed. Set AKG_IMPORTS to another folder."
    )


def _unreadable(path: Path, error: OSError) -> ImportDataError:
    return ImportDataError(f"{path} cannot be read: {error_text(error)}. Make it readable, or import it again.")


def _write(path: Path, rows: int, data: bytes) -> TableFile:
    path.write_bytes(data)
    path.chmod(FILE_MODE)
    return TableFile(rows=rows, sha256=hashlib.sha256(data).hexdigest())


def _delete_unused(folder: Path) -> None:
    """Delete the folders of tables that no manifest names. Those of another user may stay: nothing reads them."""
    used = {manifest.folder for manifest in list_imports(folder)}
    for path in folder.iterdir():
        if path.name.startswith(TABLES_PREFIX) and path.is_dir() and path.name not in used:
            shutil.rmtree(path, ignore_errors=True)
