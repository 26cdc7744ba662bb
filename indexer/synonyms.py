"""Solr synonym rules of `mappings/synonyms/*.txt`: read, and every problem named as file:line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

ARROW = "=>"


@dataclass(frozen=True, slots=True)
class Rule:
    """One line. Two-way rules (`a, b`) have equal `given` and `read_as`; one-way rules (`a => b`) do not."""

    file: str
    line: int
    given: tuple[str, ...]
    read_as: tuple[str, ...]

    @property
    def text(self) -> str:
        """The rule as the engine takes it."""
        if self.given == self.read_as:
            return ", ".join(self.given)
        return f"{', '.join(self.given)} {ARROW} {', '.join(self.read_as)}"


class SynonymError(Exception):
    """Synonym files with problems; `problems` has one `file:line: what` each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def read_rules(folder: Path) -> tuple[Rule, ...]:
    """Read every `*.txt` in the folder, in the order of their names; raise SynonymError with all problems."""
    rules: list[Rule] = []
    problems: list[str] = []
    for path in sorted(folder.glob("*.txt")):
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError as error:
            line = path.read_bytes()[: error.start].count(b"\n") + 1
            problems.append(f"{path.name}:{line}: not UTF-8")
            continue
        found, wrong = parse(path.name, text.splitlines())
        rules += found
        problems += wrong
    problems += _repeats(rules)
    if problems:
        raise SynonymError(problems)
    return tuple(rules)


def parse(file: str, lines: Iterable[str]) -> tuple[list[Rule], list[str]]:
    """Rules and problems of one file. Blank lines and lines that start with `#` are the file's own manual."""
    rules, problems = [], []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        rule = _rule(file, number, text)
        if isinstance(rule, Rule):
            rules.append(rule)
        else:
            problems.append(f"{file}:{number}: {rule}")
    return rules, problems


def _rule(file: str, number: int, text: str) -> Rule | str:
    left, arrow, right = text.partition(ARROW)
    if ARROW in right:
        return "two arrows; write one rule per line"
    given = tuple(term.strip() for term in left.split(","))
    read_as = tuple(term.strip() for term in right.split(",")) if arrow else given
    if not all(given) or not all(read_as):
        return "an empty term; look for a stray comma or a missing side of the arrow"
    if not arrow and len(given) == 1:
        return f"{given[0]!r} stands alone; a rule needs at least two terms or an arrow"
    if arrow and given == read_as:
        return "both sides are the same; the rule would change nothing"
    if any(len({term.casefold() for term in side}) < len(side) for side in (given, read_as)):
        return "a term stands twice in the same rule"
    return Rule(file, number, given, read_as)


def _repeats(rules: Iterable[Rule]) -> list[str]:
    first: dict[str, Rule] = {}
    problems = []
    for rule in rules:
        known = first.setdefault(rule.text.casefold(), rule)
        if known is not rule:
            problems.append(f"{rule.file}:{rule.line}: repeats {known.file}:{known.line}")
    return problems


def rules_version(rules: Iterable[Rule]) -> str:
    """12 hex digits that change exactly when what the engine is told changes."""
    digest = hashlib.sha256("\n".join(rule.text for rule in rules).encode())
    return digest.hexdigest()[:12]
