"""Reads tables of judgments: comments, a header, then one case per line, with tabs between columns."""

from collections.abc import Sequence
from pathlib import Path

from schema.errors import AkgError, UsageError


class JudgmentError(AkgError):
    """Invalid judgments, one `file:line: what` a line."""


def table_rows(path: Path, columns: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Return the cells of each line after the header, with its number.

    Raise UsageError if there is no such file, and JudgmentError if it has another header or is not UTF-8.
    """
    if not path.is_file():
        raise UsageError(f"There is no file {path}. Name a table of judged queries.")
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise JudgmentError(f"{path.name}:{line}: not UTF-8; save the file as UTF-8") from error
    rows = [
        (number, line.split("\t")) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")
    ]
    if not rows or rows[0][1] != list(columns):
        raise JudgmentError(f"{path.name}: the first line that is not a comment must be: {', '.join(columns)}")
    return rows[1:]
