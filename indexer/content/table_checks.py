"""Checks the files of a content folder, passed as bytes. Pure.

`check_files` checks the data package, each table, each cell, keys and references, and calls `consistency_checks`
for what must hold between rows and between tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from indexer.content.cell_checks import cell_problems, duplicate_keys, value_problems
from indexer.content.consistency_checks import consistency_problems
from indexer.content.csv_table import read_table
from indexer.content.datapackage_schema import parse_package
from indexer.content.problems import NearestMatch, Problem, quote
from indexer.content.reference_index import ReferenceIndex
from indexer.content.table_specs import ALIAS_TABLES, TABLE_SPECS

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from indexer.content.csv_table import Table
    from indexer.content.datapackage_schema import Package, Resource
    from schema.vocabulary import Vocabulary

PACKAGE = "datapackage.json"
CHECKED_REFERENCES = ("sources", "grouping")  # checked whatever foreign keys the data package states


@dataclass(frozen=True, slots=True)
class CheckedFiles:
    """The tables that could be parsed. Without problems every row is valid and every reference exists."""

    package: Package | None
    tables: Mapping[str, Table]
    problems: Sequence[Problem]


def check_files(folder: str, files: Mapping[str, bytes], vocabulary: Vocabulary) -> CheckedFiles:
    """Check the files, by name; problems name each as `folder/name`."""
    package, problems = load_package(folder, files)
    if package is None:
        return CheckedFiles(None, {}, problems)
    problems += _missing_descriptions(f"{folder}/{PACKAGE}", package)
    tables: dict[str, Table] = {}
    for resource in package.resources:
        file = f"{folder}/{resource.path}"
        if resource.path in files:
            columns = [column.name for column in resource.table.columns]
            tables[resource.stem], parse_problems = read_table(file, files[resource.path], columns)
            problems += parse_problems
        else:
            problems.append(Problem(file, 1, f"missing table; {PACKAGE} describes it"))
    paths = [resource.path for resource in package.resources]
    for name in files.keys() - {PACKAGE, *paths}:
        hint = NearestMatch(paths).hint(name)
        problems.append(Problem(f"{folder}/{name}", 1, f"unknown table; {PACKAGE} does not describe it{hint}"))
    problems += check_tables(package, tables, vocabulary)
    return CheckedFiles(package, tables, problems)


def load_package(folder: str, files: Mapping[str, bytes]) -> tuple[Package | None, list[Problem]]:
    """Return the data package, or None and the reasons why it is invalid."""
    file = f"{folder}/{PACKAGE}"
    if PACKAGE not in files:
        return None, [Problem(file, 1, "missing file; it describes the tables and their columns")]
    return parse_package(file, files[PACKAGE])


def check_tables(package: Package, tables: Mapping[str, Table], vocabulary: Vocabulary) -> Iterator[Problem]:
    """Yield every problem of cells, keys, references and hierarchies, whatever files the tables were read from."""
    index = ReferenceIndex(tables)
    for resource in package.resources:
        if table := tables.get(resource.stem):
            yield from cell_problems(table, resource.table.columns, TABLE_SPECS.get(resource.stem))
            yield from _duplicate_keys(table, resource)
            yield from _references(table, resource, index)
            yield from _foreign_keys(table, resource, package, tables)
            yield from _self_references(table, resource)
    if members := tables.get("grouping_members"):
        yield from _groupings(members, tables.get("groupings"))
    yield from consistency_problems(tables, index, vocabulary)


def _missing_descriptions(file: str, package: Package) -> Iterator[Problem]:
    fields = {resource.stem: {column.name for column in resource.table.columns} for resource in package.resources}
    for stem, spec in TABLE_SPECS.items():
        if stem in fields:
            missing = [name for name in spec.required if name not in fields[stem]]
            yield from (Problem(file, 1, f"{stem}.csv: required field {name!r} is not described") for name in missing)
        elif not spec.optional:
            yield Problem(file, 1, f"required table {stem}.csv is not described")


def _duplicate_keys(table: Table, resource: Resource) -> Iterator[Problem]:
    spec = TABLE_SPECS.get(resource.stem)
    key = resource.table.primary_key or (spec.key if spec else ())
    unique = {column.name for column in resource.table.columns if column.constraints.unique} | {"slug"}
    is_reported = resource.stem in ALIAS_TABLES or (len(key) == 1 and key[0] in unique)
    if key and not is_reported:
        yield from duplicate_keys(table, key)


def _reference_problems(table: Table, column: str, errors: Callable[[str], Iterable[str]]) -> Iterator[Problem]:
    """Check the values of a column without surrounding whitespace, which is a problem of its own."""
    return value_problems(table, column, lambda value: errors(text) if (text := value.strip()) else ())


def _references(table: Table, resource: Resource, index: ReferenceIndex) -> Iterator[Problem]:
    if spec := TABLE_SPECS.get(resource.stem):
        for column, types in spec.references.items():
            yield from _reference_problems(table, column, partial(index.reference_errors, column, types))
        if "sources" in spec.required:
            yield from _reference_problems(table, "sources", index.source_errors)


def _foreign_keys(table: Table, resource: Resource, package: Package, tables: Mapping[str, Table]) -> Iterator[Problem]:
    """Check the references that only the data package states."""
    spec = TABLE_SPECS.get(resource.stem)
    stems = {resource.name: resource.stem for resource in package.resources}
    for foreign in resource.table.foreign_keys:
        (column,), (target,) = foreign.fields_, foreign.reference.fields_
        target_table = tables.get(stems.get(foreign.reference.resource, resource.stem))
        valid = target_table.values(target) if target_table else None
        if valid is not None and not (spec and column in (*spec.references, *CHECKED_REFERENCES)):
            yield from _reference_problems(table, column, partial(_unknown_value, column, valid, NearestMatch(valid)))


def _unknown_value(column: str, valid: Container[str], nearest: NearestMatch, value: str) -> list[str]:
    return [] if value in valid else [f"unknown {column} {quote(value)}{nearest.hint(value)}"]


def _groupings(members: Table, groupings: Table | None) -> Iterator[Problem]:
    valid = groupings.values("slug") if groupings else set()
    if valid is not None:
        errors = partial(_unknown_value, "grouping", valid, NearestMatch(valid))
        yield from _reference_problems(members, "grouping", errors)


def _self_references(table: Table, resource: Resource) -> Iterator[Problem]:
    spec = TABLE_SPECS.get(resource.stem)
    match tuple(spec.references.items()) if spec else ():
        case ((source, source_types), (target, target_types)) if source_types == target_types:
            for line, (source_key, target_key) in zip(table.lines, table.rows(source, target), strict=True):
                if source_key and source_key == target_key:
                    yield Problem(table.file, line, f"{quote(source_key)} refers to itself")
