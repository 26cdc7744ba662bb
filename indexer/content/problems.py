"""Problems of content files: the file, the line, what is wrong, and the nearest valid value."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from schema.errors import AkgError
from schema.text import nearest

MAX_QUOTED_LENGTH = 60  # characters of a cell that a message repeats
MAX_PROBLEMS = 1_000  # of a file: millions of invalid lines would need gigabytes of memory
MAX_LISTED_VALUES = 12  # a message lists all valid values up to this number
MIN_SIMILARITY = 0.65  # 'navv' and 'nav' reach 0.86, 'word-xqlity' and 'word-tsar' 0.6


class Location(NamedTuple):
    """A row of a file."""

    file: str
    line: int


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One error. `line` counts the physical lines of the file from 1, including those inside quoted cells."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class ContentError(AkgError):
    """The tables are invalid; `problems` holds every reason, not only the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def quote(value: str) -> str:
    """Quote a cell for a message: on one line, printable, truncated when long."""
    return repr(value if len(value) <= MAX_QUOTED_LENGTH else f"{value[:MAX_QUOTED_LENGTH]}…")


def fold(text: str) -> str:
    """Return the text without case and extra whitespace, to compare names."""
    return " ".join(text.casefold().split())


def slugify(text: str) -> str:
    """Return the text as a slug: "Quiet Works" becomes "quiet-works"."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")


def more_lines_follow(file: str, line: int) -> Problem:
    """Return the last problem of a file that is not read further, because it has MAX_PROBLEMS."""
    return Problem(file, line, f"more lines follow; the file has at least {MAX_PROBLEMS:,} problems")


class NearestMatch:
    """Finds the valid value nearest to an invalid one."""

    def __init__(self, valid: Iterable[str]) -> None:
        self._valid = sorted(set(valid))
        self._hints: dict[str, str] = {}

    def hint(self, value: str) -> str:
        """Return the end of a message: `; nearest: 'nav'`, all valid values if they are few, or an empty string."""
        if value not in self._hints:
            self._hints[value] = self._hint(value)
        return self._hints[value]

    def _hint(self, value: str) -> str:
        if (match := nearest(value[:MAX_QUOTED_LENGTH], self._valid, MIN_SIMILARITY)) is not None:
            return f"; nearest: {match!r}"
        if 0 < len(self._valid) <= MAX_LISTED_VALUES:
            return f"; valid: {', '.join(map(repr, self._valid))}"
        return ""
