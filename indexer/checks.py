"""Everything that can be wrong with the files of a content folder, given as bytes. Pure.

`examine` asks the data package, each table, each cell, and then what must hold between rows and between tables:
keys, references, aliases, hierarchies, redirects.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from indexer.cells import cell_problems, repeats
from indexer.directory import Directory
from indexer.market.rules import RULES
from indexer.problems import Nearest, Problem, shown
from indexer.schema import read_package
from indexer.shapes import LINKS, NAMES, SHAPES, TYPES
from indexer.tables import read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from indexer.schema import Package, Resource
    from indexer.tables import Table
    from indexer.vocabulary import Vocabulary

PACKAGE = "datapackage.json"
LOOKED_UP = ("sources", "grouping")  # columns whose references the program checks whatever the data package says


@dataclass(frozen=True, slots=True)
class Examined:
    """What could be read of the files. Without problems every row is sound and every reference leads somewhere."""

    package: Package | None
    tables: Mapping[str, Table]
    problems: Sequence[Problem]


def examine(folder: str, files: Mapping[str, bytes], vocabulary: Vocabulary) -> Examined:
    """Check files, given by name; `folder` is the name that problems put before theirs."""
    package, problems = described(folder, files)
    if package is None:
        return Examined(None, {}, problems)
    problems += _not_described(f"{folder}/{PACKAGE}", package)
    tables: dict[str, Table] = {}
    for resource in package.resources:
        file = f"{folder}/{resource.path}"
        if resource.path in files:
            columns = [column.name for column in resource.table.columns]
            tables[resource.stem], found = read_table(file, files[resource.path], columns)
            problems += found
        else:
            problems.append(Problem(file, 1, f"missing table; {PACKAGE} describes it"))
    paths = [resource.path for resource in package.resources]
    for name in files.keys() - {PACKAGE, *paths}:
        hint = Nearest(paths).hint(name)
        problems.append(Problem(f"{folder}/{name}", 1, f"unknown table; {PACKAGE} does not describe it{hint}"))
    problems += in_tables(package, tables, vocabulary)
    return Examined(package, tables, problems)


def described(folder: str, files: Mapping[str, bytes]) -> tuple[Package | None, list[Problem]]:
    """What the data package says, or why it says nothing."""
    file = f"{folder}/{PACKAGE}"
    if PACKAGE not in files:
        return None, [Problem(file, 1, "missing; it says which tables and columns there are")]
    return read_package(file, files[PACKAGE])


def _not_described(file: str, package: Package) -> Iterator[Problem]:
    fields = {resource.stem: {column.name for column in resource.table.columns} for resource in package.resources}
    for stem, shape in SHAPES.items():
        if stem not in fields:
            if not shape.optional:
                yield Problem(file, 1, f"table {stem}.csv is not described, and the program needs it")
            continue
        for name in shape.needs:
            if name not in fields[stem]:
                yield Problem(file, 1, f"{stem}.csv: field {name!r} is not described, and the program needs it")


def in_tables(package: Package, tables: Mapping[str, Table], vocabulary: Vocabulary) -> Iterator[Problem]:
    """Every fault of cells, keys, references and hierarchies, whatever files the tables were read from."""
    directory = Directory(tables)
    for resource in package.resources:
        if table := tables.get(resource.stem):
            yield from cell_problems(table, resource.table.columns, SHAPES.get(resource.stem))
            yield from _repeated_keys(table, resource)
            yield from _references(table, resource, directory)
            yield from _foreign_keys(table, resource, package, tables)
            yield from _self_references(table, resource)
    yield from _twins(tables)
    yield from _aliases(tables, directory)
    if members := tables.get("grouping_members"):
        yield from _groupings(members, tables.get("groupings"))
    if broader := tables.get("broader"):
        yield from _mixed_pairs(broader, vocabulary)
    yield from _cycles(tables)
    yield from _orphans(tables)
    if redirects := tables.get("redirects"):
        yield from _redirects(redirects, directory)
    if market := tables.get("market"):
        yield from _findings(market)


def _repeated_keys(table: Table, resource: Resource) -> Iterator[Problem]:
    shape = SHAPES.get(resource.stem)
    key = resource.table.primary_key or (shape.key if shape else ())
    unique = {column.name for column in resource.table.columns if column.constraints.unique} | {"slug"}
    told_already = resource.stem in NAMES or (len(key) == 1 and key[0] in unique)
    if key and not told_already:
        yield from repeats(table, key)


def _each(table: Table, column: str, faults: Callable[[str], Iterable[str]]) -> Iterator[Problem]:
    """Ask once per distinct value of a column, tell once per row."""
    cells = table.columns.get(column, ())
    wrong = {value: found for value in set(cells) if value.strip() and (found := list(faults(value.strip())))}
    for line, value in zip(table.lines, cells, strict=False) if wrong else ():
        yield from (Problem(table.file, line, what) for what in wrong.get(value, ()))


def _references(table: Table, resource: Resource, directory: Directory) -> Iterator[Problem]:
    if shape := SHAPES.get(resource.stem):
        for column, types in shape.refers.items():
            yield from _each(table, column, partial(directory.faults, column, types))
        if "sources" in shape.needs:
            yield from _each(table, "sources", directory.unknown_sources)


def _foreign_keys(table: Table, resource: Resource, package: Package, tables: Mapping[str, Table]) -> Iterator[Problem]:
    """References that only the data package states; those the program knows have been looked up."""
    shape = SHAPES.get(resource.stem)
    stems = {other.name: other.stem for other in package.resources}
    for foreign in resource.table.foreign_keys:
        (column,), (target,) = foreign.fields_, foreign.reference.fields_
        other = tables.get(stems.get(foreign.reference.resource, resource.stem))
        valid = other.names(target) if other else None
        if valid is not None and not (shape and column in (*shape.refers, *LOOKED_UP)):
            yield from _each(table, column, partial(_unknown, column, valid, Nearest(valid)))


def _unknown(column: str, valid: Container[str], nearest: Nearest, value: str) -> list[str]:
    return [] if value in valid else [f"unknown {column} {shown(value)}{nearest.hint(value)}"]


def _groupings(members: Table, groupings: Table | None) -> Iterator[Problem]:
    valid = groupings.names("slug") if groupings else set()
    if valid is not None:
        yield from _each(members, "grouping", partial(_unknown, "grouping", valid, Nearest(valid)))


def _self_references(table: Table, resource: Resource) -> Iterator[Problem]:
    shape = SHAPES.get(resource.stem)
    columns = tuple(shape.refers) if shape else ()
    if not shape or len(columns) != 2 or shape.refers[columns[0]] != shape.refers[columns[1]]:  # noqa: PLR2004
        return
    for line, one, other in zip(table.lines, table.column(columns[0]), table.column(columns[1]), strict=True):
        if one and one == other:
            yield Problem(table.file, line, f"{shown(one)} refers to itself")


def _twins(tables: Mapping[str, Table]) -> Iterator[Problem]:
    """Entities of one type that share a slug or a name though they stand in different tables."""
    first: dict[tuple[str, str, str], Table] = {}
    for stem, shape in SHAPES.items():
        table = tables.get(stem)
        if table is None or not shape.kind:
            continue
        for column in ("slug", "name"):
            for line, value in zip(table.lines, table.column(column), strict=True):
                folded = _folded(value)
                known = first.setdefault((shape.type, column, folded), table)
                if known is not table and folded:
                    where = f"{known.file}:{known.lines[[*map(_folded, known.column(column))].index(folded)]}"
                    yield Problem(table.file, line, f"duplicate {column}: {shown(value)}; first in {where}")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _aliases(tables: Mapping[str, Table], directory: Directory) -> Iterator[Problem]:
    """Other names that are no other names: the entity's own, or one it has already."""
    first: dict[tuple[str, str], tuple[str, int]] = {}
    for file, line, entity, text in _other_names(tables):
        folded = _folded(text)
        if folded == _folded(directory.names.get(entity, "")):
            yield Problem(file, line, f"alias {shown(text)} is the name of {shown(entity)} itself")
        known_file, known_line = first.setdefault((entity, folded), (file, line))
        if (known_file, known_line) != (file, line):
            where = f"line {known_line}" if known_file == file else f"{known_file}:{known_line}"
            yield Problem(file, line, f"duplicate alias {shown(text)} of {shown(entity)}; first on {where}")


