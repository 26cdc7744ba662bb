"""Checks two tables of editors: words for body parts and events, and pairs of conditions that occur together."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import partial

from indexer.content.cell_checks import ReferenceIndex, value_problems
from indexer.content.csv_table import Table
from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.problems import Location, Problem, fold, quote
from indexer.content.table_specs import UNKNOWN_DATE

Step = tuple[str, str]  # full ids of a narrower and a broader entity
ISO_DATE = re.compile(r"[0-9]{4}(-[0-9]{2}){0,2}")  # a year, a month or a day
FIRST_DAY = "0001-01-01"  # its end completes a year or a month to a day


def items_of(cell: str) -> list[str]:
    """Return the different values of a cell, without empty ones, which are a problem of their own."""
    return [item.strip() for item in dict.fromkeys(cell.split(SEPARATOR)) if item.strip()]


def word_problems(
    table: Table, alias_rows: Iterable[tuple[Location, str, str]], index: ReferenceIndex
) -> Iterator[Problem]:
    """Report words that occur twice, and those that already name an entity of their row."""
    aliases: defaultdict[str, set[str]] = defaultdict(set)
    for _, entity, text in alias_rows:
        aliases[entity].add(fold(text))
    first: dict[str, int] = {}
    for line, (words, entities) in zip(table.lines, table.rows("words", "entities"), strict=True):
        for word in items_of(words):
            folded = fold(word)
            if folded in first:
                yield Problem(table.file, line, f"duplicate word {quote(word)}; first on line {first[folded]}")
            first.setdefault(folded, line)
            for entity in items_of(entities):
                is_name = folded == fold(index.names.get(entity, ""))
                if is_name or folded in aliases[entity]:
                    what = "the name" if is_name else "an alias"
                    yield Problem(table.file, line, f"word {quote(word)} is {what} of {quote(entity)}; delete the word")


def pair_problems(table: Table, steps: Iterable[Step]) -> Iterator[Problem]:
    """Report pairs that reverse another one, pairs of a condition and its ancestor, and invalid dates."""
    ancestors = _ancestors(steps)
    first: dict[tuple[str, str], int] = {}
    for line, (condition, other) in zip(table.lines, table.rows("condition", "other"), strict=True):
        if not (condition and other) or condition == other:
            continue
        first.setdefault((condition, other), line)
        if (other, condition) in first:
            message = f"{quote(condition)}, {quote(other)} is the pair of line {first[other, condition]} in reverse"
            yield Problem(table.file, line, f"{message}; keep one of the two rows")
        for narrower, broader in ((condition, other), (other, condition)):
            if f"disability:{broader}" in ancestors(f"disability:{narrower}"):
                message = f"{quote(broader)} is broader than {quote(narrower)}, so the two cannot be a pair"
                yield Problem(table.file, line, message)
    yield from date_problems(table)


def date_problems(table: Table) -> Iterator[Problem]:
    """Report dates of publication or reading that are neither dates nor unknown."""
    for column in ("as_of", "read"):
        yield from value_problems(table, column, partial(_date_errors, column))


def _ancestors(steps: Iterable[Step]) -> Callable[[str], set[str]]:
    """Return a function that returns all entities broader than one; cycles are a problem of their own."""
    broader_of: defaultdict[str, set[str]] = defaultdict(set)
    for entity, broader in steps:
        broader_of[entity].add(broader)

    def ancestors(entity: str) -> set[str]:
        found, level = set[str](), {entity}
        while level := {broader for child in level for broader in broader_of.get(child, ())} - found:
            found |= level
        return found

    return ancestors


def _date_errors(column: str, value: str) -> Iterator[str]:
    if not value or value == UNKNOWN_DATE:
        return
    try:
        is_valid = bool(ISO_DATE.fullmatch(value) and date.fromisoformat(value + FIRST_DAY[len(value) :]))
    except ValueError:
        is_valid = False
    if not is_valid:
        yield f"{column!r} is {quote(value)}, not a date such as 2026-01-31, a year such as 2026, or {UNKNOWN_DATE!r}"
