"""What callers send and get. OpenAPI and MCP schemas both come from here; tests hold every answer against them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

TypeName = Literal[
    "disability", "limitation", "workrelatedfunction", "solution", "product", "vendor", "occupation", "ability"
]
TYPES: tuple[str, ...] = get_args(TypeName)
EdgeName = Literal[
    "has_limitation", "limitation_of", "affects", "affected_by", "recommends", "recommended_for",
    "implemented_by", "implements", "sold_by", "sells", "requires", "required_by",
    "related_occupation", "related_occupation_of", "limits", "limited_by", "broader", "narrower",
]  # fmt: skip
Basis = Literal["source", "derived", "inherited", "editorial"]
ConditionKind = Literal["main", "narrower"]
SettingName = Literal["work", "school", "testing"]
Relation = Literal["narrower", "broader", "akin"]
MatchKind = Literal["id", "name", "alias", "synonym", "spelling", "description", "prefix"]
Weight = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=0)]


def _readable(text: str) -> str:
    """Refuse text that no encoding can write, such as half of a surrogate pair."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise PydanticCustomError("string_unicode", "Input should be a valid string, unable to encode it as UTF-8")
    return text


def _given(text: object) -> object:
    """Empty text counts as not given."""
    return None if isinstance(text, str) and not text.strip() else text


Readable = Annotated[str, AfterValidator(_readable)]


class Model(BaseModel):
    """Answers hold what is declared here and nothing else."""

    model_config = ConfigDict(extra="forbid")


class SourceLine(Model):
    """Where facts come from, and on what terms they may be used."""

    id: str
    title: str
    licence: str
    url: str | None
    attribution: str


class Provenance(Model):
    """Which service, release and sources an answer rests on. Versions are null before the first release."""

    service: str
    version: str
    data_version: str | None
    synonyms_version: str | None
    released: str | None
    sources: list[SourceLine]
    stale_seconds: Count | None = Field(
        default=None, description="Age of an answer that stands in for one that could not be made now."
    )


class Notice(Model):
    """What this information is not."""

    text: str
    kind: Literal["informational"]
    url: str


class Said(Model):
    """What every answer carries."""

    provenance: Provenance
    notice: Notice


class MarketVerification(Model):
    """Whether a product or vendor was found to be on the market, when and how."""

    status: Literal["verified", "unverified", "unavailable", "discontinued"]
    checked: str | None
    method: str | None
    evidence: str | None
    note: str | None


class Card(Model):
    """An entity as lists show it. `url` is relative to the service."""

    id: str
    type: TypeName
    slug: str
    name: str
    summary: str
    url: str
    settings: list[SettingName] | None = None
    market_verification: MarketVerification | None = None


class Warned(Model):
    """Something in the request that had no effect, with the nearest thing that would have."""

    parameter: str
    message: str
    nearest: str | None = None


class Page(Said):
    """A list: `next` and `prev` are relative links, or null at either end."""

    total: Count
    limit: int
    offset: Count
    next: str | None
    prev: str | None
    warnings: list[Warned] | None = None


class MovedLine(Model):
    """An id that was retired, and the entity that is shown in its place."""

    given: str
    to: str


class CardPage(Page):
    """A page of entities. `missing` and `moved` stand where ids were asked for."""

    results: list[Card]
    missing: list[str] | None = None
    moved: list[MovedLine] | None = None


