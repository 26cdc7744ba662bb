"""Checks the files of a content folder, passed as bytes.

They cover the data package, each table, each cell, keys and references, and what must hold between rows and between
tables: duplicates, aliases, hierarchies, redirects, findings, words for body parts, pairs of conditions,
guidance, names that people read.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from indexer.content.cell_checks import ReferenceIndex, cell_problems, duplicate_keys, value_problems
from indexer.content.csv_table import Table, read_table
from indexer.content.datapackage_schema import PACKAGE, Package, Resource, parse_package
from indexer.content.editorial_checks import items_of, pair_problems, word_problems
from indexer.content.guidance_checks import guidance_problems
from indexer.content.guides import guide_problems
from indexer.content.hierarchy_checks import Step, cycle_problems
from indexer.content.name_checks import name_problems
from indexer.content.problems import Location, NearestMatch, Problem, fold, quote
from indexer.content.table_specs import ALIAS_TABLES, LINK_TABLES, TABLE_SPECS, TableSpec
from schema.entity_kinds import ENTITY_TYPES
from schema.market_rules import MARKET_RULES
from schema.vocabulary import Vocabulary

MAX_REDIRECTS = 20  # of a chain that are listed
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
    yield from row_problems(package, tables, index, vocabulary)
    if members := tables.get("grouping_members"):
        yield from _groupings(members, tables.get("groupings"))
    yield from _duplicates_across_tables(tables)
    yield from cycle_problems(hierarchy_steps(tables))
    yield from _orphans(tables)
    if redirects := tables.get("redirects"):
        yield from _redirect_problems(redirects, index)
    if market := tables.get("market"):
        yield from _finding_problems(market)
    if body_parts := tables.get("body_parts"):
        yield from word_problems(body_parts, _aliases(tables), index)
    if pairs := tables.get("co_occurring_conditions"):
        yield from pair_problems(pairs, (step for step, _ in hierarchy_steps(tables)))
    yield from guidance_problems(tables, index)
    yield from guide_problems(tables)
    yield from name_problems(tables)


def row_problems(
    package: Package,
    tables: Mapping[str, Table],
    index: ReferenceIndex,
    vocabulary: Vocabulary,
    specs: Mapping[str, TableSpec] = TABLE_SPECS,
) -> Iterator[Problem]:
    """Yield the problems of cells, keys and references, and of aliases; `index` has the entities that exist."""
    for resource in package.resources:
        if table := tables.get(resource.stem):
            spec = specs.get(resource.stem)
            yield from cell_problems(table, resource.table.columns, spec)
            yield from _duplicate_keys(table, resource, spec)
            yield from _foreign_keys(table, resource, package, tables)
            if spec:
                yield from _references(table, spec, index)
                yield from _self_references(table, spec)
    yield from _alias_problems(tables, index)
    if broader := tables.get("broader"):
        yield from _mixed_pairs(broader, vocabulary)


def _missing_descriptions(file: str, package: Package) -> Iterator[Problem]:
    fields = {resource.stem: {column.name for column in resource.table.columns} for resource in package.resources}
    for stem, spec in TABLE_SPECS.items():
        if stem in fields:
            missing = [name for name in spec.required if name not in fields[stem]]
            yield from (Problem(file, 1, f"{stem}.csv: required field {name!r} is not described") for name in missing)
        elif not spec.optional:
            yield Problem(file, 1, f"required table {stem}.csv is not described")


def _duplicate_keys(table: Table, resource: Resource, spec: TableSpec | None) -> Iterator[Problem]:
    key = resource.table.primary_key or (spec.key if spec else ())
    unique = {column.name for column in resource.table.columns if column.constraints.unique} | {"slug"}
    is_reported = resource.stem in (*ALIAS_TABLES, "body_parts") or (len(key) == 1 and key[0] in unique)
    if key and not is_reported:
        yield from duplicate_keys(table, key)


def _reference_problems(table: Table, column: str, errors: Callable[[str], Iterable[str]]) -> Iterator[Problem]:
    """Check the values of a column without surrounding whitespace, which is a problem of its own."""
    return value_problems(table, column, lambda value: errors(text) if (text := value.strip()) else ())


def _references(table: Table, spec: TableSpec, index: ReferenceIndex) -> Iterator[Problem]:
    for column, types in spec.references.items():
        yield from _reference_problems(table, column, partial(index.reference_errors, column, types))
    for column, types in spec.list_references.items():
        errors = partial(index.reference_errors, column, types)
        yield from value_problems(table, column, partial(_errors_of_items, errors))
    if "sources" in spec.required:
        yield from _reference_problems(table, "sources", index.source_errors)


def _errors_of_items(errors: Callable[[str], Iterable[str]], cell: str) -> Iterator[str]:
    for item in items_of(cell):
        yield from errors(item)


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


def _self_references(table: Table, spec: TableSpec) -> Iterator[Problem]:
    match tuple(spec.references.items()):
        case ((source, source_types), (target, target_types)) if source_types == target_types:
            for line, (source_key, target_key) in zip(table.lines, table.rows(source, target), strict=True):
                if source_key and source_key == target_key:
                    yield Problem(table.file, line, f"{quote(source_key)} refers to itself")


def _duplicates_across_tables(tables: Mapping[str, Table]) -> Iterator[Problem]:
    """Report entities of one type that have the same slug or name in different tables."""
    first: dict[tuple[str, str, str], tuple[Table, int]] = {}
    for stem, spec in TABLE_SPECS.items():
        table = tables.get(stem)
        if table is None or not spec.kind:
            continue
        for column in ("slug", "name"):
            for line, value in zip(table.lines, table.column(column), strict=True):
                folded = fold(value)
                first_table, first_line = first.setdefault((spec.type, column, folded), (table, line))
                if first_table is not table and folded:
                    location = f"{first_table.file}:{first_line}"
                    yield Problem(table.file, line, f"duplicate {column}: {quote(value)}; first in {location}")


def _alias_problems(tables: Mapping[str, Table], index: ReferenceIndex) -> Iterator[Problem]:
    """Report aliases that repeat the name or another alias of their entity."""
    first: dict[tuple[str, str], Location] = {}
    for location, entity, text in _aliases(tables):
        folded = fold(text)
        if folded == fold(index.names.get(entity, "")):
            yield Problem(*location, f"alias {quote(text)} repeats the name of {quote(entity)}")
        known = first.setdefault((entity, folded), location)
        if known != location:
            where = f"line {known.line}" if known.file == location.file else f"{known.file}:{known.line}"
            yield Problem(*location, f"duplicate alias {quote(text)} of {quote(entity)}; first on {where}")


def _aliases(tables: Mapping[str, Table]) -> Iterator[tuple[Location, str, str]]:
    for stem, columns in ALIAS_TABLES.items():
        if table := tables.get(stem):
            entities = TABLE_SPECS[stem].full_ids(table, columns.entity)
            rows = zip(table.lines, entities, table.column(columns.text), strict=True)
            yield from ((Location(table.file, line), id_, text) for line, id_, text in rows if id_ and text.strip())


def _mixed_pairs(table: Table, vocabulary: Vocabulary) -> Iterator[Problem]:
    types = TABLE_SPECS["broader"].references["entity"]  # pairs of occupations are derived from their codes
    pairs = [pair for pair in vocabulary.edges["broader"].pairs if pair[0] in types]
    valid = " or ".join(f"{narrower} to {broader}" for narrower, broader in pairs)
    end_types = {end for pair in pairs for end in pair}
    for line, (entity, broader) in zip(table.lines, table.rows("entity", "broader"), strict=True):
        pair = (entity.partition(":")[0], broader.partition(":")[0])
        if pair not in pairs and end_types.issuperset(pair):
            yield Problem(table.file, line, f"broader connects {valid}, not {pair[0]} to {pair[1]}")


def _orphans(tables: Mapping[str, Table]) -> Iterator[Problem]:
    """Report narrower conditions below no main condition: they would inherit nothing."""
    mains, narrower = (tables.get(stem) for stem in ("disabilities", "narrower_conditions"))
    if mains is None or narrower is None or not mains.complete:
        return
    narrower_of: defaultdict[str, list[str]] = defaultdict(list)
    for entity, broader in dict(hierarchy_steps(tables)):
        narrower_of[broader].append(entity)
    level = [f"disability:{slug}" for slug in mains.column("slug")]
    reached = set(level)
    while level:
        level = [entity for broader in level for entity in narrower_of[broader] if entity not in reached]
        reached.update(level)
    for line, slug in zip(narrower.lines, narrower.column("slug"), strict=True):
        if slug and f"disability:{slug}" not in reached:
            message = f"{quote(slug)} is below no main condition; add a row to condition_broader.csv"
            yield Problem(narrower.file, line, message)


def hierarchy_steps(tables: Mapping[str, Table]) -> Iterator[tuple[Step, Location]]:
    """Yield every step up the hierarchy with the row that states it."""
    for stem, link in LINK_TABLES.items():
        table = tables.get(stem)
        if table is None or link.edge != "broader":
            continue
        entities, broader = (TABLE_SPECS[stem].full_ids(table, column) for column in (link.source, link.target))
        for line, *step in zip(table.lines, entities, broader, strict=True):
            if all(step) and step[0] != step[1]:
                yield (step[0], step[1]), Location(table.file, line)


def _redirect_problems(table: Table, index: ReferenceIndex) -> Iterator[Problem]:
    targets = {old: new for old, new in table.rows("old", "new") if old and new}
    for line, (old, new) in zip(table.lines, table.rows("old", "new"), strict=True):
        if index.has_entity(old):
            yield Problem(table.file, line, f"{quote(old)} still exists; only retired ids may redirect")
        elif old and (error := index.id_error("old", ENTITY_TYPES, old)):
            yield Problem(table.file, line, error)
        if old and old == new:
            yield Problem(table.file, line, f"{quote(old)} redirects to itself")
        elif old and new in targets:
            yield Problem(table.file, line, _redirect_chain(old, targets))
        elif new:
            errors = index.reference_errors("new", ENTITY_TYPES, new)
            yield from (Problem(table.file, line, error) for error in errors)


def _redirect_chain(start: str, targets: Mapping[str, str]) -> str:
    path = [start, targets[start]]
    while path[-1] in targets and path[-1] not in path[:-1] and len(path) <= MAX_REDIRECTS:
        path.append(targets[path[-1]])
    chain = " → ".join(path)
    if path[-1] in path[:-1]:
        return f"redirect loop: {chain}"
    if path[-1] in targets:
        return f"redirect chain: {chain} → …; redirect to the last entity"
    return f"redirect chain: {chain}; redirect to {path[-1]!r}"


def _finding_problems(table: Table) -> Iterator[Problem]:
    """Report findings whose status is not that of their rule."""
    for line, (status, name) in zip(table.lines, table.rows("status", "rule"), strict=True):
        rule = MARKET_RULES.get(name)
        if rule and status and rule.status not in ("", status):
            yield Problem(table.file, line, f"rule {name!r} requires status {rule.status!r}, not {quote(status)}")
