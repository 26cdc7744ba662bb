"""Models that every response uses: envelope, cards, pages and problems."""

from typing import Annotated, Any, Literal, LiteralString

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from api.request_text import CONTROL_CHARACTER, control_character
from schema.entity_kinds import EdgeName, SettingName, Severity, TypeName
from schema.market_rules import MarketStatus

Relation = Literal["narrower", "broader", "similar"]
MatchKind = Literal["id", "name", "alias", "synonym", "spelling", "description", "prefix", "pinned"]
Weight = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=0)]
JSON_INTEGER: LiteralString = "Input should be an integer: a number without a decimal point and without quotes"


def _check_readable(text: str) -> str:
    """Reject text that cannot be encoded, such as half of a surrogate pair, and text with control characters."""
    if text.isprintable():
        return text
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise PydanticCustomError("string_unicode", "Input should be a valid string, unable to encode it as UTF-8")
    if character := control_character(text):
        message = "Input should have no control characters; it has {character}"
        raise PydanticCustomError(CONTROL_CHARACTER, message, {"character": character})
    return text


def _check_integer(value: object) -> object:
    """Reject true, 1.0 and "5", which pydantic would convert."""
    if type(value) is not int:
        raise PydanticCustomError("int_type", JSON_INTEGER)
    return value


def blank_as_none(text: object) -> object:
    """Treat blank text as a missing value."""
    return None if isinstance(text, str) and not text.strip() else text


Readable = Annotated[str, AfterValidator(_check_readable)]
IS_INTEGER = BeforeValidator(_check_integer)  # after the bounds, or pydantic leaves them out of the schema


class Model(BaseModel):
    """Base of all response models: they contain the declared fields and nothing else."""

    model_config = ConfigDict(extra="forbid")


class SourceEntry(Model):
    """A source of facts and the terms of its use."""

    id: str
    title: str
    licence: str
    licence_url: str | None = Field(default=None, description="Where the licence can be read.")
    url: str | None
    attribution: str


class Provenance(Model):
    """The service, release and sources behind a response. Versions are null before the first release."""

    service: str
    version: str
    data_version: str | None
    synonyms_version: str | None
    released: str | None
    sources: list[SourceEntry]
    stale_seconds: Count | None = Field(
        default=None, description="Age of a stale response, sent because OpenSearch is unavailable."
    )


class Notice(Model):
    """What this information is not."""

    text: str
    kind: Literal["informational"]
    url: str
    contact_url: str | None = Field(default=None, description="Where to report a mistake, if the operator offers it.")


class Response(Model):
    """Members of every response."""

    provenance: Provenance
    notice: Notice


class MarketVerification(Model):
    """Whether, when and how a product or vendor was found to be on the market."""

    status: MarketStatus
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


class CautionSource(Model):
    """The page that states a caution. `as_of` is the date on the copy that was read; dates are null if unknown."""

    title: str
    url: str
    as_of: str | None
    read: str | None


class Caution(Model):
    """What to watch for, and what to do. `about` are the conditions, needs and jobs that it concerns."""

    text: str
    severity: Severity
    about: list[Card]
    source: CautionSource | None = Field(description="The page that states it; null if the editors do.")


class LeftOut(Model):
    """A solution that is not among the results because it is wrong for the person, and why."""

    entity: Card
    reason: str


class RequestWarning(Model):
    """A part of the request that had no effect, with the nearest valid one."""

    parameter: str
    message: str
    nearest: str | None = None


class Page(Response):
    """A list. `next` and `prev` are relative links, or null at either end."""

    total: Count
    limit: int
    offset: Count
    next: str | None
    prev: str | None
    warnings: list[RequestWarning] | None = None


class Redirect(Model):
    """A retired id and the entity that replaces it."""

    given: str
    to: str


class LinkEntry(Model):
    """An edge of a listed entity to one that the request names, and whether the entity only inherits it."""

    linked_to: str
    edge: EdgeName
    inherited: bool


class LinkedCard(Card):
    """An entity of a list, with its edges to the entities that the request names."""

    links: list[LinkEntry] | None = None


class Heading(Model):
    """What a group is for, or what it is linked to."""

    id: str
    name: str
    type: TypeName


class FacetEntry(Model):
    """An entity, and how many of the listed entities have an edge to it."""

    entity: Heading
    total: Count


class CardPage(Page):
    """A page of entities. `missing` and `moved` are present if ids were requested, `facets` with `linked_to`.

    `facets` has the entities to which most of the listed ones have an edge, by edge name.
    """

    results: list[LinkedCard]
    facets: dict[EdgeName, list[FacetEntry]] | None = None
    missing: list[str] | None = None
    moved: list[Redirect] | None = None


class WeightedCard(Card):
    """An entity with its weight in this list."""

    weight: Weight


class Problem(Response):
    """RFC 9457 problem details."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    suggestions: list[Card] | None = None


class ValidationDetail(Model):
    """One invalid input, as FastAPI reports it."""

    loc: list[str | int]
    msg: str
    type: str
    input: Any = None
    ctx: dict[str, Any] = Field(default_factory=dict)  # may be absent, is never null


class ValidationProblem(Response):
    """A response with status 422: every invalid part of the request."""

    detail: list[ValidationDetail]
