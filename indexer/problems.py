"""How a fault in the content is told: which file, which line, what is wrong and which value would be right. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHOWN = 60  # characters of a faulty cell that a message repeats
LISTED = 12  # so few valid values are named one by one when none is near
NEAR = 0.55  # 'navv' and 'nav' reach 0.86, 'telework' and 'network' 0.80
CLOSEST = 6  # candidates that are compared letter by letter


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault. `line` counts the physical lines of the file from 1, whatever quoted cells hold."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


class ContentError(ValueError):
    """The tables cannot be used; `problems` holds every reason, not only the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def shown(value: str) -> str:
    """Quote a cell for a message: on one line, printable, cut when long."""
    return repr(value if len(value) <= SHOWN else f"{value[:SHOWN]}…")


def slugified(text: str) -> str:
    """The slug that somebody who wrote `text` meant, as far as letters tell."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")


class Nearest:
    """Finds the valid value that a wrong one was meant to be.

    Comparing each wrong value with each of thousands of valid ones takes minutes when a whole column is wrong,
    so an index of letter triples picks the few that are compared.
    """

    def __init__(self, valid: Iterable[str]) -> None:
        self._valid = sorted(set(valid))
        self._by_triple: defaultdict[str, list[int]] = defaultdict(list)
        self._told: dict[str, str] = {}

    def hint(self, wrong: str) -> str:
        """End of a message: `; nearest: 'nav'`, or the list when it is short, or nothing."""
        if wrong not in self._told:
            self._told[wrong] = self._hint(wrong)
        return self._told[wrong]

    def _hint(self, wrong: str) -> str:
        match = SequenceMatcher(b=wrong[:SHOWN].casefold())
        best, best_ratio = "", NEAR
        for value in self._candidates(wrong):
            match.set_seq1(value.casefold())
            if match.quick_ratio() >= best_ratio and (ratio := match.ratio()) >= best_ratio:
                best, best_ratio = value, ratio + 1e-9
        if best:
            return f"; nearest: {best!r}"
        if 0 < len(self._valid) <= LISTED:
            return f"; valid: {', '.join(map(repr, self._valid))}"
        return ""

    def _candidates(self, wrong: str) -> list[str]:
        if len(self._valid) <= LISTED:
            return self._valid
        if not self._by_triple:
            for index, value in enumerate(self._valid):
                for triple in _triples(value):
                    self._by_triple[triple].append(index)
        # The rarest triples say most: '-software' is in hundreds of slugs, 'zoo' in three.
        lists = sorted(
            (self._by_triple[triple] for triple in _triples(wrong[:SHOWN]) & self._by_triple.keys()), key=len
        )
        shared = Counter(index for found in lists[:8] for index in found[:400])
        return [self._valid[index] for index, _ in shared.most_common(CLOSEST)]


def _triples(text: str) -> set[str]:
    padded = f" {text.casefold()} "
    return {padded[start : start + 3] for start in range(len(padded) - 2)}
