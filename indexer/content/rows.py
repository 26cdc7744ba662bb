"""Typed rows of the content tables, and their conversion from checked tables. Pure.

`indexer.graph` creates nodes and edges from them. Ids are always full (`type:key`) here, whatever shorthand a table
allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.table_specs import ALIAS_TABLES, ENTITY_COLUMNS, LINK_TABLES, TABLE_SPECS, key_column

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.content.csv_table import Table


NO_FACTS: Mapping[str, str] = {}
EDITORS = "editorial"  # the source id of this project's editors


@dataclass(frozen=True, slots=True)
class Source:
    """The publication facts come from, with its licence. `retrieved` is an ISO date or empty."""

    id: str
    title: str
    publisher: str
    url: str
    licence: str
    attribution: str
    retrieved: str


class Entity(NamedTuple):
    """One node. `facts` holds the columns specific to its type, such as `job_zone` or `family`.

    `short` is one sentence by the editors, `plain` two or three; `long` is a source's text, which only imports bring.
    """

    id: str
    type: str
    slug: str
    name: str
    short: str
    plain: str
    url: str
    sources: tuple[str, ...]
    facts: Mapping[str, str] = NO_FACTS
    long: str = ""


class Alias(NamedTuple):
    """An alias of an entity. content/README.md lists the kinds; `hidden` and `near` aliases are never shown."""

    entity: str
    text: str
    kind: str
    sources: tuple[str, ...]


class Link(NamedTuple):
    """An edge such as product – vendor. `weight` is None if the table states none."""

    edge: str
    source: str
    target: str
    basis: str
    sources: tuple[str, ...]
    weight: float | None = None
    reason: str = ""


class Recommendation(NamedTuple):
    """A source lists `solution` for `disability` under the heading `via`, a limitation or a function."""

    disability: str
    via: str
    solution: str
    group: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SchoolRecommendation:
    """A source or the editors list `solution` at school for `entity`, a condition or limitation.

    `page` is the address where a source states it, empty if the editors do.
    """

    entity: str
    solution: str
    basis: str
    page: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grouping:
    """A category of a scheme, such as one of IDEA's thirteen, that covers several conditions."""

    slug: str
    scheme: str
    name: str
    aliases: tuple[str, ...]
    short: str


@dataclass(frozen=True, slots=True)
class GroupingMember:
    """`entity` belongs to a grouping; `note` states a condition for it, if there is one."""

    grouping: Grouping
    entity: str
    basis: str
    note: str
    sources: tuple[str, ...]


class Rating(NamedTuple):
    """How much an occupation requires an ability: O*NET importance (1–5) and level (0–7)."""

    occupation: str
    ability: str
    importance: float
    level: float
    sources: tuple[str, ...]


