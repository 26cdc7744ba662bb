"""The bytes of a CSV file become a table whose rows know their lines, or problems. Pure.

Nothing that a file may hold raises: bytes that are not UTF-8, open quotes and short rows are told and passed over.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.problems import Nearest, Problem, shown

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a file, column by column. Row n starts on `lines[n]` of the file.

    `strays` are rows with too few or too many cells: what they name exists, nothing else of them is used.
    `whole` is False when part of the file could not be read, so that absence from it proves nothing.
    """

    file: str
    lines: Sequence[int]
    columns: Mapping[str, Sequence[str]]
    strays: Sequence[Mapping[str, str]] = ()
    whole: bool = True

    def column(self, name: str) -> Sequence[str]:
        """Cells of the column; empty ones where the file has no such column."""
        return self.columns.get(name) or [""] * len(self.lines)

    def names(self, column: str) -> set[str] | None:
        """Every value of the column, those of stray rows too; None when that cannot be known."""
        if not self.whole or column not in self.columns:
            return None
        return {*self.columns[column], *(row[column] for row in self.strays if column in row)} - {""}


def read_table(
    file: str, data: bytes, expected: Sequence[str], optional: Container[str] = ()
) -> tuple[Table, list[Problem]]:
    """Cut a file into rows and name what does not fit `expected`, the columns it should have.

    Those that are `optional` may be missing.
    """
    text, problems = _text(file, data)
    lines, records, unreadable = _records(text)
    problems += [Problem(file, line, what) for line, what in unreadable]
    if not records or not any(records[0]):
        problems.append(Problem(file, 1, f"no header; the first line should be: {','.join(expected)}"))
        return Table(file, (), {}, whole=False), problems
    header, width = records[0], len(records[0])
    problems += [Problem(file, lines[0], what) for what in _header_faults(header, expected, optional)]
    strays = []
    for line, record in zip(lines, records, strict=True):
        if len(record) != width:
            what = f"{len(record)} cells where the header has {width}" if record else "blank line"
            problems.append(Problem(file, line, what))
            strays.append(dict(zip(header, record, strict=False)))
    rows = [record for record in records[1:] if len(record) == width]
    kept = [line for line, record in zip(lines[1:], records[1:], strict=True) if len(record) == width]
    columns: dict[str, Sequence[str]] = {}
    for name, cells in zip(header, zip(*rows, strict=True) if rows else [()] * width, strict=True):
        columns.setdefault(name, cells)
    return Table(file, kept, columns, strays, whole=not unreadable), problems


def _text(file: str, data: bytes) -> tuple[str, list[Problem]]:
    problems = []
    if data.startswith(BYTE_ORDER_MARK):
        problems.append(Problem(file, 1, "starts with a byte order mark; save as UTF-8 without one"))
        data = data.removeprefix(BYTE_ORDER_MARK)
    if b"\r" in data:
        line = data[: data.index(b"\r")].count(b"\n") + 1
        problems.append(Problem(file, line, "has a carriage return; lines end with a line feed alone"))
        data = data.replace(b"\r", b"")
    if b"\0" in data:
        lines = enumerate(data.split(b"\n"), 1)
        problems += [Problem(file, number, "has a NUL byte") for number, line in lines if b"\0" in line]
        data = data.replace(b"\0", b"")
    text = data.decode(errors="replace")
    if "\N{REPLACEMENT CHARACTER}" in text:
        problems += [Problem(file, number, what) for number, what in _undecodable(data)]
    return text, problems


def _undecodable(data: bytes) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(data.split(b"\n"), 1):
        # surrogateescape maps each byte that is not UTF-8 to U+DC00 plus the byte
        for character in line.decode(errors="surrogateescape"):
            if "\udc80" <= character <= "\udcff":
                yield number, f"byte 0x{ord(character) - 0xDC00:02X} is not UTF-8"
                break


def _records(text: str) -> tuple[Sequence[int], list[list[str]], list[tuple[int, str]]]:
    """Rows, the line each starts on, and the lines that cannot be read as rows, with the reason."""
    reader = csv.reader(io.StringIO(text, newline="\n"), strict=True)
    records: list[list[str]] = []
    lines: list[int] = []
    unreadable: list[tuple[int, str]] = []
    while True:
        line = reader.line_num + 1
        try:
            records.append(next(reader))
        except StopIteration:
            return lines, records, unreadable
        except csv.Error as error:
            unreadable.append((line, _sentence(str(error))))
        else:
            lines.append(line)


def _sentence(error: str) -> str:
    if error == "unexpected end of data":
        return "a quote opened here is never closed"
    return f"not readable as CSV: {error}"


def _header_faults(header: Sequence[str], expected: Sequence[str], optional: Container[str]) -> Iterator[str]:
    missing = [name for name in expected if name not in header]
    for index, name in enumerate(header):
        if name in header[:index]:
            yield f"column {shown(name)} stands twice"
        elif name not in expected:
            yield f"unknown column {shown(name)}{Nearest(missing or expected).hint(name)}"
    for name in missing:
        if name not in optional:
            yield f"missing column {name!r}"
