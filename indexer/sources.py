"""The tables in `content/` become typed rows. The only file of the indexer that reads content from disk.

`content/datapackage.json` says which tables and columns there are. Either every row is sound and `read` answers, or
`ContentError` carries every problem of every file at once, each with its line.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from indexer.checks import PACKAGE, described, examine
from indexer.problems import ContentError, Problem
from indexer.rows import (
    Alias,
    Content,
    Entity,
    Finding,
    FirstChoice,
    Grouping,
    Link,
    MadeFor,
    MainNeed,
    Member,
    Rating,
    Recommendation,
    RelatedOccupation,
    SchoolRow,
    Source,
)
from indexer.schema import SEPARATOR
from indexer.shapes import ENTITY_COLUMNS, LINKS, NAMES, SHAPES, key_column
from indexer.tables import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from indexer.schema import Package
    from indexer.tables import Table
    from indexer.vocabulary import Vocabulary

__all__ = [
    "PACKAGE",
    "ContentError",
    "Problem",
    "check",
    "describes",
    "fingerprint",
    "read",
    "row_counts",
    "stale_findings",
]

MARKET = "market.csv"
EDITORS = "editorial"  # the source that stands for this project's own editors
DIGITS = 12  # of the hash in a version; 48 bits tell any two states of the content apart


def read(content: Path, vocabulary: Vocabulary) -> Content:
    """All rows of the content folder; raise ContentError with every problem if there is any."""
    files, unreadable = _files(content)
    found = examine(_folder(content), files, vocabulary)
    if found.package is None or unreadable or found.problems:
        raise ContentError(sorted((*unreadable, *found.problems)))
    return content_of(found.tables, _version(found.package, files))


def content_of(tables: Mapping[str, Table], version: str) -> Content:
    """The rows of tables that were found sound."""
    return Content(
        sources=tuple(_sources(tables["sources"])),
        entities=tuple(_entities(tables)),
        aliases=tuple(_aliases(tables)),
        links=tuple(_links(tables)),
        recommendations=tuple(_recommendations(tables["recommendations"])),
        ratings=tuple(_ratings(tables["occupation_abilities"])),
        related_occupations=tuple(_related_occupations(tables["related_occupations"])),
        redirects=dict(_pairs(tables["redirects"], "old", "new")),
        version=version,
        school=tuple(_school(tables)),
        members=tuple(_members(tables)),
        findings=tuple(_findings(tables.get("market"))),
        main_needs=tuple(_main_needs(tables)),
        first_choices=tuple(_first_choices(tables)),
        made_for=tuple(_made_for(tables)),
    )


def check(content: Path, vocabulary: Vocabulary) -> list[Problem]:
    """Every problem of the content folder, by file and line; none when `read` would answer."""
    files, unreadable = _files(content)
    return sorted((*unreadable, *examine(_folder(content), files, vocabulary).problems))


def fingerprint(content: Path) -> str:
    """The version that `read` would give, without reading the rows: it changes when any table changes by a byte."""
    files, unreadable = _files(content)
    package, problems = described(_folder(content), files)
    if package is None or unreadable:
        raise ContentError(sorted((*unreadable, *problems)))
    return _version(package, files)


def stale_findings(content: Path, oldest: str) -> str:
    """A fingerprint of the findings that are older than an ISO date, without reading the rest; empty without any."""
    files, _ = _files(content)
    if MARKET not in files:
        return ""
    table, _ = read_table(MARKET, files[MARKET], ())
    old = [entity for entity, checked in _pairs(table, "entity", "checked") if checked < oldest]
    return hashlib.sha256("\n".join(old).encode()).hexdigest() if old else ""


def package_of(content: Path) -> Package:
    """What the data package of the folder says of its tables."""
    files, unreadable = _files(content)
    package, problems = described(_folder(content), files)
    if package is None:
        raise ContentError(sorted((*unreadable, *problems)))
    return package


def describes(content: Path, table: str) -> bool:
    """Whether the data package of the folder has a place for the table, given by its file name."""
    files, _ = _files(content)
    package, _ = described(_folder(content), files)
    return package is not None and any(resource.path == table for resource in package.resources)


def row_counts(content: Path) -> dict[str, int]:
    """How many rows each table of the folder has, by file name."""
    files, _ = _files(content)
    tables = {name: read_table(name, data, ())[0] for name, data in files.items() if name != PACKAGE}
    return {name: len(table.lines) for name, table in tables.items()}


def _files(content: Path) -> tuple[dict[str, bytes], list[Problem]]:
    """Bytes of the data package and of every table, by file name in sorted order."""
    files: dict[str, bytes] = {}
    problems = []
    for path in sorted(content.iterdir()) if content.is_dir() else ():
        if path.name == PACKAGE or (path.suffix.lower() == ".csv" and not path.name.startswith(".")):
            try:
                files[path.name] = path.read_bytes()
            except OSError as error:
                problems.append(Problem(f"{_folder(content)}/{path.name}", 1, f"cannot be read: {error.strerror}"))
    return files, problems


def _version(package: Package, files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in files.items():
        if name != PACKAGE:
            digest.update(f"{name}\n{len(data)}\n".encode())
            digest.update(data)
    return f"{package.version}+{digest.hexdigest()[:DIGITS]}"


def _folder(content: Path) -> str:
    return content.resolve().name


def _rows(table: Table, *columns: str) -> Iterator[tuple[str, ...]]:
    return zip(*(table.column(name) for name in columns), strict=True)


def _pairs(table: Table, key: str, value: str) -> Iterator[tuple[str, str]]:
    return zip(table.column(key), table.column(value), strict=True)


def _ids(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(SEPARATOR))


def _full(column: str, types: Sequence[str], table: Table) -> Sequence[str]:
    """The column as full ids: columns of one type hold bare keys."""
    cells = table.column(column)
    return [f"{types[0]}:{cell}" for cell in cells] if len(types) == 1 else cells


def _sources(table: Table) -> Iterator[Source]:
    columns = ("id", "title", "publisher", "url", "licence", "attribution", "retrieved")
    return (Source(*row) for row in _rows(table, *columns))


def _entities(tables: Mapping[str, Table]) -> Iterator[Entity]:
    for stem, shape in SHAPES.items():
        table = tables.get(stem)
        if not shape.type or table is None:
            continue
        key = key_column(shape.type)
        own = [name for name in table.columns if name not in (*ENTITY_COLUMNS, key)]
        facts = list(_rows(table, *own)) if own else [()] * len(table.lines)
        for row, values in zip(_rows(table, key, *ENTITY_COLUMNS), facts, strict=True):
            code, slug, name, short, plain, long, url, sources = row
            told = {"kind": shape.kind} if shape.kind else {}
            told |= {fact: value for fact, value in zip(own, values, strict=True) if value}
            yield Entity(f"{shape.type}:{code}", shape.type, slug, name, short, plain, url, _ids(sources), told, long)


def _aliases(tables: Mapping[str, Table]) -> Iterator[Alias]:
    for stem, (entity, text) in NAMES.items():
        if table := tables.get(stem):
            ids = _full(entity, SHAPES[stem].refers[entity], table)
            rows = _rows(table, text, "kind", "sources")
            for owner, (name, kind, sources) in zip(ids, rows, strict=True):
                yield Alias(owner, name, kind or "title", _ids(sources))


def _links(tables: Mapping[str, Table]) -> Iterator[Link]:
    for stem, (edge, source, target) in LINKS.items():
        if table := tables.get(stem):
            refers = SHAPES[stem].refers
            ends = zip(_full(source, refers[source], table), _full(target, refers[target], table), strict=True)
            rows = _rows(table, "basis", "sources", "strength", "reason")
            for (one, other), (basis, sources, strength, reason) in zip(ends, rows, strict=True):
                weight = float(strength) if strength else None
                yield Link(edge, one, other, basis or _basis(sources), _ids(sources), weight, reason)


def _basis(sources: str) -> str:
    """The basis of a relation whose table has no column for it."""
    return "editorial" if sources == EDITORS else "source"


def _main_needs(tables: Mapping[str, Table]) -> Iterator[MainNeed]:
    if table := tables.get("main_needs"):
        for disability, need in _rows(table, "disability", "need"):
            yield MainNeed(f"disability:{disability}", need)


def _first_choices(tables: Mapping[str, Table]) -> Iterator[FirstChoice]:
    if table := tables.get("first_choices"):
        for need, solution, strength, sources in _rows(table, "need", "solution", "strength", "sources"):
            yield FirstChoice(need, f"solution:{solution}", float(strength), tuple(sources.split(SEPARATOR)))


def _made_for(tables: Mapping[str, Table]) -> Iterator[MadeFor]:
    if table := tables.get("made_for"):
        for solution, whom in _rows(table, "solution", "made_for"):
            yield MadeFor(f"solution:{solution}", whom)


def _recommendations(table: Table) -> Iterator[Recommendation]:
    for disability, via, solution, group, sources in _rows(table, "disability", "via", "solution", "group", "sources"):
        yield Recommendation(f"disability:{disability}", via, f"solution:{solution}", group, _ids(sources))


def _school(tables: Mapping[str, Table]) -> Iterator[SchoolRow]:
    if table := tables.get("school_recommendations"):
        for entity, solution, basis, page, sources in _rows(table, "entity", "solution", "basis", "page", "sources"):
            yield SchoolRow(entity, f"solution:{solution}", basis, page, _ids(sources))


def _members(tables: Mapping[str, Table]) -> Iterator[Member]:
    groupings, table = tables.get("groupings"), tables.get("grouping_members")
    if groupings and table:
        columns = ("slug", "scheme", "name", "aliases", "short")
        by_slug = {
            slug: Grouping(slug, scheme, name, _ids(aliases) if aliases else (), short)
            for slug, scheme, name, aliases, short in _rows(groupings, *columns)
        }
        for slug, entity, basis, note, sources in _rows(table, "grouping", "entity", "basis", "note", "sources"):
            yield Member(by_slug[slug], entity, basis, note, _ids(sources))


def _ratings(table: Table) -> Iterator[Rating]:
    for code, ability, importance, level, sources in _rows(
        table, "occupation", "ability", "importance", "level", "sources"
    ):
        yield Rating(f"occupation:{code}", f"ability:{ability}", float(importance), float(level), _ids(sources))


def _findings(table: Table | None) -> Iterator[Finding]:
    if table:
        columns = ("entity", "status", "checked", "rule", "address", "evidence")
        yield from (Finding(*row) for row in _rows(table, *columns))


def _related_occupations(table: Table) -> Iterator[RelatedOccupation]:
    for code, related, tier, rank, sources in _rows(table, "occupation", "related", "tier", "rank", "sources"):
        yield RelatedOccupation(f"occupation:{code}", f"occupation:{related}", tier, int(rank), _ids(sources))
