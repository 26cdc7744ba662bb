"""The files of an export are read from a folder or a zip archive; only this file here reads them from disk."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import orjson

from indexer.datapackage import PACKAGE
from indexer.exported import known_files
from indexer.imports import ImportedError
from indexer.problems import ContentError, Nearest, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LARGEST = 2_000_000_000  # bytes of all files together, unpacked from the archive
SUFFIXES = (".csv", ".ndjson", ".gz")


def read_files(source: Path) -> dict[str, bytes]:
    """The files by name; raise ImportedError where there are none, ContentError where one has an unknown name."""
    if not source.exists():
        raise ImportedError(f"{source} does not exist.")
    try:
        found = dict(_in_folder(source) if source.is_dir() else _in_archive(source))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:  # RuntimeError: it has a password
        raise ImportedError(f"{source.name} is not a whole zip archive: {error}. Nothing was changed.") from error
    except OSError as error:
        raise ImportedError(f"{source} cannot be read: {error.strerror}. Nothing was changed.") from error
    known = known_files()
    if not found.keys() & set(known):
        raise ImportedError(f"{source} has none of the files of an export: {', '.join(known)}.")
    strange = [name for name in found if name not in (*known, PACKAGE)]
    if strange:
        hint = Nearest(known)
        raise ContentError(
            [Problem(name, 1, f"no file of an export has this name{hint.hint(name)}") for name in strange]
        )
    return found


def exported_version(files: Mapping[str, bytes]) -> str:
    """The version of the release that these files are, to the byte; empty where nothing proves that."""
    try:
        package = orjson.loads(files.get(PACKAGE, b"{}"))
        sums = {one["path"]: one["hash"] for one in package["resources"]}
        version = str(package["version"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return ""
    told = {name: f"sha256:{hashlib.sha256(data).hexdigest()}" for name, data in files.items() if name != PACKAGE}
    complete = {name for name in sums if name.endswith(".csv")} <= told.keys()
    return version if complete and all(sums.get(name) == found for name, found in told.items()) else ""


def _in_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.iterdir()):
        if path.is_file() and (path.name == PACKAGE or path.suffix in SUFFIXES):
            yield path.name, path.read_bytes()


def _in_archive(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        members = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX")]
        if sum(one.file_size for one in members) > LARGEST:
            raise ImportedError(f"{path.name} unpacks to more than {LARGEST:,} bytes. Nothing was changed.")
        for one in members:
            name = PurePosixPath(one.filename).name
            if name == PACKAGE or PurePosixPath(name).suffix in SUFFIXES:
                yield name, archive.read(one)
