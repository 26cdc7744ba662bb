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
    if character := control_character(text, is_pasted=True):
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


IS_READABLE = AfterValidator(_check_readable)  # after the bounds, or pydantic calls the text a value of items
Readable = Annotated[str, IS_READABLE]
IS_INTEGER = BeforeValidator(_check_integer)  # after the bounds, or pydantic leaves them out of the schema


class Model(BaseModel):
    """Base of all response models: they contain the declared fields and nothing else."""

    model_config = ConfigDict(extra="forbid")


class SourceEntry(Model):
    """A source of facts and the terms of its use."""

    id: str = Field(description="Short id, as edges name it.")
    title: str = Field(description="Its title.")
    licence: str = Field(description="Its terms.")
    licence_url: str | None = Field(
        default=None,
        description=(
            "Where the licence can be read. Null if none is stated, or each item has its own. Releases of"
            " version 0.1.0 lack it."
        ),
    )
    url: str | None = Field(description="Where it is, where that is known.")
    attribution: str = Field(description="The sentence to show with its facts.")


class Provenance(Model):
    """The service, release and sources behind a response. Versions are null before the first release."""

    service: str = Field(description="The name of the service.")
    version: str = Field(description="The version of the program.")
    data_version: str | None = Field(description="The version of the tables; null before the first release.")
    synonyms_version: str | None = Field(description="The version of the synonym rules; null before the first release.")
    released: str | None = Field(description="When the release was built, in UTC; null before the first.")
    sources: list[SourceEntry] = Field(description="The sources that the answer rests on.")
    stale_seconds: Count | None = Field(
        default=None,
        description="Only where an earlier answer stands in: the seconds since OpenSearch last confirmed it.",
    )


class Notice(Model):
    """What this information is not."""

    text: str = Field(description="The notice itself.")
    kind: Literal["informational"] = Field(description="Always this word.")
    url: str = Field(description="Where to find advice.")
    contact_url: str | None = Field(
        default=None, description="Where to report a mistake, if the operator offers it (`AKG_CONTACT_URL`)."
    )


class Response(Model):
    """Members of every response."""

    provenance: Provenance = Field(description="Which service and release answered, and on which sources.")
    notice: Notice = Field(description="That this is information, not advice.")


class MarketVerification(Model):
    """Whether, when and how a product or vendor was found to be on the market."""

    status: MarketStatus = Field(description="What was found.")
    checked: str | None = Field(description="The day of the visit, such as `2026-11-21`; null if there was none.")
    method: str | None = Field(description="The rule by which it was decided; the reference lists all rules.")
    evidence: str | None = Field(description="The address that answered.")
    note: str | None = Field(description="What the rule means, and whether that is long ago.")


class Card(Model):
    """An entity as lists show it. `url` is relative to the service."""

    id: str = Field(description="`type:key`.")
    type: TypeName = Field(description="Its type.")
    slug: str = Field(description="Its slug.")
    name: str = Field(description="Its name.")
    summary: str = Field(description="What it is, in one sentence.")
    url: str = Field(description="Its path here.")
    settings: list[SettingName] | None = Field(default=None, description="Where it is used. Only solutions have it.")
    market_verification: MarketVerification | None = Field(
        default=None, description="Only products and vendors have it."
    )


class CautionSource(Model):
    """The page that states a caution. `as_of` is the date on the copy that was read; dates are null if unknown."""

    title: str = Field(description="Its title.")
    url: str = Field(description="Its address.")
    as_of: str | None = Field(
        description="The date on the copy that was read: an ISO date, month or year; null if it has none."
    )
    read: str | None = Field(description="The date on which it was read.")


class Caution(Model):
    """What to watch for, and what to do. `about` are the conditions, needs and jobs that it concerns."""

    text: str = Field(description="One sentence, in rules of jobs one or two.")
    severity: Severity = Field(description="How serious it is.")
    about: list[Card] = Field(description="The conditions, needs and jobs that it concerns.")
    source: CautionSource | None = Field(description="The page that states it; null if the editors do.")