class RelatedOccupation(NamedTuple):
    """O*NET's related occupations: `tier` is primary-short, primary-long or supplemental; `rank` counts from 1."""

    occupation: str
    related: str
    tier: str
    rank: int
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a visit to the `address` of a product or vendor on the ISO date `checked`.

    `evidence` is the address after redirects. `stale` is a sentence if the visit was too long ago, else empty.
    """

    entity: str
    status: str
    checked: str
    rule: str
    address: str
    evidence: str
    stale: str = ""


@dataclass(frozen=True, slots=True)
class MainNeed:
    """Editorial judgement: `need` is what the condition is best known for bringing."""

    disability: str
    need: str


@dataclass(frozen=True, slots=True)
class FirstChoice:
    """Editorial judgement: of the solutions listed under `need`, try this first (1) or next (0.5)."""

    need: str
    solution: str
    strength: float
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MadeFor:
    """Editorial judgement: the solution serves one kind of job or body only.

    `audience` is the id of a condition, limitation or function, or `occupation:` and the beginning of codes.
    """

    solution: str
    audience: str


@dataclass(frozen=True, slots=True)
class Content:
    """All rows of all tables, checked: every reference exists."""

    sources: tuple[Source, ...]
    entities: tuple[Entity, ...]
    aliases: tuple[Alias, ...]
    links: tuple[Link, ...]
    recommendations: tuple[Recommendation, ...]
    ratings: tuple[Rating, ...]
    related_occupations: tuple[RelatedOccupation, ...]
    redirects: Mapping[str, str]
    version: str
    school: tuple[SchoolRecommendation, ...] = ()
    members: tuple[GroupingMember, ...] = ()
    findings: tuple[Finding, ...] = ()
    main_needs: tuple[MainNeed, ...] = ()
    first_choices: tuple[FirstChoice, ...] = ()
    made_for: tuple[MadeFor, ...] = ()


@dataclass(frozen=True, slots=True)
class MergedContent:
    """Content with imports, and notes for the editors on what the merge changed."""

    content: Content
    notes: tuple[str, ...]


def parse_content(tables: Mapping[str, Table], version: str) -> Content:
    """Return the rows of tables that passed every check."""
    return Content(
        sources=tuple(_sources(tables["sources"])),
        entities=tuple(_entities(tables)),
        aliases=tuple(_aliases(tables)),
        links=tuple(_links(tables)),
        recommendations=tuple(_recommendations(tables["recommendations"])),
        ratings=tuple(_ratings(tables["occupation_abilities"])),
        related_occupations=tuple(_related_occupations(tables["related_occupations"])),
        redirects=dict(zip(tables["redirects"].column("old"), tables["redirects"].column("new"), strict=True)),
        version=version,
        school=tuple(_school_recommendations(tables)),
        members=tuple(_grouping_members(tables)),
        findings=tuple(_findings(tables.get("market"))),
        main_needs=tuple(_main_needs(tables)),
        first_choices=tuple(_first_choices(tables)),
        made_for=tuple(_made_for(tables)),
    )


def _split(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(SEPARATOR))


def _sources(table: Table) -> Iterator[Source]:
    columns = ("id", "title", "publisher", "url", "licence", "attribution", "retrieved")
    return (Source(*row) for row in table.rows(*columns))


def _entities(tables: Mapping[str, Table]) -> Iterator[Entity]:
    for stem, spec in TABLE_SPECS.items():
        table = tables.get(stem)
        if not spec.type or table is None:
            continue
        key_name = key_column(spec.type)
        fact_names = [name for name in table.columns if name not in (*ENTITY_COLUMNS, key_name)]
        kind = {"kind": spec.kind} if spec.kind else {}
        for key, *cells in table.rows(key_name, *ENTITY_COLUMNS, *fact_names):
            slug, name, short, plain, long, url, sources, *values = cells
            facts = kind | {fact: value for fact, value in zip(fact_names, values, strict=True) if value}
            yield Entity(f"{spec.type}:{key}", spec.type, slug, name, short, plain, url, _split(sources), facts, long)


def _aliases(tables: Mapping[str, Table]) -> Iterator[Alias]:
    for stem, columns in ALIAS_TABLES.items():
        if table := tables.get(stem):
            entities = TABLE_SPECS[stem].full_ids(table, columns.entity)
            rows = table.rows(columns.text, "kind", "sources")
            for entity, (text, kind, sources) in zip(entities, rows, strict=True):
                yield Alias(entity, text, kind or "title", _split(sources))


def _links(tables: Mapping[str, Table]) -> Iterator[Link]:
    for stem, link in LINK_TABLES.items():
        if table := tables.get(stem):
            source_ids, target_ids = (TABLE_SPECS[stem].full_ids(table, end) for end in (link.source, link.target))
            rows = table.rows("basis", "sources", "strength", "reason")
            for source, target, (basis, sources, strength, reason) in zip(source_ids, target_ids, rows, strict=True):
                weight = float(strength) if strength else None
                yield Link(link.edge, source, target, basis or _basis(sources), _split(sources), weight, reason)


def _basis(sources: str) -> str:
    """Return the basis of a relation whose table has no such column."""
    return "editorial" if sources == EDITORS else "source"


def _main_needs(tables: Mapping[str, Table]) -> Iterator[MainNeed]:
    if table := tables.get("main_needs"):
        for disability, need in table.rows("disability", "need"):
            yield MainNeed(f"disability:{disability}", need)


def _first_choices(tables: Mapping[str, Table]) -> Iterator[FirstChoice]:
    if table := tables.get("first_choices"):
        for need, solution, strength, sources in table.rows("need", "solution", "strength", "sources"):
            yield FirstChoice(need, f"solution:{solution}", float(strength), _split(sources))


def _made_for(tables: Mapping[str, Table]) -> Iterator[MadeFor]:
    if table := tables.get("made_for"):
        for solution, audience in table.rows("solution", "made_for"):
            yield MadeFor(f"solution:{solution}", audience)


def _recommendations(table: Table) -> Iterator[Recommendation]:
    for disability, via, solution, group, sources in table.rows("disability", "via", "solution", "group", "sources"):
        yield Recommendation(f"disability:{disability}", via, f"solution:{solution}", group, _split(sources))


def _school_recommendations(tables: Mapping[str, Table]) -> Iterator[SchoolRecommendation]:
    if table := tables.get("school_recommendations"):
        for entity, solution, basis, page, sources in table.rows("entity", "solution", "basis", "page", "sources"):
            yield SchoolRecommendation(entity, f"solution:{solution}", basis, page, _split(sources))


def _grouping_members(tables: Mapping[str, Table]) -> Iterator[GroupingMember]:
    groupings, table = tables.get("groupings"), tables.get("grouping_members")
    if groupings and table:
        by_slug = {
            slug: Grouping(slug, scheme, name, _split(aliases) if aliases else (), short)
            for slug, scheme, name, aliases, short in groupings.rows("slug", "scheme", "name", "aliases", "short")
        }
        for slug, entity, basis, note, sources in table.rows("grouping", "entity", "basis", "note", "sources"):
            yield GroupingMember(by_slug[slug], entity, basis, note, _split(sources))


def _ratings(table: Table) -> Iterator[Rating]:
    columns = ("occupation", "ability", "importance", "level", "sources")
    for code, ability, importance, level, sources in table.rows(*columns):
        yield Rating(f"occupation:{code}", f"ability:{ability}", float(importance), float(level), _split(sources))


def _findings(table: Table | None) -> Iterator[Finding]:
    if table:
        columns = ("entity", "status", "checked", "rule", "address", "evidence")
        yield from (Finding(*row) for row in table.rows(*columns))


def _related_occupations(table: Table) -> Iterator[RelatedOccupation]:
    for code, related, tier, rank, sources in table.rows("occupation", "related", "tier", "rank", "sources"):
        yield RelatedOccupation(f"occupation:{code}", f"occupation:{related}", tier, int(rank), _split(sources))
