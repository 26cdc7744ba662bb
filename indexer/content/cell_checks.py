"""Checks one cell: whitespace, type, constraints. Pure.

Each distinct value of a column is checked once, not once per row: 46,488 ratings name one source.
"""

from __future__ import annotations

import re
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.problems import NearestMatch, Problem, quote, slugify
from indexer.content.table_specs import with_enforced_constraints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from indexer.content.csv_table import Table
    from indexer.content.datapackage_schema import Column
    from indexer.content.table_specs import TableSpec

MULTILINE_COLUMN = "plain"  # the only column whose text may contain line breaks
WHITESPACE_ERROR = re.compile(r"^\s|\s$|\s\s|[^\S ]")
WHITESPACE_ERROR_MULTILINE = re.compile(r"^\s|\s$|[^\S\n]{2}|[^\S\n ]")
CLEAN = re.compile(r"[!-~]+( [!-~]+)*")  # nearly every cell: printable ASCII and single spaces
INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff]")


class Format(NamedTuple):
    """The pattern of a type or format, and how messages name it."""

    pattern: re.Pattern[str]
    description: str


# At most 18 digits: every fact fits, longer ones are typos.
FORMATS = {
    "integer": Format(re.compile(r"[+-]?[0-9]{1,18}"), "an integer"),
    "number": Format(re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?"), "a number such as 3.25"),
    "year": Format(re.compile(r"[0-9]{4}"), "a year such as 2026"),
    "boolean": Format(re.compile(r"true|false"), "true or false"),
    "date": Format(re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"), "a date such as 2026-01-31"),
    "uri": Format(
        re.compile(r"https?://[^\s/?#.]+(\.[^\s/?#.]+)+([/?#]\S*)?"), "an address such as https://example.org/"
    ),
}


def cell_problems(table: Table, columns: Sequence[Column], spec: TableSpec | None) -> Iterator[Problem]:
    """Yield every error of every cell, and duplicates in unique columns."""
    noun = spec.noun if spec else "row"
    for described in columns:
        column = with_enforced_constraints(described, spec)
        yield from value_problems(table, column.name, partial(cell_errors, column, noun=noun))
        if column.constraints.unique:
            yield from duplicate_keys(table, (column.name,))


def value_problems(table: Table, column: str, errors: Callable[[str], Iterable[str]]) -> Iterator[Problem]:
    """Check each distinct value of a column once, and yield a problem for each row."""
    cells = table.columns.get(column, ())
    invalid = {value: messages for value in set(cells) if (messages := list(errors(value)))}
    for line, value in zip(table.lines, cells, strict=False) if invalid else ():
        yield from (Problem(table.file, line, message) for message in invalid.get(value, ()))


def duplicate_keys(table: Table, key: Sequence[str]) -> Iterator[Problem]:
    """Yield a problem for each row that has the key of an earlier row."""
    keys = list(table.rows(*key))
    if len(set(keys)) == len(keys):
        return
    first_lines: dict[tuple[str, ...], int] = {}
    for line, values in zip(table.lines, keys, strict=True):
        first = first_lines.setdefault(values, line)
        if first != line and all(values):
            message = f"duplicate {', '.join(key)}: {', '.join(map(quote, values))}; first on line {first}"
            yield Problem(table.file, line, message)


def cell_errors(column: Column, value: str, noun: str) -> Iterator[str]:
    """Yield what is wrong with a value. Extra whitespace is reported, then ignored for the other checks."""
    clean = CLEAN.fullmatch(value)
    text = value if clean else " ".join(value.split())
    if not text:
        if value:
            yield f"{column.name!r} is blank"
        elif column.constraints.required:
            yield f"{noun} without a source" if column.name == "sources" else f"{column.name!r} is empty"
        return
    if not clean:
        yield from _character_errors(column.name, value, text)
    if column.type == "list" or column.name == "sources":
        yield from _list_errors(column, text.split(SEPARATOR))
        return
    expected = FORMATS.get(column.type) or FORMATS.get(column.format)
    if expected and not (expected.pattern.fullmatch(text) and (column.type != "date" or _is_date(text))):
        yield f"{column.name!r} is {quote(text)}, not {expected.description}"
        return
    if column.type in ("integer", "number"):
        yield from _range_errors(column, text)
    yield from _text_errors(column, text)


def _character_errors(name: str, value: str, text: str) -> Iterator[str]:
    if invisible := INVISIBLE.search(value):
        yield f"{name!r} contains the invisible character U+{ord(invisible[0]):04X}"
    pattern = WHITESPACE_ERROR_MULTILINE if name == MULTILINE_COLUMN else WHITESPACE_ERROR
    if error := pattern.search(value):
        if error.start() == 0:
            kind = "leading"
        elif error.end() == len(value):
            kind = "trailing"
        else:
            kind = "double" if len(error[0]) > 1 else f"unusual (U+{ord(error[0]):04X})"
        yield f"{name!r} has {kind} whitespace; write {quote(text)}"


def _list_errors(column: Column, items: list[str]) -> Iterator[str]:
    for item in dict.fromkeys(items):
        if not item:
            yield f"{column.name!r} has an empty value next to {SEPARATOR!r}"
        elif item != item.strip():
            yield f"{column.name!r} has whitespace next to {SEPARATOR!r}; write {quote(item.strip())}"
        elif items.count(item) > 1:
            yield f"{column.name!r} lists {quote(item)} twice"
        elif column.constraints.enum and item not in column.constraints.enum:
            yield f"{column.name!r} is {quote(item)}{NearestMatch(column.constraints.enum).hint(item)}"


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _range_errors(column: Column, text: str) -> Iterator[str]:
    number, constraints = float(text), column.constraints
    bounds = (
        (constraints.minimum, "at least", number.__lt__),
        (constraints.maximum, "at most", number.__gt__),
        (constraints.exclusive_minimum, "more than", number.__le__),
        (constraints.exclusive_maximum, "less than", number.__ge__),
    )
    for bound, relation, is_outside in bounds:
        if bound is not None and is_outside(bound):
            yield f"{column.name!r} is {text}; it must be {relation} {bound:g}"


def _text_errors(column: Column, text: str) -> Iterator[str]:
    constraints = column.constraints
    if constraints.enum and text not in constraints.enum:
        yield f"{column.name!r} is {quote(text)}{NearestMatch(constraints.enum).hint(text)}"
    if constraints.pattern and not constraints.pattern.fullmatch(text):
        hint = f"; nearest: {slugify(text)!r}" if column.name == "slug" and slugify(text) else ""
        yield f"{column.name!r} is {quote(text)}, which does not match {constraints.pattern.pattern}{hint}"
    if constraints.max_length is not None and len(text) > constraints.max_length:
        yield f"{column.name!r} has {len(text)} characters; the maximum is {constraints.max_length}"
    if len(text) < constraints.min_length:
        yield f"{column.name!r} has {len(text)} characters; the minimum is {constraints.min_length}"