class LeftOut(Model):
    """A solution that is not among the results because it is wrong for the person, and why."""

    entity: Card = Field(description="The solution.")
    reason: str = Field(description="Why it is left out.")


class RequestWarning(Model):
    """A part of the request that had no effect, with the nearest valid one."""

    parameter: str = Field(description="The name that was sent.")
    message: str = Field(description="What happened.")
    nearest: str | None = Field(default=None, description="The real name that it was probably meant to be.")


class Page(Response):
    """A list. `next` and `prev` are relative links, or null at either end."""

    total: Count = Field(description="How many there are in all.")
    limit: int = Field(description="The limit that was used.")
    offset: Count = Field(description="Where this page starts.")
    next: str | None = Field(description="Link to the next page.")
    prev: str | None = Field(description="Link to the page before.")
    warnings: list[RequestWarning] | None = Field(default=None, description="Parameters that had no effect.")


class Redirect(Model):
    """A retired id and the entity that replaces it."""

    given: str = Field(description="The id, as it was given.")
    to: str = Field(description="The id of the entity that is shown in its place.")


class LinkEntry(Model):
    """An edge of a listed entity to one that the request names, and whether the entity only inherits it."""

    linked_to: str = Field(description="The id of the named entity.")
    edge: EdgeName = Field(description="The edge that leads to it.")
    inherited: bool = Field(description="Whether the listed entity only inherits the edge.")


class LinkedCard(Card):
    """An entity of a list, with its edges to the entities that the request names."""

    links: list[LinkEntry] | None = Field(
        default=None, description="With `linked_to`: its edges to the named entities."
    )


class Heading(Model):
    """What a group is for, or what it is linked to."""

    id: str = Field(description="`type:key`.")
    name: str = Field(description="Its name.")
    type: TypeName = Field(description="Its type.")


class FacetEntry(Model):
    """An entity, and how many of the listed entities have an edge to it."""

    entity: Heading = Field(description="The entity.")
    total: Count = Field(description="How many of the listed entities have an edge to it.")


class CardPage(Page):
    """A page of entities. `missing` and `moved` are present if ids were requested, `facets` with `linked_to`.

    `facets` has the entities to which most of the listed ones have an edge, by edge name.
    """

    results: list[LinkedCard] = Field(description="The entities.")
    facets: dict[EdgeName, list[FacetEntry]] | None = Field(
        default=None, description="With `linked_to`: by edge name, a list of FacetEntry, most first."
    )
    missing: list[str] | None = Field(
        default=None, description="With `ids`: those that are not there, each shortened to 120 bytes."
    )
    moved: list[Redirect] | None = Field(default=None, description="With `ids`: those that were retired.")


class WeightedCard(Card):
    """An entity with its weight in this list."""

    weight: Weight = Field(description="Its weight here.")


class Problem(Response):
    """RFC 9457 problem details."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="Always `about:blank`.")
    title: str = Field(description="The kind of error.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What happened, in a sentence or two.")
    suggestions: list[Card] | None = Field(default=None, description="The nearest entities, with a 404.")


class ValidationDetail(Model):
    """One invalid input, as FastAPI reports it."""

    loc: list[str | int] = Field(description="Where it stands: `query`, `path` or `body`, then the name.")
    msg: str = Field(description="What is wrong.")
    type: str = Field(description="The kind of fault.")
    input: Any = Field(
        default=None,
        description="What was sent; absent for a parameter that is missing, and for a body that is not JSON.",
    )
    ctx: dict[str, Any] = Field(
        default_factory=dict, description="Limits, valid values, or the nearest. Absent if there are none."
    )


class ValidationProblem(Response):
    """A response with status 422: every invalid part of the request."""

    detail: list[ValidationDetail] = Field(description="Everything that does not fit.")
