"""Reads the files of an O*NET release row by row, by our column names.

The problems of all files are collected in one `ReadState`. A file is read up to its first unreadable line.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO

from indexer.content.problems import ContentError, Problem, quote
from indexer.content.zip_members import ARCHIVE_ERRORS, error_text
from indexer.onet.archive import LAYOUTS, Layout, Member, OnetError, ReleaseFiles, open_member

MAX_LINE_BYTES = 1_000_000  # the longest line of a release has 2 KB
MAX_PROBLEMS = 50  # reported per file
Row = tuple[int, dict[str, str]]


@dataclass(slots=True)
class ReadState:
    """The problems and notes of all files so far, and which occupations each file has."""

    files: ReleaseFiles
    on_bytes: Callable[[int], None]
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    last_occupations: dict[str, tuple[str, int]] = field(default_factory=dict)  # table → code and line
    occupations: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # table → codes
    problem_counts: Counter[str] = field(default_factory=Counter)

    def add_problem(self, table: str, line: int, message: str) -> None:
        """Add a problem, up to fifty per file."""
        self.problem_counts[table] += 1
        if self.problem_counts[table] == MAX_PROBLEMS + 1:
            message = f"more problems follow; only the first {MAX_PROBLEMS} are listed"
        if self.problem_counts[table] <= MAX_PROBLEMS + 1:
            self.problems.append(Problem(self.files.members[table].name, line, message))


def table_rows(state: ReadState, table: str) -> Iterator[Row]:
    """Yield the rows of a table by our column names, each with the line it starts on."""
    layout, member = LAYOUTS[table], state.files.members[table]
    rows = _rows(state, member)
    line, header = next(rows, (1, []))
    header = [" ".join(name.split()) for name in header]
    names = {column: next((name for name in names if name in header), "") for column, names in layout.columns.items()}
    if errors := list(_header_errors(layout, header, names)):
        for message in errors:
            state.add_problem(table, line, message)
        return
    known = {name for names in layout.columns.values() for name in names} | set(layout.ignored)
    unknown = [name for name in header if name not in known]
    state.notes += [f"{member.name}: ignored unknown column {quote(name)}" for name in unknown]
    indexes = {column: header.index(name) for column, name in names.items() if name}
    before, line = len(state.problems), 0
    for line, cells in rows:
        if len(cells) != len(header):
            wrong_width = f"row has {len(cells)} cells; the header has {len(header)}"
            state.add_problem(table, line, wrong_width if any(cells) else "blank line")
            continue
        yield line, {column: " ".join(cells[index].split()) for column, index in indexes.items()}
    if not line and len(state.problems) == before:
        state.add_problem(table, 1, "no rows below the header")


def _header_errors(layout: Layout, header: list[str], names: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys(header):
        if header.count(name) > 1:
            yield f"duplicate column {quote(name)}"
    for column, name in names.items():
        if not name and column not in layout.optional:
            newest, *older = layout.columns[column]
            alternative = f" (in older releases {' or '.join(map(repr, older))})" if older else ""
            yield f"missing column {newest!r}{alternative}"


def _rows(state: ReadState, member: Member) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file with the line each starts on, up to the first unreadable line."""
    try:
        with open_member(member) as raw:
            lines = _decoded_lines(member, raw, state.on_bytes)
            if member.suffix == ".txt":
                yield from ((number, line.rstrip("\r\n").split("\t")) for number, line in lines)
            else:
                yield from _csv_rows(member, (line for _, line in lines))
    except ContentError as error:
        state.problems += error.problems


def _csv_rows(member: Member, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    reader, start = csv.reader(lines, strict=True), 1
    try:
        for cells in reader:
            yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise ContentError([Problem(member.name, start, f"invalid CSV: {error}")]) from None


def _decoded_lines(member: Member, raw: IO[bytes], on_bytes: Callable[[int], None]) -> Iterator[tuple[int, str]]:
    number, line = 0, b"\n"
    while following := _next_line(member, number, raw):
        number, line = number + 1, following
        on_bytes(len(line))
        if len(line) > MAX_LINE_BYTES:
            raise ContentError([Problem(member.name, number, f"the line has more than {MAX_LINE_BYTES:,} bytes")])
        yield number, _decode(member, number, line)
    if not line.endswith(b"\n"):
        raise ContentError([Problem(member.name, number, "the last line has no line ending; the file seems truncated")])


def _next_line(member: Member, number: int, raw: IO[bytes]) -> bytes:
    try:
        return raw.readline(MAX_LINE_BYTES + 1)
    except ARCHIVE_ERRORS as error:
        message = f"{member.name} is damaged after line {number}: {error_text(error)}. Nothing was changed."
        raise OnetError(message) from error


def _decode(member: Member, number: int, line: bytes) -> str:
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        message = f"byte 0x{line[error.start]:02X} is not UTF-8"
        raise ContentError([Problem(member.name, number, message)]) from None
    if "\0" in text:
        raise ContentError([Problem(member.name, number, "contains a NUL byte")])
    return text
