"""Models of records, neighbors, connections, and of the graph's size and changes."""

from typing import Literal

from pydantic import Field

from api.models.response import (
    Card,
    Caution,
    Count,
    Heading,
    LeftOut,
    Model,
    Page,
    Relation,
    RequestWarning,
    Response,
    SourceEntry,
    Weight,
    WeightedCard,
)
from schema.entity_kinds import Basis, EdgeName, TypeName


class EdgeFacts(Model):
    """Facts of an edge beside its name. Each is present only if the relation has it."""

    weight: Weight
    basis: Basis
    sources: list[str]
    via: list[str] | None = Field(
        default=None,
        description="Headings under which a source lists it, or narrower entities that list it.",
    )
    editorial_via: list[str] | None = Field(
        default=None, description="Those of the headings under which only the editors list it."
    )
    pages: int | None = Field(default=None, description="Condition pages that list it under this heading.")
    importance: float | None = Field(default=None, ge=1, le=5, description="O*NET importance.")
    level: float | None = Field(default=None, ge=0, le=7, description="O*NET level.")
    tier: str | None = Field(default=None, description="O*NET tier of a related occupation.")
    rank: int | None = Field(default=None, description="O*NET rank of a related occupation.")
    school_basis: Basis | None = Field(default=None, description="Basis of its use at school or in testing.")
    school_sources: list[str] | None = Field(default=None, description="Sources that name it for school or testing.")
    read_at: list[str] | None = Field(default=None, description="Pages on school or testing that name it.")
    reason: str | None = Field(default=None, description="Why the relation was drawn.")
    main: bool | None = Field(default=None, description="Whether it is a main need of the condition.")
    first_choice: float | None = Field(default=None, gt=0, le=1, description="1 for what the editors would try first.")


class Neighbor(Card, EdgeFacts):
    """An entity at the other end of an edge."""

    inherited_from: list[str] | None = Field(default=None, description="Main conditions that it is inherited from.")


class NeighborPage(Page):
    """One page of an entity's edges of one name."""

    entity: Card
    edge: EdgeName
    results: list[Neighbor]


class AccommodationIdea(Model):
    """Solutions that a source lists under one heading."""

    heading: Heading
    solutions: list[WeightedCard]
    total: Count | None = Field(default=None, description="Number of solutions if only the first are shown.")
    inherited_from: list[str] | None = Field(default=None, description="Main conditions that it is inherited from.")


class EdgeGroup(Model):
    """All edges of one name: the total, the first ten, and the link to all."""

    name: EdgeName
    label: str
    direction: Literal["out", "in"]
    target_types: list[TypeName]
    total: Count
    items: list[Neighbor]
    url: str


class AliasEntry(Model):
    """An alias."""

    text: str
    kind: str
    source: str


class GroupingEntry(Model):
    """A category of a scheme that includes the entity; `url` lists all its members."""

    scheme: str
    name: str
    description: str
    basis: Basis
    note: str | None
    sources: list[str]
    url: str


class Summaries(Model):
    """Summaries in one sentence, in two or three, and in a source's own words if it has any."""

    short: str
    plain: str | None = None
    long: str | None = None


class InheritanceSource(Model):
    """An entity whose lists this one uses because it has none of its own, and how the two are related."""

    id: str
    name: str
    relation: Relation
    totals: dict[EdgeName, Count] | None = Field(default=None, description="Number of inherited edges by name.")


class Record(Card, Response):
    """Everything about one entity."""

    summaries: Summaries
    aliases: list[AliasEntry]
    attributes: dict[str, str]
    groupings: list[GroupingEntry] | None = None
    accommodation_ideas: list[AccommodationIdea]
    left_out: list[LeftOut] | None = Field(default=None, description="Listed solutions that are wrong for it.")
    cautions: list[Caution] | None = Field(default=None, description="Cautions that concern it.")
    guidance_note: str | None = Field(default=None, description="Who wrote the cautions, if there are any.")
    inherits: list[InheritanceSource]
    edges: list[EdgeGroup]
    sources: list[SourceEntry]
    external_ids: dict[str, str]
    warnings: list[RequestWarning] | None = None


class ConnectionEnd(Model):
    """One end of a connection: the text of the request and the entity it was resolved to."""

    given: str
    entity: Card
    matched_by: Literal["id", "slug", "name", "alias", "synonym"]


class PathStep(Model):
    """One edge of a connection, from the entity it leaves."""

    from_: Card = Field(alias="from")
    edge: EdgeName
    label: str
    direction: Literal["out", "in"]
    to: Card
    weight: Weight
    basis: Basis
    sources: list[str]


class Connection(Model):
    """A path between two entities, also as one sentence."""

    score: float
    length: int = Field(ge=1, le=4)
    why: str
    steps: list[PathStep]


class ConnectionPage(Page):
    """Paths between two entities. If there are none, `reason` says why."""

    from_: ConnectionEnd = Field(alias="from")
    to: ConnectionEnd
    results: list[Connection]
    reason: str | None


class TypeCount(Model):
    """A type of entity, its number of entities, and a request that lists them."""

    name: TypeName
    description: str
    total: Count
    example: str


class EdgeCount(Model):
    """An edge, its inverse, the types it connects, its number, and a request that follows one."""

    name: EdgeName
    inverse: EdgeName
    label: str
    direction: Literal["out", "in"]
    pairs: list[list[TypeName]]
    total: Count
    example: str | None


class GraphSummary(Response):
    """The shape and size of the graph."""

    types: list[TypeCount]
    edges: list[EdgeCount]
    totals: dict[Literal["entities", "edges"], Count]
    warnings: list[RequestWarning] | None = None


class PreviousRelease(Model):
    """The previous release whose tables differ."""

    data_version: str
    released: str


class PreviousRules(Model):
    """The previous release whose synonym rules differ, and the rules added and removed since."""

    synonyms_version: str
    released: str
    added: list[str]
    removed: list[str]


class ChangeCount(Model):
    """How many entities of a type, or edges of a name, changed."""

    name: str
    added: Count
    changed: Count
    removed: Count


class ChangedEntity(Model):
    """An entity that was added, changed or removed."""

    change: Literal["added", "changed", "removed"]
    id: str
    type: TypeName
    name: str
    url: str | None


class EdgeEnd(Model):
    """An entity at one end of an edge."""

    id: str
    name: str


class ChangedEdge(Model):
    """An edge that was added, changed or removed, in its own direction, not as an inverse."""

    change: Literal["added", "changed", "removed"]
    edge: EdgeName
    source: EdgeEnd
    target: EdgeEnd


class GraphChanges(Response):
    """What changed between the previous release and the live one."""

    since: PreviousRelease | None
    types: list[ChangeCount]
    edges: list[ChangeCount]
    totals: dict[Literal["entities", "edges"], Count]
    entities: list[ChangedEntity]
    relations: list[ChangedEdge]
    rules: PreviousRules | None
    warnings: list[RequestWarning] | None = None
