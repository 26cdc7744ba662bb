"""Typed rows of the content tables, and their conversion from checked tables.

`indexer.graph` creates nodes and edges from them. Ids are always full (`type:key`) here, whatever shorthand a table
allows.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, NamedTuple, TypeVar

from indexer.content.csv_table import Table
from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.guidance_rows import Guidance, parse_guidance
from indexer.content.guides import Guides, parse_guides
from indexer.content.table_specs import ALIAS_TABLES, ENTITY_COLUMNS, LINK_TABLES, TABLE_SPECS, key_column
from indexer.content.wordings import Wording

Row = TypeVar("Row")
NO_FACTS: Mapping[str, str] = {}
EDITORS = ("editorial",)  # the sources of what only this project's editors state


@dataclass(frozen=True, slots=True)
class Source:
    """The publication facts come from, with its licence. `retrieved` is an ISO date or empty.

    Every response names the `core` sources. `licence_url` is empty if no licence is stated, and in sources that were
    imported before it existed.
    """

    id: str
    title: str
    publisher: str
    url: str
    licence: str
    attribution: str
    retrieved: str
    licence_url: str = ""
    core: bool = False


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


class SchoolRecommendation(NamedTuple):
    """A source or the editors list `solution` at school for `entity`, a condition or limitation.

    `page` is the address where a source states it, empty if the editors do.
    """

    entity: str
    solution: str
    basis: str
    page: str
    sources: tuple[str, ...]


class Grouping(NamedTuple):
    """A category of a scheme, such as one of IDEA's thirteen, that covers several conditions."""

    slug: str
    scheme: str
    name: str
    aliases: tuple[str, ...]
    short: str
    sources: tuple[str, ...] = ()  # none in exports before version 32


class GroupingMember(NamedTuple):
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


class Finding(NamedTuple):
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


class MainNeed(NamedTuple):
    """Editorial judgment: `need` is what the condition is best known for bringing."""

    disability: str
    need: str
    sources: tuple[str, ...] = ()


class FirstChoice(NamedTuple):
    """Editorial judgment: of the solutions listed under `need`, try this first (1) or next (0.5).

    With `settings`, in these only; in them, the choices for a condition without settings do not count.
    """

    need: str
    solution: str
    strength: float
    sources: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


class MadeFor(NamedTuple):
    """Editorial judgment: the solution serves one kind of job or body only.

    `audience` is the id of a condition, limitation or function, or `occupation:` and the beginning of codes.
    """

    solution: str
    audience: str


# What somebody does, feels or notices, and what somebody asks for: found by their content words in any order and form.
SIGN_KINDS = frozenset(("sign", "request"))


class BodyPart(NamedTuple):
    """Words for a part of the body, an event, a sign or a request, and what they usually mean, most fitting first.

    `kind` is part, event, or one of SIGN_KINDS; `entities` are full ids of conditions, needs and solutions.
    """

    words: tuple[str, ...]
    kind: str
    entities: tuple[str, ...]
    basis: str
    sources: tuple[str, ...]


class CoOccurrence(NamedTuple):
    """A publication states that two conditions often occur together.

    `as_of` is the date of the publication (an ISO date, month or year), `read` the date it was read; each may be
    `unknown`.
    """

    condition: str
    other: str
    source_title: str
    source_url: str
    as_of: str
    read: str


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
    groupings: tuple[Grouping, ...] = ()
    members: tuple[GroupingMember, ...] = ()
    findings: tuple[Finding, ...] = ()
    main_needs: tuple[MainNeed, ...] = ()
    first_choices: tuple[FirstChoice, ...] = ()
    made_for: tuple[MadeFor, ...] = ()
    body_parts: tuple[BodyPart, ...] = ()
    wordings: tuple[Wording, ...] = ()
    co_occurrences: tuple[CoOccurrence, ...] = ()
    guidance: Guidance = field(default_factory=Guidance)
    guides: Guides = field(default_factory=Guides)


