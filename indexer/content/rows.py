"""Typed rows of the content tables.

`row_parser` creates them from tables, `indexer.graph` creates nodes and edges from them. Ids are always full
(`type:key`) here, whatever shorthand a table allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_FACTS: Mapping[str, str] = {}


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
