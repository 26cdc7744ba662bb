"""Parses the files of an export, CSV or NDJSON, into flat rows that keep their file and line. Pure."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING, Any

import orjson

from indexer.content.csv_table import read_table
from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.problems import Location, Problem, quote
from indexer.export.columns import SUMMARIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

NDJSON_SUFFIXES = (".ndjson", ".ndjson.gz")

Row = dict[str, str]


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
