"""Checks one cell: whitespace, type, constraints, references.

Each distinct value of a column is checked once, not once per row: 46,488 ratings name one source.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple

from indexer.content.csv_table import Table
from indexer.content.datapackage_schema import SEPARATOR, Column
from indexer.content.problems import NearestMatch, Problem, quote, slugify
from indexer.content.rows import Entity
from indexer.content.table_specs import TABLE_SPECS, TableSpec, key_column, with_enforced_constraints
from schema.entity_kinds import ENTITY_TYPES, type_noun
from schema.text import with_article

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


class ReferenceIndex:
    """Checks references to entities of the tables and to further `entities`.

    A type whose table is incomplete has no keys to compare with and is not checked.
    """

    def __init__(self, tables: Mapping[str, Table], entities: Iterable[Entity] = ()) -> None:
        self.names: dict[str, str] = {}
        self._keys: dict[str, set[str]] = {}
        self._by_slug: dict[tuple[str, str], str] = {}
        self._incomplete_types: set[str] = set()
        for entity in entities:
            key = entity.id.partition(":")[2]
            self._keys.setdefault(entity.type, set()).add(key)
            self._by_slug[entity.type, entity.slug] = key
            self.names[entity.id] = entity.name
        for stem, spec in TABLE_SPECS.items():
            if spec.type and (table := tables.get(stem)):
                self._add(spec.type, table)
        for type_name in self._incomplete_types:
            self._keys.pop(type_name, None)
        self._nearest = {type_name: NearestMatch(keys) for type_name, keys in self._keys.items()}
        self._sources = tables["sources"].values("id") if "sources" in tables else None
        self._nearest_source = NearestMatch(self._sources or ())

    def _add(self, type_name: str, table: Table) -> None:
        column = key_column(type_name)
        keys = table.values(column)
        if keys is None:
            self._incomplete_types.add(type_name)
        else:
            self._keys.setdefault(type_name, set()).update(keys)
        for key, slug, name in table.rows(column, "slug", "name"):
            self.names[f"{type_name}:{key}"] = name
            self._by_slug[type_name, slug] = key

    def has_entity(self, entity: str) -> bool:
        """Return whether the full id is that of an entity."""
        type_name, _, key = entity.partition(":")
        return key in self._keys.get(type_name, ())

    def reference_errors(self, column: str, types: Sequence[str], value: str) -> list[str]:
        """Return what is wrong with a reference: a bare key in a column of one type, else `type:key`."""
        if len(types) == 1:
            error = self._unknown_key(types[0], value)
        else:
            type_name, _, key = value.partition(":")
            error = self.id_error(column, types, value) or self._unknown_key(type_name, key)
        return [error] if error else []

    def id_error(self, column: str, types: Sequence[str], value: str) -> str:
        """Return what is wrong with the form or type of a full id, without checking that the entity exists."""
        type_name, colon, key = value.partition(":")
        if not colon:
            full_id = next((f"{name}:{value}" for name in types if self.has_entity(f"{name}:{value}")), "")
            hint = f"; nearest: {full_id!r}" if full_id else ""
            return f"{column!r} is {quote(value)}, not of the form type:key{hint}"
        if type_name not in ENTITY_TYPES:
            return f"unknown type {quote(type_name)} in {quote(value)}{NearestMatch(types).hint(type_name)}"
        if type_name not in types:
            return f"{quote(value)} is {with_article(type_noun(type_name))}; {column!r} accepts {' or '.join(types)}"
        return "" if key else f"{column!r} is {quote(value)}; the key after the colon is missing"

    def _unknown_key(self, type_name: str, key: str) -> str:
        keys = self._keys.get(type_name)
        if keys is None or key in keys:
            return ""
        key_of_slug = self._by_slug.get((type_name, key))
        hint = f"; nearest: {key_of_slug!r}" if key_of_slug else self._nearest[type_name].hint(key)
        return f"unknown {type_noun(type_name)} {quote(key)}{hint}"

    def source_errors(self, cell: str) -> list[str]:
        """Return a message for each unknown source id in the cell."""
        if self._sources is None:
            return []
        ids = dict.fromkeys(item.strip() for item in cell.split(SEPARATOR))
        unknown = [item for item in ids if item and item not in self._sources]
        return [f"unknown source {quote(item)}{self._nearest_source.hint(item)}" for item in unknown]
