"""What can be wrong inside one cell: whitespace, type, limits. Pure.

Faults are asked for once per distinct value of a column, not once per row: 46,488 ratings name one source.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from indexer.problems import Nearest, Problem, shown, slugified
from indexer.schema import SEPARATOR
from indexer.shapes import strictest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.schema import Column, Constraints
    from indexer.shapes import Shape
    from indexer.tables import Table

PARAGRAPHS = "plain"  # the only column whose text may run over several lines
SPACE_FAULT = re.compile(r"^\s|\s$|\s\s|[^\S ]")
SPACE_FAULT_IN_PARAGRAPHS = re.compile(r"^\s|\s$|[^\S\n]{2}|[^\S\n ]")
PLAIN = re.compile(r"[!-~]+( [!-~]+)*")  # nearly every cell: nothing invisible, single spaces
INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff]")
# At most 18 digits: every fact fits, longer ones are slips.
FORMS = {
    "integer": (re.compile(r"[+-]?[0-9]{1,18}"), "an integer"),
    "number": (re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?"), "a number such as 3.25"),
    "year": (re.compile(r"[0-9]{4}"), "a year such as 2026"),
    "boolean": (re.compile(r"true|false"), "true or false"),
    "date": (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"), "a date such as 2026-01-31"),
    "uri": (re.compile(r"https?://[^\s/?#.]+(\.[^\s/?#.]+)+([/?#]\S*)?"), "an address such as https://example.org/"),
}


def cell_problems(table: Table, columns: Sequence[Column], shape: Shape | None) -> Iterator[Problem]:
    """Every fault of every cell, and repeats in columns that allow none."""
    noun = shape.noun if shape else "row"
    for given in columns:
        cells = table.columns.get(given.name, ())
        column = strictest(given, shape)
        wrong = {value: found for value in set(cells) if (found := list(faults(column, value, noun)))}
        for line, value in zip(table.lines, cells, strict=False) if wrong else ():
            yield from (Problem(table.file, line, what) for what in wrong.get(value, ()))
        if column.constraints.unique:
            yield from repeats(table, (column.name,))


def repeats(table: Table, key: Sequence[str]) -> Iterator[Problem]:
    """Rows that have the same key as a row before them."""
    keys = list(zip(*(table.column(name) for name in key), strict=True))
    if len(set(keys)) == len(keys):
        return
    first: dict[tuple[str, ...], int] = {}
    for line, values in zip(table.lines, keys, strict=True):
        known = first.setdefault(values, line)
        if known != line and all(values):
            what = f"duplicate {', '.join(key)}: {', '.join(map(shown, values))}; first on line {known}"
            yield Problem(table.file, line, what)


def faults(column: Column, value: str, noun: str) -> Iterator[str]:
    """What is wrong with one value. Whitespace is told and then looked through, so that nothing hides behind it."""
    plain = PLAIN.fullmatch(value)
    tidy = value if plain else " ".join(value.split())
    if not tidy:
        if value:
            yield f"{column.name!r} is blank"
        elif column.constraints.required:
            yield f"{noun} without a source" if column.name == "sources" else f"{column.name!r} is empty"
        return
    if not plain:
        yield from _characters(column.name, value, tidy)
    if column.type == "list" or column.name == "sources":
        yield from _several(column, tidy.split(SEPARATOR))
        return
    form = FORMS.get(column.type) or FORMS.get(column.format)
    if form and not (form[0].fullmatch(tidy) and (column.type != "date" or _is_date(tidy))):
        yield f"{column.name!r} is {shown(tidy)}, not {form[1]}"
        return
    if column.type in ("integer", "number"):
        yield from _range(column, tidy)
    yield from _text(column, tidy)


def _characters(name: str, value: str, tidy: str) -> Iterator[str]:
    if invisible := INVISIBLE.search(value):
        yield f"{name!r} has the invisible character U+{ord(invisible[0]):04X}"
    pattern = SPACE_FAULT_IN_PARAGRAPHS if name == PARAGRAPHS else SPACE_FAULT
    if fault := pattern.search(value):
        if fault.start() == 0:
            kind = "leading"
        elif fault.end() == len(value):
            kind = "trailing"
        else:
            kind = "double" if len(fault[0]) > 1 else f"odd (U+{ord(fault[0]):04X})"
        yield f"{name!r} has {kind} whitespace; write {shown(tidy)}"


def _several(column: Column, items: list[str]) -> Iterator[str]:
    for item in dict.fromkeys(items):
        if not item:
            yield f"{column.name!r} has an empty value beside {SEPARATOR!r}"
        elif item != item.strip():
            yield f"{column.name!r} has whitespace beside {SEPARATOR!r}; write {shown(item.strip())}"
        elif items.count(item) > 1:
            yield f"{column.name!r} names {shown(item)} twice"
        elif column.constraints.enum and item not in column.constraints.enum:
            yield f"{column.name!r} is {shown(item)}{Nearest(column.constraints.enum).hint(item)}"


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _range(column: Column, text: str) -> Iterator[str]:
    number, limits = float(text), column.constraints
    bounds = (
        (limits.minimum, "at least", number.__lt__),
        (limits.maximum, "at most", number.__gt__),
        (limits.exclusive_minimum, "more than", number.__le__),
        (limits.exclusive_maximum, "less than", number.__ge__),
    )
    for bound, words, breaks in bounds:
        if bound is not None and breaks(bound):
            yield f"{column.name!r} is {text}; {words} {bound:g}"


def _text(column: Column, text: str) -> Iterator[str]:
    limits: Constraints = column.constraints
    if limits.enum and text not in limits.enum:
        yield f"{column.name!r} is {shown(text)}{Nearest(limits.enum).hint(text)}"
    if limits.pattern and not limits.pattern.fullmatch(text):
        hint = f"; nearest: {slugified(text)!r}" if column.name == "slug" and slugified(text) else ""
        yield f"{column.name!r} is {shown(text)}, which does not match {limits.pattern.pattern}{hint}"
    if limits.max_length is not None and len(text) > limits.max_length:
        yield f"{column.name!r} has {len(text)} characters; at most {limits.max_length}"
    if len(text) < limits.min_length:
        yield f"{column.name!r} has {len(text)} characters; at least {limits.min_length}"
