"""Reads the rows of one file of a release by our column names, and collects problems and notes. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.content.problems import ContentError, Problem, quote
from indexer.onet.archive import read_rows
from indexer.onet.layout import LAYOUTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from indexer.onet.archive import Member, ReleaseFiles
    from indexer.onet.layout import Layout

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

    def add_problem(self, member: Member, line: int, message: str) -> None:
        """Add a problem, up to fifty per file."""
        self.problem_counts[member.name] += 1
        if self.problem_counts[member.name] <= MAX_PROBLEMS:
            self.problems.append(Problem(member.name, line, message))
        elif self.problem_counts[member.name] == MAX_PROBLEMS + 1:
            message = f"more problems follow; only the first {MAX_PROBLEMS} are listed"
            self.problems.append(Problem(member.name, line, message))


def table_rows(state: ReadState, table: str) -> Iterator[Row]:
    """Yield the rows of a table by our column names, each with the line it starts on."""
    layout, member = LAYOUTS[table], state.files.members[table]
    rows = _readable_rows(state, member)
    line, header = next(rows, (1, []))
    header = [" ".join(name.split()) for name in header]
    names = {column: next((name for name in names if name in header), "") for column, names in layout.columns.items()}
    if errors := list(_header_errors(layout, header, names)):
        for message in errors:
            state.add_problem(member, line, message)
        return
    known = {name for names in layout.columns.values() for name in names} | set(layout.ignored)
    unknown = [name for name in header if name not in known]
    state.notes += [f"{member.name}: ignored unknown column {quote(name)}" for name in unknown]
    indexes = {column: header.index(name) for column, name in names.items() if name}
    before, line = len(state.problems), 0
    for line, cells in rows:
        if len(cells) != len(header):
            wrong_width = f"row has {len(cells)} cells; the header has {len(header)}"
            state.add_problem(member, line, wrong_width if any(cells) else "blank line")
            continue
        yield line, {column: " ".join(cells[index].split()) for column, index in indexes.items()}
    if not line and len(state.problems) == before:
        state.add_problem(member, 1, "no rows below the header")


def _readable_rows(state: ReadState, member: Member) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file up to the first unreadable line."""
    try:
        yield from read_rows(member, state.on_bytes)
    except ContentError as error:
        state.problems += error.problems


def _header_errors(layout: Layout, header: list[str], names: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys(header):
        if header.count(name) > 1:
            yield f"duplicate column {quote(name)}"
    for column, name in names.items():
        if not name and column not in layout.optional:
            newest, *older = layout.columns[column]
            alternative = f" (in older releases {' or '.join(map(repr, older))})" if older else ""
            yield f"missing column {newest!r}{alternative}"