def _other_names(tables: Mapping[str, Table]) -> Iterator[tuple[str, int, str, str]]:
    for stem, (column, text_column) in NAMES.items():
        types = SHAPES[stem].refers[column]
        prefix = f"{types[0]}:" if len(types) == 1 else ""
        if table := tables.get(stem):
            rows = zip(table.lines, table.column(column), table.column(text_column), strict=True)
            yield from ((table.file, line, prefix + key, text) for line, key, text in rows if key and text.strip())


def _mixed_pairs(table: Table, vocabulary: Vocabulary) -> Iterator[Problem]:
    stated = SHAPES["broader"].refers["entity"]  # between occupations it follows from their codes
    pairs = [pair for pair in vocabulary.edges["broader"].pairs if pair[0] in stated]
    takes = " or ".join(f"{narrow} to {broad}" for narrow, broad in pairs)
    ends = {end for pair in pairs for end in pair}
    for line, entity, broader in zip(table.lines, table.column("entity"), table.column("broader"), strict=True):
        pair = (entity.partition(":")[0], broader.partition(":")[0])
        if pair not in pairs and ends.issuperset(pair):
            yield Problem(table.file, line, f"broader joins {takes}, not {pair[0]} to {pair[1]}")


def _cycles(tables: Mapping[str, Table]) -> Iterator[Problem]:
    """Name each cycle at its last row, the one that most likely closed it."""
    lines = dict(_steps(tables))
    while True:
        above: defaultdict[str, list[str]] = defaultdict(list)
        for entity, broader in lines:
            above[entity].append(broader)
        try:
            TopologicalSorter(above).prepare()
        except CycleError as error:
            ring = error.args[1][:0:-1]
        else:
            return
        steps = list(zip(ring, [*ring[1:], ring[0]], strict=True))
        last = max(steps, key=lambda step: lines[step])
        turn = steps.index(last)
        path = [*ring[turn:], *ring[: turn + 1]]
        file, line = lines.pop(last)
        yield Problem(file, line, f"cycle in broader: {' → '.join(path)}")