class EdgeFacts(Model):
    """What an edge says of itself beside its name. Each fact stands only where the relation has it."""

    weight: Weight
    basis: Basis
    sources: list[str]
    via: list[str] | None = Field(
        default=None, description="Limitations and functions under which a source lists it, or kinds that list it."
    )
    pages: int | None = Field(default=None, description="Condition pages that list it under this heading.")
    importance: float | None = Field(default=None, ge=1, le=5, description="O*NET importance.")
    level: float | None = Field(default=None, ge=0, le=7, description="O*NET level.")
    tier: str | None = Field(default=None, description="O*NET tier of a related occupation.")
    rank: int | None = Field(default=None, description="O*NET rank of a related occupation.")
    school_basis: Basis | None = Field(default=None, description="On what ground it is named for school or testing.")
    school_sources: list[str] | None = Field(default=None, description="Sources that name it for school or testing.")
    read_at: list[str] | None = Field(default=None, description="Pages on school or testing that name it.")
    reason: str | None = Field(default=None, description="Why the relation was drawn.")
    main: bool | None = Field(default=None, description="Whether it is what the condition is best known for.")
    first_choice: float | None = Field(default=None, gt=0, le=1, description="1 for what editors would try first.")


class Neighbor(Card, EdgeFacts):
    """An entity at the other end of an edge."""

    inherited_from: list[str] | None = Field(default=None, description="Main conditions that it is taken from.")


class NeighborPage(Page):
    """One page of an entity's edges of one name."""

    entity: Card
    edge: EdgeName
    results: list[Neighbor]


class Match(Model):
    """Why a hit is there: the text that matched, where it stands, and one plain sentence."""

    kind: MatchKind
    text: str
    field: str
    why: str


class Hit(Card):
    """A search result."""

    score: float
    match: Match


class Reading(Model):
    """How words of the query were read: as a name of an entity, by a synonym rule, or as a type that was asked for."""

    from_: str = Field(alias="from")
    to: str
    entity: Card | None
    kind: Literal["alias", "rule", "scope"]
    rule: str | None = None


class Suggestion(Model):
    """Another way to write the query, with the number of results it has."""

    query: str
    highlighted: str
    total: Count


class Correction(Model):
    """No name matched as written; these are the results of the corrected query."""

    from_: str = Field(alias="from")
    to: str


class Group(Model):
    """The suggestions of one type."""

    type: TypeName
    ids: list[str]


class SuggestPage(Page):
    """Names that go on from what was typed: in order, and by type."""

    query: str
    results: list[Hit]
    groups: list[Group]


class SearchPage(Page):
    """Search results with how the words were read."""

    query: str
    synonyms_used: bool
    spelling_used: bool
    results: list[Hit]
    synonyms: list[Reading]
    did_you_mean: list[Suggestion]
    corrected: Correction | None = None
    facets: dict[Literal["type"], dict[str, Count]]


class Heading(Model):
    """What a group of solutions is for."""

    id: str
    name: str
    type: TypeName


class WeightedCard(Card):
    """An entity with the weight it has here."""

    weight: Weight


class Idea(Model):
    """Solutions that a source lists under one heading."""

    heading: Heading
    solutions: list[WeightedCard]
    total: Count | None = Field(
        default=None, description="How many solutions there are, where only the first are shown."
    )
    inherited_from: list[str] | None = Field(default=None, description="Main conditions that it is taken from.")


class EdgeGroup(Model):
    """All edges of one name: how many, the first ten, and where the rest is."""

    name: EdgeName
    label: str
    direction: Literal["out", "in"]
    target_types: list[TypeName]
    total: Count
    items: list[Neighbor]
    url: str


class AliasLine(Model):
    """Another name."""

    text: str
    kind: str
    source: str


class GroupingLine(Model):
    """A category of some scheme that the entity falls under; `url` lists all that do."""

    scheme: str
    name: str
    says: str
    basis: Basis
    note: str | None
    sources: list[str]
    url: str


class Summaries(Model):
    """What the entity is: in one sentence, in two or three, and in a source's own words, where there are any."""

    short: str
    plain: str | None = None
    long: str | None = None


class Inherited(Model):
    """Whose lists an entity uses because it has none of its own, and what that one is to it."""

    id: str
    name: str
    relation: Relation
    totals: dict[EdgeName, Count] | None = Field(default=None, description="How much of each edge it hands down.")


