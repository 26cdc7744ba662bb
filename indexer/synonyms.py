"""Solr synonym rules of `mappings/synonyms/*.txt`: read, and every problem named as file:line."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

ARROW = "=>"
LINE_END = re.compile(r"\r\n?|\n")  # as editors count; a form feed or a separator inside a line ends none
WRONG_ARROW = re.compile(r"[-=<>~]+>|<[-=]+|[\u2190-\u21ff]|[<>=]")
LATE_COMMENT = re.compile(r"\s#")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line. Two-way rules (`a, b`) have equal `given` and `read_as`; one-way rules (`a => b`) do not."""

    file: str
    line: int
    given: tuple[str, ...]
    read_as: tuple[str, ...]

    @property
    def two_way(self) -> bool:
        """Whether each term is read as all the others."""
        return self.given == self.read_as

    @property
    def text(self) -> str:
        """The rule as the engine takes it."""
        if self.two_way:
            return ", ".join(self.given)
        return f"{', '.join(self.given)} {ARROW} {', '.join(self.read_as)}"


@dataclass(frozen=True, slots=True)
class Difference:
    """What one set of rules has and another has not. Where a rule stands, and in which order, makes none."""

    added: tuple[Rule, ...]
    removed: tuple[Rule, ...]

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.added or self.removed)


class SynonymError(Exception):
    """Synonym files with problems; `problems` has one `file:line: what` each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def read_rules(folder: Path) -> tuple[Rule, ...]:
    """Read every `*.txt` in the folder, in the order of their names; raise SynonymError with all problems."""
    rules, problems = rules_and_problems(folder)
    if problems:
        raise SynonymError(problems)
    return rules


def rules_and_problems(folder: Path) -> tuple[tuple[Rule, ...], list[str]]:
    """What can be read of every `*.txt` in the folder, and a `file:line: what` for each line that cannot."""
    rules: list[Rule] = []
    problems: list[str] = []
    for path in sorted(folder.glob("*.txt")):
        try:
            text = path.read_text("utf-8-sig")
        except UnicodeDecodeError as error:
            line = path.read_bytes()[: error.start].count(b"\n") + 1
            problems.append(f"{path.name}:{line}: not UTF-8")
            continue
        found, wrong = parse(path.name, LINE_END.split(text))
        rules += found
        problems += wrong
    return tuple(rules), problems + _repeats(rules)


def parse(file: str, lines: Iterable[str]) -> tuple[list[Rule], list[str]]:
    """Rules and problems of one file. Blank lines and lines that start with `#` are the file's own manual."""
    rules, problems = [], []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        rule = _odd_sign(text.replace(ARROW, ",")) or _rule(file, number, text)
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


def _odd_sign(terms: str) -> str:
    """What is wrong with the characters of a line; the engine would read some of them in a way of its own."""
    if odd := next((letter for letter in terms if not letter.isprintable() and letter != "\t"), ""):
        return f"the character U+{ord(odd):04X} cannot be seen; take it out"
    if "\\" in terms:
        return "a backslash; terms need none"
    if arrow := WRONG_ARROW.search(terms):
        return f"{arrow[0]!r} is no part of a term; the arrow of a rule is {ARROW}"
    if LATE_COMMENT.search(terms):
        return "a comment needs a line of its own"
    return ""


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


def difference(before: Sequence[Rule], after: Sequence[Rule]) -> Difference:
    """What changes from one set of rules to another."""
    old, new = {rule.text for rule in before}, {rule.text for rule in after}
    return Difference(
        tuple(rule for rule in after if rule.text not in old), tuple(rule for rule in before if rule.text not in new)
    )


def rule_lines(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """Rules as a release keeps them in its `_meta`."""
    return [
        {
            "text": rule.text,
            "given": list(rule.given),
            "read_as": list(rule.read_as),
            "file": rule.file,
            "line": rule.line,
        }
        for rule in rules
    ]


def rules_from(lines: Iterable[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """The rules that a release keeps."""
    return tuple(
        Rule(line["file"], line.get("line", 0), tuple(line["given"]), tuple(line["read_as"])) for line in lines
    )
