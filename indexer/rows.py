"""What a row of each content table is once it has been read: plain, typed, frozen.

`sources` makes these from files, `graph` makes nodes and edges from them. Ids are always full
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
    """Where facts come from, and on what terms. `retrieved` is an ISO date or empty."""

    id: str
    title: str
    publisher: str
    url: str
    licence: str
    attribution: str
    retrieved: str


class Entity(NamedTuple):
    """One node. `facts` holds the columns only its own type has, such as `job_zone` or `family`.

    `short` is one sentence of ours, `plain` two or three; `long` is a source's own text, which only imports bring.
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
    """Another name of one entity. `kind` is one of those in content/README.md; `hidden` and `near` are never shown."""

    entity: str
    text: str
    kind: str
    sources: tuple[str, ...]


class Link(NamedTuple):
    """A plain relation, such as product – vendor. `weight` is None where the table states no measure of its own."""

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
class SchoolRow:
    """Something says that `solution` helps at school: for a condition as a whole or for a limitation, `entity`.

    `page` is the address where a source states it, and empty where the editors do.
    """

    entity: str
    solution: str
    basis: str
    page: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grouping:
    """A category of some scheme, such as one of IDEA's thirteen, that covers several conditions."""

    slug: str
    scheme: str
    name: str
    aliases: tuple[str, ...]
    short: str


@dataclass(frozen=True, slots=True)
class Member:
    """`entity` belongs to a grouping; `note` says under which condition, where there is one."""

    grouping: Grouping
    entity: str
    basis: str
    note: str
    sources: tuple[str, ...]


class Rating(NamedTuple):
    """How much an occupation asks for an ability: O*NET importance (1–5) and level (0–7)."""

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
    """What a visit to `address` found out about a product or vendor, on the ISO date `checked` and by which rule.

    `evidence` is the address that answered in the end. `stale` says so in a sentence, where it was too long ago.
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
    """The editors' judgement: `need` is what the condition is best known for bringing."""

    disability: str
    need: str


@dataclass(frozen=True, slots=True)
class FirstChoice:
    """The editors' judgement: of what is listed under `need`, this is tried first (1) or next (0.5)."""

    need: str
    solution: str
    strength: float
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MadeFor:
    """The editors' judgement: the solution serves one kind of job or body only.

    `whom` is the id of a condition, limitation or function, or `occupation:` and the beginning of codes.
    """

    solution: str
    whom: str


@dataclass(frozen=True, slots=True)
class Content:
    """Everything the tables say, checked: every reference leads somewhere."""

    sources: tuple[Source, ...]
    entities: tuple[Entity, ...]
    aliases: tuple[Alias, ...]
    links: tuple[Link, ...]
    recommendations: tuple[Recommendation, ...]
    ratings: tuple[Rating, ...]
    related_occupations: tuple[RelatedOccupation, ...]
    redirects: Mapping[str, str]
    version: str
    school: tuple[SchoolRow, ...] = ()
    members: tuple[Member, ...] = ()
    findings: tuple[Finding, ...] = ()
    main_needs: tuple[MainNeed, ...] = ()
    first_choices: tuple[FirstChoice, ...] = ()
    made_for: tuple[MadeFor, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """Content with imports, and what joining them did that an editor should know, in sentences."""

    content: Content
    notes: tuple[str, ...]
