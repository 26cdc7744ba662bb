"""Parses the Solr synonym rules of `mappings/synonyms/*.txt`; every problem has file and line."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from indexer.synonyms.lines import read_lines
from schema.errors import AkgError
from schema.pins import Pin
from schema.synonyms import ARROW, SynonymRule

WRONG_ARROW = re.compile(r"[-=<>~]+>|<[-=]+|[\u2190-\u21ff]|[<>=]")
LATE_COMMENT = re.compile(r"[\s,]#")

Line = TypeVar("Line", SynonymRule, Pin)


@dataclass(frozen=True, slots=True)
class Difference:
    """The rules and pins that one set has and another has not, regardless of file, line and order."""

    added: tuple[SynonymRule, ...]
    removed: tuple[SynonymRule, ...]
    added_pins: tuple[Pin, ...] = ()
    removed_pins: tuple[Pin, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all_added or self.all_removed)

    @property
    def all_added(self) -> tuple[SynonymRule | Pin, ...]:
        """The rules and pins that were added."""
        return (*self.added, *self.added_pins)

    @property
    def all_removed(self) -> tuple[SynonymRule | Pin, ...]:
        """The rules and pins that were removed."""
        return (*self.removed, *self.removed_pins)


class SynonymError(AkgError):
    """Synonym files have problems; `problems` has a `file:line: message` for each."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def rules_and_problems(folder: Path) -> tuple[tuple[SynonymRule, ...], list[str]]:
    """Return the valid rules of all `*.txt` in the folder, by name, and a `file:line: message` per invalid line."""
    rules: list[SynonymRule] = []
    problems: list[str] = []
    for path in sorted(folder.glob("*.txt")):
        lines, unreadable = read_lines(path)
        file_rules, file_problems = parse(path.name, lines)
        rules += file_rules
        problems += [*unreadable, *file_problems]
    return tuple(rules), problems + _repeated_rules(rules)


def parse(file: str, lines: Iterable[str]) -> tuple[list[SynonymRule], list[str]]:
    """Return rules and problems of one file. Skip blank lines and comments, which start with `#`."""
    rules, problems = [], []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        rule = _invalid_character(text.replace(ARROW, ",")) or _rule(file, number, text)
        if isinstance(rule, SynonymRule):
            rules.append(rule)
        else:
            problems.append(f"{file}:{number}: {rule}")
    return rules, problems


def _rule(file: str, number: int, text: str) -> SynonymRule | str:
    left, arrow, right = text.partition(ARROW)
    if ARROW in right:
        return "two arrows; write one rule per line"
    terms = tuple(term.strip() for term in left.split(","))
    replacements = tuple(term.strip() for term in right.split(",")) if arrow else terms
    if not all(terms) or not all(replacements):
        return "an empty term; remove a stray comma or complete the side of the arrow"
    if not arrow and len(terms) == 1:
        return f"{terms[0]!r} is the only term; a rule needs at least two terms or an arrow"
    if arrow and terms == replacements:
        return "both sides are the same; the rule changes nothing"
    if any(len({term.casefold() for term in side}) < len(side) for side in (terms, replacements)):
        return "the rule repeats a term"
    return SynonymRule(file, number, terms, replacements)


def _invalid_character(terms: str) -> str:
    """Return what is wrong with the characters of a line: OpenSearch would interpret some of them differently."""
    if invisible := next((letter for letter in terms if not letter.isprintable() and letter != "\t"), ""):
        return f"the invisible character U+{ord(invisible):04X}; remove it"
    if "\\" in terms:
        return "a backslash; remove it, terms need no escapes"
    if arrow := WRONG_ARROW.search(terms):
        return f"{arrow[0]!r} is not valid in a term; the arrow of a rule is {ARROW}"
    if LATE_COMMENT.search(terms):
        return "a '#' before a term or after a rule; put a comment on a line of its own"
    return ""


def _repeated_rules(rules: Iterable[SynonymRule]) -> list[str]:
    seen: dict[str, SynonymRule] = {}
    problems = []
    for rule in rules:
        first = seen.setdefault(rule.text.casefold(), rule)
        if first is not rule:
            problems.append(f"{rule.file}:{rule.line}: repeats {first.file}:{first.line}")
    return problems


def difference(
    before: Sequence[SynonymRule],
    after: Sequence[SynonymRule],
    pins_before: Sequence[Pin] = (),
    pins_after: Sequence[Pin] = (),
) -> Difference:
    """Return the rules and pins that were added and removed."""
    return Difference(
        tuple(_lines_not_in(before, after)),
        tuple(_lines_not_in(after, before)),
        tuple(_lines_not_in(pins_before, pins_after)),
        tuple(_lines_not_in(pins_after, pins_before)),
    )


def _lines_not_in(others: Sequence[Line], lines: Sequence[Line]) -> Iterator[Line]:
    texts = {line.text for line in others}
    return (line for line in lines if line.text not in texts)
