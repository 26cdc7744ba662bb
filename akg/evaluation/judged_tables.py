"""Reads tables of judgments: comments, a header, then one case per line, with tabs between columns."""

from collections.abc import Sequence
from pathlib import Path

from indexer.synonyms.lines import read_lines
from schema.errors import AkgError, UsageError


class JudgmentError(AkgError):
    """Invalid judgments, one `file:line: what` a line."""


def table_rows(path: Path, columns: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Return the cells of each line after the header, with its number.

    Raise UsageError if there is no such file, and JudgmentError if it cannot be read or has another header.
    """
    if not path.is_file():
        raise UsageError(f"There is no file {path}. Name a table of judged queries.")
    lines, unreadable = read_lines(path)
    if unreadable:
        raise JudgmentError("\n".join(unreadable))
    rows = [
        (number, line.split("\t")) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")
    ]
    if not rows or rows[0][1] != list(columns):
        raise JudgmentError(f"{path.name}: the first line that is not a comment must be: {', '.join(columns)}")
    return rows[1:]