@dataclass(frozen=True, slots=True)
class MergedContent:
    """Content with imports, and notes for the editors on what the merge changed."""

    content: Content
    notes: tuple[str, ...]


def parse_content(tables: Mapping[str, Table], version: str) -> Content:
    """Return the rows of tables that passed every check."""
    rows, redirects = partial(_rows, tables), tables.get("redirects")
    columns = ("slug", "scheme", "name", "aliases", "short", "sources")
    groupings = {row.slug: row for row in rows("groupings", Grouping, *columns)}

    def member(slug: str, *cells: Any) -> GroupingMember:  # noqa: ANN401 - values of the other columns
        return GroupingMember(groupings[slug], *cells)

    return Content(
        sources=rows("sources", Source, *(column.name for column in fields(Source))),
        entities=tuple(_entities(tables)),
        aliases=tuple(
            alias if alias.kind else alias._replace(kind="title")
            for stem, columns in ALIAS_TABLES.items()
            for alias in rows(stem, Alias, columns.entity, columns.text, "kind", "sources")
        ),
        links=tuple(_links(tables)),
        recommendations=rows("recommendations", Recommendation, "disability", "via", "solution", "group", "sources"),
        ratings=rows("occupation_abilities", Rating, "occupation", "ability", "importance", "level", "sources"),
        related_occupations=rows(
            "related_occupations", RelatedOccupation, "occupation", "related", "tier", "rank", "sources"
        ),
        redirects=dict(zip(redirects.column("old"), redirects.column("new"), strict=True)) if redirects else {},
        version=version,
        school=rows("school_recommendations", SchoolRecommendation, "entity", "solution", "basis", "page", "sources"),
        groupings=tuple(groupings.values()),
        members=rows("grouping_members", member, "grouping", "entity", "basis", "note", "sources"),
        findings=rows("market", Finding, *TABLE_SPECS["market"].required),
        main_needs=rows("main_needs", MainNeed, "disability", "need", "sources"),
        first_choices=rows("first_choices", FirstChoice, "need", "solution", "strength", "sources", "settings"),
        made_for=rows("made_for", MadeFor, "solution", "made_for"),
        body_parts=rows("body_parts", BodyPart, *TABLE_SPECS["body_parts"].required),
        wordings=rows("wordings", Wording, *TABLE_SPECS["wordings"].required),
        co_occurrences=rows("co_occurring_conditions", CoOccurrence, *TABLE_SPECS["co_occurring_conditions"].required),
        guidance=parse_guidance(rows),
        guides=parse_guides(rows),
    )


def _rows(tables: Mapping[str, Table], stem: str, row: Callable[..., Row], *columns: str) -> tuple[Row, ...]:
    """Return a row for each of the table, which has these columns; none if there is no such table."""
    if stem not in tables:
        return ()
    full_ids = partial(TABLE_SPECS[stem].full_ids, tables[stem])
    return tuple(map(row, *(map(CONVERTERS.get(column, str), full_ids(column)) for column in columns)))


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


def _links(tables: Mapping[str, Table]) -> Iterator[Link]:
    """Yield the edges; one whose table states no basis is editorial if it has no source but the editors."""
    for stem, ends in LINK_TABLES.items():
        row = partial(Link, ends.edge)
        for link in _rows(tables, stem, row, ends.source, ends.target, "basis", "sources", "strength", "reason"):
            basis = link.basis or ("editorial" if link.sources == EDITORS else "source")
            yield link._replace(basis=basis)


def _split(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(SEPARATOR)) if cell else ()


CONVERTERS: Mapping[str, Callable[[str], object]] = {
    "sources": _split,
    "settings": _split,
    "aliases": _split,
    "words": _split,
    "entities": _split,
    "opposites": _split,
    "serves": _split,
    "worsens": _split,
    "occupations": _split,
    "concerns": _split,
    "core": lambda cell: cell == "true",
    "importance": float,
    "level": float,
    "rank": int,
    "strength": lambda cell: float(cell) if cell else None,
}