class Record(Card, Said):
    """Everything about one entity."""

    summaries: Summaries
    aliases: list[AliasLine]
    attributes: dict[str, str]
    groupings: list[GroupingLine] | None = None
    accommodation_ideas: list[Idea]
    inherits: list[Inherited]
    edges: list[EdgeGroup]
    sources: list[SourceLine]
    external_ids: dict[str, str]
    warnings: list[Warned] | None = None


class RecommendRequest(BaseModel):
    """Who or what the solutions are for. Give one field, or several to narrow the question."""

    model_config = ConfigDict(
        extra="allow",  # what is not known is ignored and named in `warnings`
        json_schema_extra={
            "examples": [{"disability": "multiple-sclerosis", "limit": 5}, {"limitation": "low vision"}]
        },
    )

    disability: Readable | None = Field(default=None, description="A condition: id, slug, name or other name.")
    limitation: Readable | None = Field(default=None, description="A limitation: id, slug, name or other name.")
    work_function: Readable | None = Field(
        default=None, description="A work-related function: id, slug, name or other name."
    )
    occupation: Readable | None = Field(
        default=None, description="An occupation: id, code, slug, title or reported title."
    )
    setting: Annotated[SettingName | None, BeforeValidator(_given)] = Field(
        default=None, description="Only solutions used there: work, school or testing; all when null."
    )
    limit: int | None = Field(default=20, ge=1, description="Most solutions to return; 20 when null.")


class Seed(Model):
    """How one field of the request was understood."""

    field: str
    given: str
    entity: Card
    matched_by: Literal["id", "slug", "name", "alias"]


class Need(Model):
    """A limitation or function that a result answers, the weight it has in the score, and the seed that brought it."""

    entity: Card
    weight: float
    seed: str


class ProductCard(Card):
    """A product with who sells it."""

    vendor: Card | None


class Recommendation(Card):
    """A solution with its place, its score and the chain that leads to it. The parts add up to the score."""

    rank: int = Field(ge=1)
    score: float
    score_parts: dict[str, float]
    basis: Literal["source", "editorial", "inherited", "derived"]
    answers: list[Need]
    why: str
    products: list[ProductCard]


class Covered(Model):
    """A need of the seeds, what it weighs, and how many of all recommended solutions answer it."""

    entity: Card
    weight: float
    seed: str
    solutions: Count
    job: str | None = Field(default=None, description="An ability that the job leans on and this need can limit.")


class RecommendPage(Page):
    """Ranked solutions for the seeds."""

    seeds: list[Seed]
    results: list[Recommendation]
    coverage: list[Covered]
    products: list[ProductCard]


class RelatedCondition(Card):
    """A condition with similar limitations."""

    score: float
    shared: list[WeightedCard]
    shared_total: Count
    relation: Literal["narrower", "broader"] | None = Field(
        default=None,
        description="What it is to the condition asked about: a kind of it, what it is a kind of, or neither.",
    )
    why: str


class RelatedPage(Page):
    """Conditions like this one, or like the broader one that speaks for it: `inherited_from`."""

    entity: Card
    inherited_from: Card | None = None
    results: list[RelatedCondition]


class End(Model):
    """One end of a connection: what was given, and the entity it was taken for."""

    given: str
    entity: Card
    matched_by: Literal["id", "slug", "name", "alias", "synonym"]


class Step(Model):
    """One edge of a connection, read from the entity it leaves."""

    from_: Card = Field(alias="from")
    edge: EdgeName
    label: str
    direction: Literal["out", "in"]
    to: Card
    weight: Weight
    basis: Basis
    sources: list[str]


class Connection(Model):
    """A chain of edges that joins two entities, and the whole of it in one sentence."""

    score: float
    length: int = Field(ge=1, le=4)
    why: str
    steps: list[Step]


class ConnectionPage(Page):
    """How two entities are connected. Where there is nothing to show, `reason` says why."""

    from_: End = Field(alias="from")
    to: End
    results: list[Connection]
    reason: str | None


