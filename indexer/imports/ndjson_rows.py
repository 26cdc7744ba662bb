"""Reads the lines of an NDJSON file, plain or gzip, as JSON objects, and flattens these to rows.

Lines are decompressed one by one, so that a small file which expands to gigabytes needs no memory.
"""

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.problems import MAX_PROBLEMS, Location, Problem, more_lines_follow, quote
from indexer.content.zip_members import error_text, expanded_limit
from indexer.export.columns import ALIAS_COLUMNS, EDGE_COLUMNS, ENTITY_COLUMNS
from indexer.graph.model import SUMMARIES

MAX_BYTES = 500_000_000  # of a file, uncompressed
MAX_ROWS = 2_000_000  # of a file: rows of few bytes need a hundred times their size in memory
MAX_LINE_BYTES = 16_000_000  # the longest line of the shipped content has 5 KB
GZIP_SUFFIX = ".gz"
NESTED_OBJECTS = ("attributes", "external_ids")
TEXT_COLUMNS = {
    column.name for column in (*ENTITY_COLUMNS, *EDGE_COLUMNS, *ALIAS_COLUMNS) if column.type == "string"
} | {*SUMMARIES}
ALIAS_FORM = "an object with text, kind and sources"
Row = dict[str, str]


def read_objects(
    file: str, data: bytes, problems: list[Problem], max_bytes: int = MAX_BYTES
) -> Iterator[tuple[Location, dict[str, Any]]]:
    """Yield the objects of a file with their lines, and append a problem for each line that is not one.

    Stop after MAX_PROBLEMS, counting those that the caller appends for the objects of the file.
    """
    before = len(problems)
    for line, text in _lines(file, data, problems, max_bytes):
        if len(problems) - before >= MAX_PROBLEMS:
            problems.append(more_lines_follow(file, line))
            return
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            problems.append(Problem(file, line, f"invalid JSON: {error.msg}"))
            continue
        if isinstance(value, dict):
            yield Location(file, line), value
        else:
            problems.append(Problem(file, line, "not a JSON object"))


def _lines(file: str, data: bytes, problems: list[Problem], max_bytes: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank; stop with a problem at damage and at the limits."""
    raw = io.BytesIO(data)
    line, size, limit = 0, 0, min(max_bytes, expanded_limit(len(data)))
    try:
        with gzip.GzipFile(fileobj=raw) if file.endswith(GZIP_SUFFIX) else raw as stream:
            while text := stream.readline(MAX_LINE_BYTES + 1):
                line += 1
                size += len(text)
                if len(text) > MAX_LINE_BYTES:
                    problems.append(Problem(file, line, f"the line has more than {MAX_LINE_BYTES:,} bytes"))
                    return
                if size > limit:
                    problems.append(Problem(file, line, f"the file has more than {limit:,} bytes uncompressed"))
                    return
                if line > MAX_ROWS:
                    problems.append(Problem(file, line, f"the file has more than {MAX_ROWS:,} lines"))
                    return
                if not text.isspace():
                    yield line, text
    except (OSError, EOFError, zlib.error) as error:
        problems.append(Problem(file, line + 1, f"not a valid gzip file: {error_text(error)}"))


def flatten(location: Location, value: Mapping[str, Any], problems: list[Problem]) -> Row:
    """Return an object as the row of the CSV file; append a problem for each value that has no place in one.

    Aliases are left out.
    """
    row: Row = {}
    for name, item in value.items():
        if name == "aliases":
            continue
        if name == "summaries" and isinstance(item, dict):
            cells: Mapping[str, Any] = {summary: item.get(summary) for summary in SUMMARIES}
        else:
            cells = item if name in NESTED_OBJECTS and isinstance(item, dict) else {name: item}
        for column, content in cells.items():
            row[column], error = _cell(column, content)
            if error:
                problems.append(Problem(*location, f"{quote(column)} {error}"))
    return row


def _cell(column: str, value: object) -> tuple[str, str]:
    """Return the text of a value, or an empty string and what is wrong with the value."""
    if value is None:
        return "", ""
    if isinstance(value, str):
        return value, ""
    if isinstance(value, list):
        invalid = next((item for item in value if not isinstance(item, str)), "")
        return ("", f"contains {describe(invalid)}, not a text") if invalid != "" else (SEPARATOR.join(value), "")
    if isinstance(value, dict):
        return "", "is an object, not a text"
    if column in TEXT_COLUMNS:
        return "", f"is {describe(value)}, not a text"
    return ("" if value is False else str(value)), ""


def alias_rows(location: Location, entity: Mapping[str, Any], problems: list[Problem]) -> Iterator[Row]:
    """Yield the rows of an entity's aliases; append a problem for each that is not one."""
    id_, aliases = entity.get("id"), entity.get("aliases", [])
    if not isinstance(aliases, list):
        problems.append(Problem(*location, f"'aliases' is {describe(aliases)}, not a list; each is {ALIAS_FORM}"))
        return
    for alias in aliases:
        if isinstance(alias, dict):
            yield {"entity": id_ if isinstance(id_, str) else "", **flatten(location, alias, problems)}
        else:
            problems.append(Problem(*location, f"'aliases' contains {describe(alias)}, not {ALIAS_FORM}"))


def describe(value: object) -> str:
    """Return a JSON value for a message. Lists and objects may be nested too deep to be printed."""
    if isinstance(value, str):
        return quote(value)
    if value is None:
        return "null"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return str(value).lower()
