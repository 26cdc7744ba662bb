"""Reads the files of an export from a folder or a zip archive, and parses them into rows that keep file and line.

Reads from disk. A table is a CSV file or an NDJSON file, which may be compressed.
"""

import gzip
import hashlib
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from indexer.content.csv_table import read_table
from indexer.content.datapackage_schema import ATTRIBUTIONS, PACKAGE, SEPARATOR
from indexer.content.problems import ContentError, Location, NearestMatch, Problem, quote
from indexer.graph.model import SUMMARIES
from indexer.imports.store import ImportDataError
from schema.release_names import FORMAT_VERSION

MAX_BYTES = 2_000_000_000  # of all files together, uncompressed
SUFFIXES = (".csv", ".ndjson", ".gz")
NDJSON_SUFFIXES = (".ndjson", ".ndjson.gz")
UNCHANGED_TABLES = (
    *("sources", "groupings", "grouping_members", "redirects", "market", "first_choices", "main_needs"),
    *("body_parts", "co_occurring_conditions"),
    *("need_sides", "solution_sides", "condition_sides", "not_for", "cautions", "job_rules"),
)
DESCRIPTIONS = (PACKAGE, ATTRIBUTIONS)
FILE_NAMES = (  # of an export, without its descriptions
    *(f"{stem}.csv" for stem in ("entities", "aliases", "edges", *UNCHANGED_TABLES)),
    *(f"{stem}{suffix}" for stem in ("entities", "edges") for suffix in NDJSON_SUFFIXES),
)
Row = dict[str, str]


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
        members = [info for info in archive.infolist() if not info.is_dir()]
        members = [info for info in members if not info.filename.startswith("__MACOSX")]
        if sum(info.file_size for info in members) > MAX_BYTES:
            raise ImportDataError(f"{path.name} has more than {MAX_BYTES:,} bytes uncompressed. Nothing was changed.")
        for info in members:
            name = PurePosixPath(info.filename).name
            if _is_export_file(name):
                yield name, archive.read(info)


class ExportReader:
    """Reads rows of the files, passed by name, and collects their problems."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self.problems: list[Problem] = []

    def rows(self, stem: str, expected: Sequence[str], optional: Iterable[str]) -> Iterator[tuple[Location, Row]]:
        """Yield the rows of a table, from the CSV file if there is one, else from the NDJSON file."""
        file = f"{stem}.csv"
        if file in self._files:
            table, problems = read_table(file, self._files[file], expected, set(optional))
            self.problems += problems
            for line, *cells in zip(table.lines, *table.columns.values(), strict=True):
                yield Location(file, line), dict(zip(table.columns, cells, strict=True))
        elif stem == "aliases":
            yield from self._aliases_of_entities()
        else:
            for location, value in self._objects(stem):
                yield location, _flatten(value)

    def _aliases_of_entities(self) -> Iterator[tuple[Location, Row]]:
        """Yield the aliases inside the NDJSON lines of entities."""
        if "entities.csv" in self._files:
            return
        for location, entity in self._objects("entities", report=False):
            for alias in entity.get("aliases", ()):
                if isinstance(alias, dict):
                    yield location, {"entity": str(entity.get("id", "")), **_flatten(alias)}
                else:
                    message = f"'aliases' contains {quote(str(alias))}, not an object with text, kind and sources"
                    self.problems.append(Problem(*location, message))

    def _objects(self, stem: str, *, report: bool = True) -> Iterator[tuple[Location, dict[str, Any]]]:
        """Yield the objects of an NDJSON file, and report its problems unless an earlier call did."""
        file = next((f"{stem}{suffix}" for suffix in NDJSON_SUFFIXES if f"{stem}{suffix}" in self._files), "")
        data, error = _decompress(file, self._files.get(file, b""))
        problems = [Problem(file, 1, error)] if error else []
        for line, text in enumerate(data.split(b"\n"), 1):
            if not text.strip():
                continue
            try:
                value = orjson.loads(text)
            except orjson.JSONDecodeError as json_error:
                problems.append(Problem(file, line, f"invalid JSON: {json_error.msg}"))
                continue
            if isinstance(value, dict):
                yield Location(file, line), value
            else:
                problems.append(Problem(file, line, "not a JSON object"))
        if report:
            self.problems += problems


def _decompress(file: str, data: bytes) -> tuple[bytes, str]:
    if not file.endswith(".gz"):
        return data, ""
    try:
        return gzip.decompress(data), ""
    except (OSError, EOFError, zlib.error) as error:
        return b"", f"not a valid gzip file: {error}"


def _flatten(value: Mapping[str, Any]) -> Row:
    """Return an object as the row of the CSV file."""
    row: Row = {}
    for name, item in value.items():
        if name == "summaries" and isinstance(item, dict):
            row |= {summary: str(item.get(summary) or "") for summary in SUMMARIES}
        elif name in ("attributes", "external_ids") and isinstance(item, dict):
            row |= _flatten(item)
        elif isinstance(item, list):
            row[name] = SEPARATOR.join(map(str, item)) if name != "aliases" else ""
        elif item is None or item is False:
            row[name] = ""
        else:
            row[name] = str(item)
    row.pop("aliases", None)
    return row
