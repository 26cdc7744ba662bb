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

    weight: Weight = Field(description="How strong it is, above 0 and up to 1.")
    basis: Basis = Field(description="On what ground it stands.")
    sources: list[str] = Field(description="Ids of its sources.")
    via: list[str] | None = Field(
        default=None,
        description=(
            "`recommends` from a condition: ids of the limitations and functions under which it is "
            "listed, by any condition that it is inherited from. Of a broad entity: ids of the kinds that"
            " list it."
        ),
    )
    editorial_via: list[str] | None = Field(
        default=None, description="`recommends`: those of the headings in `via` under which only the editors list it."
    )
    pages: int | None = Field(
        default=None, description="`recommends` from a limitation or function: condition pages that list it."
    )
    importance: float | None = Field(default=None, ge=1, le=5, description="`requires`: O*NET importance, 1 to 5.")
    level: float | None = Field(default=None, ge=0, le=7, description="`requires`: O*NET level, 0 to 7.")
    tier: str | None = Field(default=None, description="`related_occupation`: O*NET tier.")
    rank: int | None = Field(default=None, description="`related_occupation`: O*NET rank, 1 is the closest.")
    school_basis: Basis | None = Field(
        default=None,
        description="`recommends`: on what ground the solution is named for school or testing, where it is.",
    )
    school_sources: list[str] | None = Field(
        default=None, description="`recommends`: ids of the sources that name it for school or testing."
    )
    read_at: list[str] | None = Field(default=None, description="`recommends`: addresses of their pages that do.")
    reason: str | None = Field(default=None, description="Why it was drawn, where an editor or a rule says so.")
    main: bool | None = Field(
        default=None, description="`has_limitation`, `affects`: true for what the condition is best known for."
    )
    first_choice: float | None = Field(
        default=None,
        gt=0,
        le=1,
        description="`recommends`: 1 for what the editors would try first, 0.5 for what comes next.",
    )


class Neighbor(Card, EdgeFacts):
    """An entity at the other end of an edge."""

    inherited_from: list[str] | None = Field(
        default=None, description="Ids of the main conditions that it is taken from."
    )
    left_out: str | None = Field(
        default=None, description="`recommends`: why recommendations leave the solution out; null if they do not."
    )


class NeighborPage(Page):
    """One page of an entity's edges of one name."""

    entity: Card = Field(description="The requested entity.")
    edge: EdgeName = Field(description="The edge that was followed.")
    results: list[Neighbor] = Field(description="What it leads to, strongest first.")


class AccommodationIdea(Model):
    """Solutions that a source lists under one heading."""

    heading: Heading = Field(
        description="The limitation or function, or the condition itself for what is named for it as a whole."
    )
    solutions: list[WeightedCard] = Field(description="Its solutions, the most usual first; the weight is how usual.")
    total: Count | None = Field(default=None, description="How many there are, where only the first are shown.")
    inherited_from: list[str] | None = Field(
        default=None, description="Ids of the main conditions that it is taken from."
    )


class EdgeGroup(Model):
    """All edges of one name: the total, the first ten, and the link to all."""

    name: EdgeName = Field(description="The edge.")
    label: str = Field(description="The edge in words.")
    direction: Literal["out", "in"] = Field(description="Whether it is named in its own direction or as an inverse.")
    target_types: list[TypeName] = Field(description="Types at the other end.")
    total: Count = Field(description="How many there are.")
    items: list[Neighbor] = Field(description="The first ten.")
    url: str = Field(description="The call that lists them all.")


class AliasEntry(Model):
    """An alias."""

    text: str = Field(description="The name.")
    kind: str = Field(description="`abbreviation`, `lay`, `older`, `printed`, `synonym`, `misspelling` or `title`.")
    source: str = Field(description="Id of the source that has it.")


class GroupingEntry(Model):
    """A category of a scheme that includes the entity; `url` lists all its members."""

    scheme: str = Field(description="Whose category it is: `IDEA`.")
    name: str = Field(description="The category.")
    description: str = Field(description="What it is, in one sentence.")
    basis: Basis = Field(
        description="`source` where the scheme names the entity, `editorial` where the editors place it there."
    )
    note: str | None = Field(description="On what condition, where there is one.")
    sources: list[str] = Field(description="Ids of its sources.")
    url: str = Field(description="The call that lists everything of its type that falls under it.")