def _orphans(tables: Mapping[str, Table]) -> Iterator[Problem]:
    """Narrower conditions from which no way up leads to a main one: they would have nothing to inherit."""
    mains, narrower = (tables.get(stem) for stem in ("disabilities", "narrower_conditions"))
    if mains is None or narrower is None or not mains.whole:
        return
    below: defaultdict[str, list[str]] = defaultdict(list)
    for entity, broader in dict(_steps(tables)):
        below[broader].append(entity)
    level = [f"disability:{slug}" for slug in mains.column("slug")]
    reached = set(level)
    while level:
        level = [one for above in level for one in below[above] if one not in reached]
        reached.update(level)
    for line, slug in zip(narrower.lines, narrower.column("slug"), strict=True):
        if slug and f"disability:{slug}" not in reached:
            yield Problem(narrower.file, line, f"{shown(slug)} leads to no main condition; see condition_broader.csv")


def _steps(tables: Mapping[str, Table]) -> Iterator[tuple[tuple[str, str], tuple[str, int]]]:
    """Every step up the hierarchy as full ids, with the file and line that states it."""
    for stem, (edge, narrow, broad) in LINKS.items():
        table = tables.get(stem)
        if table is None or edge != "broader":
            continue
        types = SHAPES[stem].refers[narrow]
        prefix = f"{types[0]}:" if len(types) == 1 else ""
        for line, entity, broader in zip(table.lines, table.column(narrow), table.column(broad), strict=True):
            if entity and broader and entity != broader:
                yield (prefix + entity, prefix + broader), (table.file, line)


def _redirects(table: Table, directory: Directory) -> Iterator[Problem]:
    rows = list(zip(table.lines, table.column("old"), table.column("new"), strict=True))
    heirs = {old: new for _, old, new in rows if old and new}
    for line, old, new in rows:
        if directory.holds(old):
            yield Problem(table.file, line, f"{shown(old)} still exists; only retired ids redirect")
        elif old and (what := directory.malformed("old", TYPES, old)):
            yield Problem(table.file, line, what)
        if old and old == new:
            yield Problem(table.file, line, f"{shown(old)} redirects to itself")
        elif new in heirs:
            yield Problem(table.file, line, _chain(old, heirs))
        elif new:
            yield from (Problem(table.file, line, what) for what in directory.faults("new", TYPES, new))


def _findings(table: Table) -> Iterator[Problem]:
    """A finding says what its rule means and nothing better."""
    for line, status, name in zip(table.lines, table.column("status"), table.column("rule"), strict=True):
        rule = RULES.get(name)
        if rule and status and rule.status not in ("", status):
            yield Problem(table.file, line, f"rule {name!r} means {rule.status}, not {shown(status)}")


def _chain(start: str, heirs: Mapping[str, str]) -> str:
    path = [start, heirs[start]]
    while path[-1] in heirs and path[-1] not in path[:-1]:
        path.append(heirs[path[-1]])
    told = " → ".join(path)
    if path[-1] in path[:-1]:
        return f"redirect loop: {told}"
    return f"redirect chain: {told}; write {path[-1]!r}"
