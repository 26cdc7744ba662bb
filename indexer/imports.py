"""Imports lie beside the content: one manifest each, and a folder of tables that it names.

The only file that keeps them. `NAME.import.json` is the import; it says where its tables lie and what their bytes are.
A new import writes its tables into a folder of its own and then replaces the manifest in one step, so that there is
always the old import or the new one. What an interrupted import left is named by no manifest; the next one clears it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field, ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

LOCK = ".lock"
MANIFEST = ".import.json"
TABLES = "akg-import-"  # how folders of tables begin: nothing else in the folder is ever deleted
WAIT_SECONDS = 60
DIGITS = 12  # as in the version of the content


class ImportedError(Exception):
    """An import cannot be read or made as asked; what was there before is still there."""


class TableFile(BaseModel):
    """One table of an import."""

    model_config = ConfigDict(frozen=True)

    rows: int
    sha256: str


class Manifest(BaseModel):
    """What one import is: `kind` says how it is joined, `source` is its row among the sources.

    `made` is an ISO time, `origin` what it was made from. `version` is that of the release it repeats, if it does.
    """

    model_config = ConfigDict(frozen=True)

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


@contextmanager
def alone(folder: Path, seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """No other process changes imports meanwhile. Reading needs no such care: `read_imports` sees to it."""
    lock = FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=seconds)
    except Timeout:
        raise ImportedError(f"Another process has been busy in {folder} for {seconds:g} s. Try again later.") from None
    except OSError as error:
        raise ImportedError(f"{folder} cannot keep imports: {error.strerror}. AKG_IMPORTS names another.") from None
    try:
        yield
    finally:
        lock.release()


def imports_in(folder: Path) -> list[Manifest]:
    """Every import of the folder, by name."""
    found = []
    for path in sorted(folder.glob(f"*{MANIFEST}")):
        try:
            found.append(Manifest.model_validate_json(path.read_bytes()))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise ImportedError(f"{path} is no manifest of an import: {first['msg']}. Remove it.") from None
    return found


def fingerprint(manifests: Sequence[Manifest]) -> str:
    """Changes when any import changes, whenever it was made."""
    digest = hashlib.sha256()
    for manifest in manifests:
        source = {name: value for name, value in manifest.source.items() if name != "retrieved"}
        digest.update(f"{manifest.name}\n{manifest.kind}\n{sorted(source.items())}\n".encode())
        for name, table in sorted(manifest.tables.items()):
            digest.update(f"{name}\n{table.sha256}\n".encode())
    return digest.hexdigest()


def joined_version(version: str, manifests: Sequence[Manifest]) -> str:
    """The version of content and imports together: that of the content where there are no imports.

    Tables that took the content's place whole, exactly as a release was exported, have the version of that release.
    """
    repeated = next((one for one in manifests if one.version), None)
    version = repeated.version if repeated else version
    others = [one for one in manifests if one is not repeated]
    if not others:
        return version
    number, _, own = version.partition("+")
    digest = hashlib.sha256(f"{own}\n{fingerprint(others)}".encode())
    return f"{number}+{digest.hexdigest()[:DIGITS]}"


def tables_of(folder: Path, manifest: Manifest) -> dict[str, bytes]:
    """The tables of an import as they were written; raise ImportedError where one is missing or was changed."""
    found = {}
    for name, table in manifest.tables.items():
        path = folder / manifest.folder / name
        data = path.read_bytes() if path.is_file() else b""
        if hashlib.sha256(data).hexdigest() != table.sha256:
            raise ImportedError(f"{path} is not what was imported. Import {manifest.name} again, or remove it.")
        found[name] = data
    return found


def read_imports(folder: Path) -> list[tuple[Manifest, dict[str, bytes]]]:
    """Every import with its tables, all of one moment even while another process replaces one."""
    while True:
        manifests = imports_in(folder)
        try:
            return [(one, tables_of(folder, one)) for one in manifests]
        except ImportedError:
            if manifests == imports_in(folder):
                raise


def replace(
    folder: Path, manifest: Manifest, tables: Mapping[str, tuple[Sequence[str], Iterable[Sequence[str]]]]
) -> Manifest:
    """Write an import, its tables given as (header, rows), in place of the one of that name; return its manifest."""
    return keep(folder, manifest, {name: _as_csv(header, list(rows)) for name, (header, rows) in tables.items()})


def keep(folder: Path, manifest: Manifest, files: Mapping[str, tuple[int, bytes]]) -> Manifest:
    """Write an import, its files given as (rows, bytes), in place of the one of that name; return its manifest."""
    work = Path(tempfile.mkdtemp(prefix=f"{TABLES}{manifest.name}-", dir=folder))
    try:
        written = {name: _write(work / name, rows, data) for name, (rows, data) in files.items()}
        done = manifest.model_copy(update={"folder": work.name, "tables": written})
        draft = work / "manifest"
        draft.write_text(done.model_dump_json(indent=2), encoding="utf-8")
        draft.replace(folder / f"{manifest.name}{MANIFEST}")
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    _clear(folder)
    return done


def remove(folder: Path, name: str) -> None:
    """Take an import away; raise ImportedError where there is none of that name."""
    known = [manifest.name for manifest in imports_in(folder)]
    if name not in known:
        raise ImportedError(f"There is no import {name!r}. Imports: {', '.join(known) or 'none'}.")
    (folder / f"{name}{MANIFEST}").unlink()
    _clear(folder)


def _as_csv(header: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[int, bytes]:
    memory = io.StringIO()
    writer = csv.writer(memory, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return len(rows), memory.getvalue().encode()


def _write(path: Path, rows: int, data: bytes) -> TableFile:
    path.write_bytes(data)
    return TableFile(rows=rows, sha256=hashlib.sha256(data).hexdigest())


def _clear(folder: Path) -> None:
    """Delete folders of tables that no manifest names."""
    named = {manifest.folder for manifest in imports_in(folder)}
    for path in folder.iterdir():
        if path.name.startswith(TABLES) and path.is_dir() and path.name not in named:
            shutil.rmtree(path)
