"""Reads the files of an export from a folder or a zip archive, and parses them into rows that keep file and line.

Reads from disk. A table is a CSV file or an NDJSON file, which may be compressed.
"""

import hashlib
import zipfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from indexer.content.csv_table import read_table
from indexer.content.datapackage_schema import ATTRIBUTIONS, PACKAGE
from indexer.content.problems import (
    MAX_PROBLEMS,
    ContentError,
    Location,
    NearestMatch,
    Problem,
    more_lines_follow,
    quote,
)
from indexer.content.zip_members import ARCHIVE_ERRORS, error_text, expanded_limit, file_members, member_bytes
from indexer.imports.ndjson_rows import GZIP_SUFFIX, MAX_BYTES, MAX_ROWS, Row, alias_rows, flatten, read_objects
from indexer.imports.store import ImportDataError
from schema.release_names import FORMAT_VERSION

SUFFIXES = (".csv", ".ndjson", ".gz")
NDJSON_SUFFIXES = (".ndjson", ".ndjson.gz")
UNCHANGED_TABLES = (
    *("sources", "groupings", "grouping_members", "redirects", "market", "first_choices", "main_needs"),
    *("body_parts", "wordings", "co_occurring_conditions"),
    *("need_sides", "solution_sides", "condition_sides", "not_for", "cautions", "job_rules"),
    *("guides", "guide_names", "guide_wordings", "guide_links", "guide_entities"),
)
DESCRIPTIONS = (PACKAGE, ATTRIBUTIONS)
FILE_NAMES = (  # of an export, without its descriptions
    *(f"{stem}.csv" for stem in ("entities", "aliases", "edges", *UNCHANGED_TABLES)),
    *(f"{stem}{suffix}" for stem in ("entities", "edges") for suffix in NDJSON_SUFFIXES),
)


def read_files(source: Path) -> dict[str, bytes]:
    """Return the files by name; raise ImportDataError if there are none, ContentError for unknown names."""
    if not source.exists():
        raise ImportDataError(f"{source} does not exist.")
    try:
        files = dict(_folder_files(source) if source.is_dir() else _archive_files(source))
    except OSError as error:
        raise ImportDataError(f"{source} cannot be read: {error_text(error)}. Nothing was changed.") from error
    except ARCHIVE_ERRORS as error:
        message = f"{source.name} is not a valid zip archive: {error_text(error)}. Nothing was changed."
        raise ImportDataError(message) from error
    if not files.keys() & set(FILE_NAMES):
        raise ImportDataError(f"{source} contains no files of an export. Valid: {', '.join(FILE_NAMES)}.")
    if unknown := sorted(files.keys() - {*FILE_NAMES, *DESCRIPTIONS}):
        hint = NearestMatch(FILE_NAMES).hint
        raise ContentError([Problem(name, 1, f"not a file of an export{hint(name)}") for name in unknown])
    return files


def require_format(files: Mapping[str, bytes]) -> None:
    """Raise ContentError if the files are an export of another format. Files that name no format are accepted."""
    try:
        format_version = orjson.loads(files.get(PACKAGE, b"{}")).get("format")
    except (orjson.JSONDecodeError, AttributeError):
        return
    if isinstance(format_version, int) and format_version != FORMAT_VERSION:
        message = (
            f"the export has format {format_version}; this program reads format {FORMAT_VERSION}: write it again with "
            "`akg export` of this version, or import it with the version of the program that wrote it"
        )
        raise ContentError([Problem(PACKAGE, 1, message)])