class Summaries(Model):
    """Summaries in one sentence, in two or three, and in a source's own words if it has any."""

    short: str = Field(description="One sentence.")
    plain: str | None = Field(
        default=None, description="Two or three more: what it is, how it shows or how it is done, and for whom."
    )
    long: str | None = Field(
        default=None,
        description="A source's own description: of occupations and abilities O*NET's, if a release was imported.",
    )


class InheritanceSource(Model):
    """An entity whose lists this one uses because it has none of its own, and how the two are related."""

    id: str = Field(description="`type:key`.")
    name: str = Field(description="Its name.")
    relation: Relation = Field(
        description="A kind of the entity, one that covers it, or one that limits much the same abilities."
    )
    totals: dict[EdgeName, Count] | None = Field(
        default=None,
        description=(
            "For the inheritance source of a narrower condition: how many `has_limitation`, `affects` and"
            " `recommends` edges it passes on."
        ),
    )


class Record(Card, Response):
    """Everything about one entity."""

    summaries: Summaries = Field(description="Its texts.")
    aliases: list[AliasEntry] = Field(description="Its other names.")
    attributes: dict[str, str] = Field(
        description=(
            "Facts that only its type has, such as `job_zone`, `group`, `kind`, `category`, `family` or `made_for`."
        )
    )
    groupings: list[GroupingEntry] | None = Field(
        default=None,
        description="Categories that it falls under, such as those of IDEA. Only conditions and limitations have it.",
    )
    accommodation_ideas: list[AccommodationIdea] = Field(
        description="Solutions by the heading under which they are listed."
    )
    left_out: list[LeftOut] | None = Field(
        default=None, description="Solutions that are listed for it, but wrong for it; they are not among the ideas."
    )
    cautions: list[Caution] | None = Field(default=None, description="Cautions that concern it.")
    guidance_note: str | None = Field(default=None, description="Who wrote the cautions, if there are any.")
    inherits: list[InheritanceSource] = Field(description="Whose lists it uses; empty for all that have their own.")
    edges: list[EdgeGroup] = Field(description="All its edges by name: the first ten of each, and where the rest is.")
    sources: list[SourceEntry] = Field(description="The sources that it and its edges rest on.")
    external_ids: dict[str, str] = Field(
        description=(
            "`onet_soc`, `onet_element`, `doid`, `icd10cm`, `mesh` (cross-references, not equivalences), "
            "or `page`: the address its facts were read from."
        )
    )
    warnings: list[RequestWarning] | None = Field(default=None, description="Parameters that had no effect.")


class ConnectionEnd(Model):
    """One end of a connection: the text of the request and the entity it was resolved to."""

    given: str = Field(description="What was sent.")
    entity: Card = Field(description="The entity it was taken for.")
    matched_by: Literal["id", "slug", "name", "alias", "synonym"] = Field(
        description="By which form; `synonym` is a name by a synonym rule."
    )


class PathStep(Model):
    """One edge of a connection, from the entity it leaves."""

    from_: Card = Field(alias="from", description="The entity it leaves.")
    edge: EdgeName = Field(description="Its name.")
    label: str = Field(description="The edge in words.")
    direction: Literal["out", "in"] = Field(description="Whether it is named in its own direction or as an inverse.")
    to: Card = Field(description="The entity it leads to.")
    weight: Weight = Field(description="How strong it is, above 0 and up to 1.")
    basis: Basis = Field(description="On what ground it stands.")
    sources: list[str] = Field(description="Ids of its sources.")


class Connection(Model):
    """A path between two entities, also as one sentence."""

    score: float = Field(description="Compares the chains of this answer.")
    length: int = Field(ge=1, le=4, description="How many edges it has, 1 to 4.")
    why: str = Field(description="The chain in one sentence.")
    steps: list[PathStep] = Field(description="The edges, in order.")


