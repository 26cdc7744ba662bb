"""Parses the bytes of a CSV file into a table whose rows know their lines.

No input raises: bytes that are not UTF-8, unclosed quotes and short rows are reported as problems and skipped.
"""

import csv
import io
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from indexer.content.problems import MAX_PROBLEMS, NearestMatch, Problem, more_lines_follow, quote

MAX_ROWS = 100_000_000  # readers of files from others pass a lower limit
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
ESCAPED_BYTE = re.compile("[\udc80-\udcff]")  # surrogateescape maps a byte that is not UTF-8 to U+DC00 plus the byte


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a file, column by column. Row n starts on `lines[n]` of the file.

    `malformed_rows` have too few or too many cells: their keys exist, nothing else of them is used.
    `complete` is False when part of the file could not be parsed, so that a missing value proves nothing.
    """

    file: str
    lines: Sequence[int]
    columns: Mapping[str, Sequence[str]]
    malformed_rows: Sequence[Mapping[str, str]] = ()
    complete: bool = True

    def column(self, name: str) -> Sequence[str]:
        """Return the cells of the column, empty ones if the file has no such column."""
        return self.columns.get(name) or [""] * len(self.lines)

    def rows(self, *columns: str) -> Iterator[tuple[str, ...]]:
        """Yield the cells of these columns, row by row."""
        return zip(*map(self.column, columns), strict=True)

    def values(self, column: str) -> set[str] | None:
        """Return every value of the column, malformed rows included, or None if they cannot be known."""
        if not self.complete or column not in self.columns:
            return None
        return {*self.columns[column], *(row[column] for row in self.malformed_rows if column in row)} - {""}


def csv_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    """Return the rows as the bytes of a CSV file, with line feeds alone."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def read_table(
    file: str,
    data: bytes,
    expected: Sequence[str],
    optional: Container[str] = (),
    *,
    comments: bool = False,
    max_rows: int = MAX_ROWS,
) -> tuple[Table, list[Problem]]:
    """Parse a file and report where it deviates from the `expected` columns.

    Those that are `optional` may be missing. With `comments`, rows that begin with `#` or are empty are skipped. A file
    is read up to MAX_PROBLEMS malformed rows, or `max_rows`.
    """
    text, problems = _decode(file, data)
    lines, records, unreadable = _parse_records(file, text, max_rows, comments=comments)
    problems += unreadable
    if not records or not any(records[0]):
        problems.append(Problem(file, 1, f"missing header; the first line must be: {','.join(expected)}"))
        return Table(file, (), {}, complete=False), problems
    header, width = records[0], len(records[0])
    problems += [Problem(file, lines[0], message) for message in _header_errors(header, expected, optional)]
    malformed = []
    for line, record in zip(lines, records, strict=True):
        if len(record) != width:
            message = f"row has {len(record)} cells; the header has {width}" if record else "blank line"
            problems.append(Problem(file, line, message))
            malformed.append(dict(zip(header, record, strict=False)))
    rows = [record for record in records[1:] if len(record) == width]
    row_lines = [line for line, record in zip(lines[1:], records[1:], strict=True) if len(record) == width]
    columns: dict[str, Sequence[str]] = {}
    for name, cells in zip(header, zip(*rows, strict=True) if rows else [()] * width, strict=True):
        columns.setdefault(name, cells)
    return Table(file, row_lines, columns, malformed, complete=not unreadable), problems


def _decode(file: str, data: bytes) -> tuple[str, list[Problem]]:
    problems = []
    if data.startswith(BYTE_ORDER_MARK):
        problems.append(Problem(file, 1, "starts with a byte order mark; save the file as UTF-8 without it"))
        data = data.removeprefix(BYTE_ORDER_MARK)
    if b"\r" in data:
        line = data[: data.index(b"\r")].count(b"\n") + 1
        problems.append(Problem(file, line, "contains a carriage return; end lines with a line feed only"))
        data = data.replace(b"\r", b"")
    if b"\0" in data:
        lines = (number for number, line in enumerate(io.BytesIO(data), 1) if b"\0" in line)
        problems += [Problem(file, number, "contains a NUL byte") for number in islice(lines, MAX_PROBLEMS)]
        data = data.replace(b"\0", b"")
    text = data.decode(errors="replace")
    if "\N{REPLACEMENT CHARACTER}" in text:
        problems += [Problem(file, *error) for error in islice(_undecodable_bytes(data), MAX_PROBLEMS)]
    return text, problems


def _undecodable_bytes(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not UTF-8, each with its first wrong byte."""
    for number, encoded in enumerate(io.BytesIO(data), 1):
        if escaped := ESCAPED_BYTE.search(encoded.decode(errors="surrogateescape")):
            yield number, f"byte 0x{ord(escaped[0]) - 0xDC00:02X} is not UTF-8"


def _parse_records(
    file: str, text: str, max_rows: int, *, comments: bool
) -> tuple[Sequence[int], list[list[str]], list[Problem]]:
    """Return the line each row starts on, the rows, and why the file could not be read to its end or not all of it."""
    reader = csv.reader(io.StringIO(text, newline="\n"), strict=True)
    records: list[list[str]] = []
    lines: list[int] = []
    unreadable: list[Problem] = []
    malformed = 0  # rows of another width than the first
    while len(unreadable) + malformed < MAX_PROBLEMS:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return lines, records, unreadable
        except csv.Error as error:
            unclosed = str(error) == "unexpected end of data"
            message = "a quote opened here is never closed" if unclosed else f"invalid CSV: {error}"
            unreadable.append(Problem(file, line, message))
            continue
        if comments and not _has_values(record):
            continue
        if len(records) > max_rows:
            return lines, records, [*unreadable, Problem(file, line, f"the file has more than {max_rows:,} rows")]
        records.append(record)
        lines.append(line)
        if not any(records[0]):  # no header
            return lines, records, unreadable
        malformed += len(record) != len(records[0])
    return lines, records, [*unreadable, more_lines_follow(file, reader.line_num + 1)]


def _has_values(record: Sequence[str]) -> bool:
    """Return whether a record is neither a comment nor empty: spreadsheets save an empty row as commas."""
    return any(cell.strip() for cell in record) and not record[0].lstrip().startswith("#")


def _header_errors(header: Sequence[str], expected: Sequence[str], optional: Container[str]) -> Iterator[str]:
    missing = [name for name in expected if name not in header]
    for index, name in enumerate(header):
        if name in header[:index]:
            yield f"duplicate column {quote(name)}"
        elif name not in expected:
            yield f"unknown column {quote(name)}{NearestMatch(missing or expected).hint(name)}"
    for name in missing:
        if name not in optional:
            yield f"missing column {name!r}"