def exported_version(files: Mapping[str, bytes]) -> str:
    """Return the version of the release if the files are an unchanged export of it, else an empty string."""
    try:
        package = orjson.loads(files.get(PACKAGE, b"{}"))
        hashes = {resource["path"]: resource["hash"] for resource in package["resources"]}
        version = str(package["version"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return ""
    if not all(isinstance(name, str) for name in hashes):
        return ""
    tables = {name: data for name, data in files.items() if name != PACKAGE}
    is_complete = {name for name in hashes if name.endswith(".csv")} <= tables.keys()
    is_unchanged = all(
        hashes.get(name) == f"sha256:{hashlib.sha256(data).hexdigest()}" for name, data in tables.items()
    )
    return version if is_complete and is_unchanged else ""


def _is_export_file(name: str) -> bool:
    return name in DESCRIPTIONS or PurePosixPath(name).suffix in SUFFIXES


def _folder_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.iterdir()):
        if path.is_file() and _is_export_file(path.name):
            yield path.name, path.read_bytes()


def _archive_files(path: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        members = [info for info in file_members(archive) if not info.filename.startswith("__MACOSX")]
        limit = min(MAX_BYTES, expanded_limit(path.stat().st_size))
        if sum(info.file_size for info in members) > limit:
            raise ImportDataError(f"{path.name} has more than {limit:,} bytes uncompressed. Nothing was changed.")
        files: dict[str, zipfile.ZipInfo] = {}
        for info in members:
            name = PurePosixPath(info.filename).name
            if not _is_export_file(name):
                continue
            if (first := files.setdefault(name, info)) is not info:
                names = f"{quote(first.filename)} and {quote(info.filename)}"
                raise ImportDataError(f"{path.name} has two files for one table: {names}. Keep one of them.")
        for name, info in files.items():
            if name.endswith(GZIP_SUFFIX):
                if f"{name.partition('.')[0]}.csv" in files:  # an export has both, and the CSV file is read
                    continue
                message = f"{quote(info.filename)} in {path.name} is compressed twice. Put the file in without gzip."
                raise ImportDataError(f"{message} Nothing was changed.")
            try:
                yield name, member_bytes(archive, info)
            except ARCHIVE_ERRORS as error:
                reason = error_text(error)
                message = f"{quote(info.filename)} in {path.name} cannot be read: {reason}. Nothing was changed."
                raise ImportDataError(message) from error


class ExportReader:
    """Reads rows of the files, passed by name, and collects their problems."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._aliases: list[tuple[Location, Row]] | None = None  # of the lines of entities, once these were read
        self.problems: list[Problem] = []

    def rows(self, stem: str, expected: Sequence[str], optional: Iterable[str]) -> Iterator[tuple[Location, Row]]:
        """Yield the rows of a table, from the CSV file if there is one, else from the NDJSON file."""
        file = f"{stem}.csv"
        if file in self._files:
            table, problems = read_table(file, self._files[file], expected, set(optional), max_rows=MAX_ROWS)
            self.problems += problems
            before = len(self.problems)
            for line, *cells in zip(table.lines, *table.columns.values(), strict=True):
                if len(self.problems) - before >= MAX_PROBLEMS:  # those that the caller appends
                    self.problems.append(more_lines_follow(file, line))
                    return
                yield Location(file, line), dict(zip(table.columns, cells, strict=True))
        elif stem == "aliases":
            yield from self._aliases_of_entities()
        elif stem == "entities":
            yield from self._entities()
        else:
            for location, value in self._objects(stem):
                yield location, flatten(location, value, self.problems)

    def _entities(self) -> Iterator[tuple[Location, Row]]:
        """Yield the entities of an NDJSON file, and keep their aliases: the file is decompressed once."""
        self._aliases = []
        for location, value in self._objects("entities"):
            if "aliases.csv" not in self._files:
                self._aliases += ((location, row) for row in alias_rows(location, value, self.problems))
            yield location, flatten(location, value, self.problems)

    def _aliases_of_entities(self) -> Iterator[tuple[Location, Row]]:
        """Yield the aliases inside the NDJSON lines of entities."""
        if "entities.csv" in self._files:
            return
        if self._aliases is None:
            deque(self._entities(), maxlen=0)
        yield from self._aliases or ()

    def _objects(self, stem: str) -> Iterator[tuple[Location, dict[str, Any]]]:
        """Yield the objects of an NDJSON file, if there is one."""
        names = (f"{stem}{suffix}" for suffix in NDJSON_SUFFIXES)
        if file := next((name for name in names if name in self._files), ""):
            yield from read_objects(file, self._files[file], self.problems)