class TypeCount(Model):
    """A type of entity, how many there are, and a call that lists them."""

    name: TypeName
    says: str
    total: Count
    example: str


class EdgeCount(Model):
    """An edge, its inverse, which types it joins, how many there are, and a call that follows one."""

    name: EdgeName
    inverse: EdgeName
    label: str
    direction: Literal["out", "in"]
    pairs: list[list[TypeName]]
    total: Count
    example: str | None


class GraphSummary(Said):
    """The shape and size of the graph."""

    types: list[TypeCount]
    edges: list[EdgeCount]
    totals: dict[Literal["entities", "edges"], Count]
    warnings: list[Warned] | None = None


class Earlier(Model):
    """The release that was live before, as far as the tables go."""

    data_version: str
    released: str


class EarlierRules(Model):
    """The release that was live before, as far as the synonym rules go, and which rules are other since."""

    synonyms_version: str
    released: str
    added: list[str]
    removed: list[str]


class ChangeCount(Model):
    """How many entities of a type, or edges of a name, are other."""

    name: str
    added: Count
    changed: Count
    removed: Count


class ChangedEntity(Model):
    """An entity that is new, other in what is said of it, or gone."""

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
    """An edge that is new, other in its facts, or gone; named in its own direction, not as an inverse."""

    change: Literal["added", "changed", "removed"]
    edge: EdgeName
    source: EdgeEnd
    target: EdgeEnd


class GraphChanges(Said):
    """What is other in the live release than in the one that was live before it."""

    since: Earlier | None
    types: list[ChangeCount]
    edges: list[ChangeCount]
    totals: dict[Literal["entities", "edges"], Count]
    entities: list[ChangedEntity]
    relations: list[ChangedEdge]
    rules: EarlierRules | None
    warnings: list[Warned] | None = None


class FoundDocument(Model):
    """A search result in the plain shape of research connectors."""

    id: str
    title: str
    url: str


class FoundDocuments(Model):
    """What the tool `search` gives."""

    results: list[FoundDocument]


class Document(Model):
    """What the tool `fetch` gives: one entity as text, with an address to cite it by."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


class ExportFile(Model):
    """A file of the release. `bytes` and `sha256` are those of the file as it is named."""

    name: str
    url: str
    media_type: str
    title: str
    rows: int | None
    bytes: int
    sha256: str


class ExportPage(Said):
    """The files in which the whole release can be had."""

    files: list[ExportFile]
    warnings: list[Warned] | None = None


class UsageDay(Model):
    """Requests of one day in UTC, by kind. Null stands for a number too small to be told."""

    date: str
    complete: bool
    requests: Count | None
    by_door: dict[str, Count | None]
    by_route: dict[str, Count | None]
    by_status: dict[str, Count | None]


class UsageTotals(Said):
    """How much the service is used, and nothing about anyone."""

    days: list[UsageDay]
    smallest: Count
    warnings: list[Warned] | None = None


class IndexCall(Model):
    """A call of the API, with an example that works; `body` is what the example sends."""

    method: Literal["GET", "POST"]
    path: str
    says: str
    example: str
    body: dict[str, Any] | None


class Index(Said):
    """What there is here, and every call. Addresses are relative to the service."""

    says: str
    explorer: str
    reference: str
    openapi: str
    mcp: str
    llms: str
    calls: list[IndexCall]


class Health(Said):
    """Whether the process lives and what it knows of its engine."""

    status: Literal["ok", "ready"]
    engine: Literal["up", "down"]
    data_version: str | None


class Problem(Said):
    """RFC 9457 problem details."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    suggestions: list[Card] | None = None


class InvalidLine(Model):
    """One thing that does not fit, as FastAPI reports it."""

    model_config = ConfigDict(extra="allow")

    loc: list[str | int]
    msg: str
    type: str
    input: Any = None
    ctx: dict[str, Any] | None = None


class Invalid(Said):
    """Input that does not fit."""

    detail: list[InvalidLine]