class ConnectionPage(Page):
    """Paths between two entities. If there are none, `reason` says why."""

    from_: ConnectionEnd = Field(alias="from", description="One end.")
    to: ConnectionEnd = Field(description="The other.")
    results: list[Connection] = Field(description="The paths, most specific first.")
    reason: str | None = Field(description="Why there is none.")


class TypeCount(Model):
    """A type of entity, its number of entities, and a request that lists them."""

    name: TypeName = Field(description="The type.")
    description: str = Field(description="What it is.")
    total: Count = Field(description="How many there are.")
    example: str = Field(description="A call that lists some.")


class EdgeCount(Model):
    """An edge, its inverse, the types it connects, its number, and a request that follows one."""

    name: EdgeName = Field(description="The edge.")
    inverse: EdgeName = Field(description="The edge back.")
    label: str = Field(description="The edge in words.")
    direction: Literal["out", "in"] = Field(description="Whether it is named in its own direction or as an inverse.")
    pairs: list[list[TypeName]] = Field(description="Which types it joins, from and to.")
    total: Count = Field(description="How many there are.")
    example: str | None = Field(description="A call that follows one; null when there are none.")


class GraphSummary(Response):
    """The shape and size of the graph."""

    types: list[TypeCount] = Field(description="The types.")
    edges: list[EdgeCount] = Field(description="The edges, inverses included.")
    totals: dict[Literal["entities", "edges"], Count] = Field(
        description="`entities`, and `edges` counted once for both directions."
    )
    warnings: list[RequestWarning] | None = Field(default=None, description="Parameters that had no effect.")


class PreviousRelease(Model):
    """The previous release whose tables differ."""

    data_version: str = Field(description="Its version of the tables.")
    released: str = Field(description="When it went live.")


class PreviousRules(Model):
    """The previous release whose synonym rules differ, and the rules added and removed since."""

    synonyms_version: str = Field(description="Its version of the rules.")
    released: str = Field(description="When it went live.")
    added: list[str] = Field(description="Rules that are new since.")
    removed: list[str] = Field(description="Rules that are gone since.")


class ChangeCount(Model):
    """How many entities of a type, or edges of a name, changed."""

    name: str = Field(description="A type or an edge.")
    added: Count = Field(description="How many are new.")
    changed: Count = Field(description="How many are other in what is said of them.")
    removed: Count = Field(description="How many are gone.")


class ChangedEntity(Model):
    """An entity that was added, changed or removed."""

    change: Literal["added", "changed", "removed"] = Field(description="What happened.")
    id: str = Field(description="`type:key`.")
    type: TypeName = Field(description="Its type.")
    name: str = Field(description="Its name.")
    url: str | None = Field(description="The path that answers it; null for one that is gone.")


class EdgeEnd(Model):
    """An entity at one end of an edge."""

    id: str = Field(description="`type:key`.")
    name: str = Field(description="Its name.")


class ChangedEdge(Model):
    """An edge that was added, changed or removed, in its own direction, not as an inverse."""

    change: Literal["added", "changed", "removed"] = Field(description="What happened.")
    edge: EdgeName = Field(description="The edge.")
    source: EdgeEnd = Field(description="Where it begins.")
    target: EdgeEnd = Field(description="Where it leads.")


class GraphChanges(Response):
    """What changed between the previous release and the live one."""

    since: PreviousRelease | None = Field(
        description="The release with which the tables are compared; null in the first."
    )
    types: list[ChangeCount] = Field(description="Types with entities that are other.")
    edges: list[ChangeCount] = Field(description="Edges of which some are other.")
    totals: dict[Literal["entities", "edges"], Count] = Field(description="`entities` and `edges` that are other.")
    entities: list[ChangedEntity] = Field(description="The first 500 of them.")
    relations: list[ChangedEdge] = Field(description="The first 500 edges that are other.")
    rules: PreviousRules | None = Field(description="The same for synonym rules; null in the first release.")
    warnings: list[RequestWarning] | None = Field(default=None, description="Parameters that had no effect.")
