"""Loads the content folder. The only module of the indexer that reads content from disk.

`content/datapackage.json` describes the tables and their columns. Either every row is valid and `load_content` returns,
or `ContentError` carries every problem of every file, each with its line.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from indexer.content.csv_table import read_table
from indexer.content.datapackage_schema import PACKAGE, Package
from indexer.content.problems import ContentError, Problem
from indexer.content.rows import Content, parse_content
from indexer.content.table_checks import check_files, load_package
from schema.vocabulary import Vocabulary

MARKET = "market.csv"
VERSION_DIGITS = 12  # of the hash; 48 bits distinguish any two states of the content


def load_content(folder: Path, vocabulary: Vocabulary) -> Content:
    """Return all rows of the content folder; raise ContentError with every problem."""
    files, unreadable = _read_files(folder)
    checked = check_files(_name(folder), files, vocabulary)
    if checked.package is None or unreadable or checked.problems:
        raise ContentError(sorted((*unreadable, *checked.problems)))
    return parse_content(checked.tables, _version(checked.package, files))


def content_version(folder: Path) -> str:
    """Return the version of the content without parsing rows: it changes when any byte of a table changes."""
    files, unreadable = _read_files(folder)
    package, problems = load_package(_name(folder), files)
    if package is None or unreadable:
        raise ContentError(sorted((*unreadable, *problems)))
    return _version(package, files)


def stale_findings_digest(folder: Path, oldest: str) -> str:
    """Return a digest of the findings older than an ISO date, empty if there are none, without parsing other tables."""
    files, _ = _read_files(folder)
    if MARKET not in files:
        return ""
    table, _ = read_table(MARKET, files[MARKET], ())
    stale = [entity for entity, checked in table.rows("entity", "checked") if checked < oldest]
    return hashlib.sha256("\n".join(stale).encode()).hexdigest() if stale else ""


def read_package(folder: Path) -> Package:
    """Return the data package of the folder."""
    files, unreadable = _read_files(folder)
    package, problems = load_package(_name(folder), files)
    if package is None:
        raise ContentError(sorted((*unreadable, *problems)))
    return package


def is_described(folder: Path, table: str) -> bool:
    """Return whether the data package of the folder describes the table, passed as a file name."""
    files, _ = _read_files(folder)
    package, _ = load_package(_name(folder), files)
    return package is not None and any(resource.path == table for resource in package.resources)


def row_lines(folder: Path) -> dict[str, list[int]]:
    """Return the line of each row of each table, by file name."""
    files, _ = _read_files(folder)
    return {name: list(read_table(name, data, ())[0].lines) for name, data in files.items() if name != PACKAGE}


def row_counts(folder: Path) -> dict[str, int]:
    """Return the number of rows of each table, by file name."""
    files, _ = _read_files(folder)
    tables = {name: read_table(name, data, ())[0] for name, data in files.items() if name != PACKAGE}
    return {name: len(table.lines) for name, table in tables.items()}


def _read_files(folder: Path) -> tuple[dict[str, bytes], list[Problem]]:
    """Read the data package and every table, by file name in sorted order."""
    files: dict[str, bytes] = {}
    problems = []
    try:
        paths = sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        paths = []
    except OSError as error:
        raise ContentError([Problem(_name(folder), 1, f"cannot be read: {error.strerror}")]) from None
    for path in paths:
        if path.name == PACKAGE or (path.suffix.lower() == ".csv" and not path.name.startswith(".")):
            try:
                files[path.name] = path.read_bytes()
            except OSError as error:
                problems.append(Problem(f"{_name(folder)}/{path.name}", 1, f"cannot be read: {error.strerror}"))
    return files, problems


def _version(package: Package, files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in files.items():
        if name != PACKAGE:
            digest.update(f"{name}\n{len(data)}\n".encode())
            digest.update(data)
    return f"{package.version}+{digest.hexdigest()[:VERSION_DIGITS]}"


def _name(folder: Path) -> str:
    return folder.resolve().name
