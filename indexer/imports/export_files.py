"""Reads the files of an export from a folder or a zip archive. Reads from disk."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import orjson

from indexer.content.problems import ContentError, NearestMatch, Problem
from indexer.export.datapackage import PACKAGE
from indexer.imports.export_tables import export_file_names
from indexer.imports.store import ImportDataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_BYTES = 2_000_000_000  # of all files together, uncompressed
SUFFIXES = (".csv", ".ndjson", ".gz")


def read_files(source: Path) -> dict[str, bytes]:
    """Return the files by name; raise ImportDataError if there are none, ContentError for unknown names."""
    if not source.exists():
        raise ImportDataError(f"{source} does not exist.")
    try:
        files = dict(_folder_files(source) if source.is_dir() else _archive_files(source))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:  # RuntimeError: it is encrypted
        raise ImportDataError(f"{source.name} is not a valid zip archive: {error}. Nothing was changed.") from error
    except OSError as error:
        raise ImportDataError(f"{source} cannot be read: {error.strerror}. Nothing was changed.") from error
    valid = export_file_names()
    if not files.keys() & set(valid):
        raise ImportDataError(f"{source} contains no files of an export. Valid: {', '.join(valid)}.")
    if unknown := files.keys() - {*valid, PACKAGE}:
        nearest = NearestMatch(valid)
        raise ContentError(
            [Problem(name, 1, f"not a file of an export{nearest.hint(name)}") for name in sorted(unknown)]
        )
    return files


def exported_version(files: Mapping[str, bytes]) -> str:
    """Return the version of the release if the files are an unchanged export of it, else an empty string."""
    try:
        package = orjson.loads(files.get(PACKAGE, b"{}"))
        hashes = {resource["path"]: resource["hash"] for resource in package["resources"]}
        version = str(package["version"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return ""
    tables = {name: data for name, data in files.items() if name != PACKAGE}
    is_complete = {name for name in hashes if name.endswith(".csv")} <= tables.keys()
    is_unchanged = all(
        hashes.get(name) == f"sha256:{hashlib.sha256(data).hexdigest()}" for name, data in tables.items()
    )
    return version if is_complete and is_unchanged else ""


def _is_export_file(name: str) -> bool:
    return name == PACKAGE or PurePosixPath(name).suffix in SUFFIXES


def _folder_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.iterdir()):
        if path.is_file() and _is_export_file(path.name):
            yield path.name, path.read_bytes()


def _archive_files(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        members = [
            info for info in archive.infolist() if not info.is_dir() and not info.filename.startswith("__MACOSX")
        ]
        if sum(info.file_size for info in members) > MAX_BYTES:
            raise ImportDataError(f"{path.name} has more than {MAX_BYTES:,} bytes uncompressed. Nothing was changed.")
        for info in members:
            name = PurePosixPath(info.filename).name
            if _is_export_file(name):
                yield name, archive.read(info)
