"""Query parameters of the REST routes, and the types and bounds that the explorer and the MCP tools share with them.

The descriptions are published in the OpenAPI document and in the input schemas of the tools.
"""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from schema.entity_kinds import Basis, ConditionKind, Matching, SettingName, TypeName

MAX_QUERY_LENGTH = 500  # characters; the longest name has 131
MAX_ID_LENGTH = 200  # characters; the longest real id has 95
MAX_OFFSET = 10**15  # of lists; JSON can have numbers with thousands of digits, which a result would repeat
MAX_SEARCH_OFFSET = 99_000  # with the largest limit still inside OpenSearch's result window of 100,000
MAX_IDS = 100  # of one batch
MAX_LINKS = 10  # entities to which all of a list are linked
MAX_USAGE_DAYS = 400

AROUND_IDS = " \t\r\n\"'“”‘’«».,;?!"  # what people copy with an id; no id begins or ends with it
DIGITS = re.compile(r"-?[0-9]{1,18}")
MAX_NUMBER_LENGTH = 30
NAMES = "an id, key, slug, name or alias"  # the texts that identify an entity of any type


def _not_blank(text: str) -> str:
    if not text.strip():
        message = "String should have at least 1 character that is not a space"
        raise PydanticCustomError("string_too_short", message, {"min_length": 1})
    return text


def trim_id(text: str) -> str:
    """Return an id without the spaces, quotation marks and punctuation around it."""
    return text.strip(AROUND_IDS)


def _split_ids(id_lists: list[str]) -> list[str]:
    """Return each id once, in request order."""
    ids = list(dict.fromkeys(id_ for text in id_lists for part in text.split(",") if (id_ := part.strip())))
    if not ids:
        message = "give at least one id; separate several with commas"
        raise PydanticCustomError("too_short", message, {"min_length": 1})
    if len(ids) > MAX_IDS:
        context = {"max_length": MAX_IDS, "actual_length": len(ids)}
        raise PydanticCustomError("too_long", "give at most {max_length} ids, not {actual_length}", context)
    return ids


def _in_digits(value: object) -> object:
    """Reject text that only Python reads as an integer: `1_0`, `+5`, ` 5` or `1.0`."""
    if isinstance(value, str) and not DIGITS.fullmatch(value):
        message = "Input should be an integer: digits only, with a minus sign if it is negative"
        raise PydanticCustomError("int_parsing", message)
    return value


def _is_short(value: object) -> object:
    """Reject a number with hundreds of digits, which links to other pages would repeat."""
    if isinstance(value, str) and len(value) > MAX_NUMBER_LENGTH:
        message = "Input should be a number with at most {max_length} characters"
        raise PydanticCustomError("float_parsing", message, {"max_length": MAX_NUMBER_LENGTH})
    return value


def unique(values: list[TypeName]) -> list[TypeName]:
    """Return each type once, in request order."""
    return list(dict.fromkeys(values))


IN_DIGITS = BeforeValidator(_in_digits)  # after the bounds, or pydantic leaves them out of the schema
Limit = Annotated[int, Field(ge=1, le=500, description="Maximum number of results."), IN_DIGITS]
MAX_LIST_LIMIT = 100  # entities on a page
ListLimit = Annotated[int, Field(ge=1, le=MAX_LIST_LIMIT, description="Maximum number of entities."), IN_DIGITS]
RelatedLimit = Annotated[int, Field(ge=1, le=50, description="Maximum number of conditions."), IN_DIGITS]
ConnectionLimit = Annotated[int, Field(ge=1, le=20, description="Maximum number of connections."), IN_DIGITS]
Offset = Annotated[int, Field(ge=0, description="Number of results to skip."), IN_DIGITS]
SearchOffset = Annotated[int, Field(ge=0, le=MAX_SEARCH_OFFSET, description="Number of results to skip."), IN_DIGITS]
QueryText = Annotated[
    str,
    Field(min_length=1, max_length=MAX_QUERY_LENGTH, description="Search text: a name, keywords or an id."),
    AfterValidator(_not_blank),
]
EntityName = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_LENGTH)]
TypeNames = Annotated[list[TypeName], AfterValidator(unique)]
Types = Annotated[TypeNames | None, Field(description="Only these types; repeat it for several.")]
Setting = Annotated[SettingName | None, Field(description="Only solutions used in this setting.")]
Kind = Annotated[
    ConditionKind | None,
    Field(description="Only main conditions, or only narrower conditions, which inherit from them."),
]
Grouping = Annotated[
    str | None, Field(min_length=1, max_length=MAX_ID_LENGTH, description="Only entities in this grouping.")
]
Ids = Annotated[
    Annotated[list[str], AfterValidator(_split_ids)] | None,
    Field(description="Only these ids, keys or slugs, separated by commas; at most 100."),
]
EdgeQuery = Annotated[
    str,
    Field(min_length=1, max_length=MAX_QUERY_LENGTH, description="Only neighbors with all of these words in a name."),
    AfterValidator(_not_blank),
]
MinWeight = Annotated[
    float,
    Field(ge=0, le=1, allow_inf_nan=False, description="Only edges with at least this weight, from 0 to 1."),
    BeforeValidator(_is_short),
]
EdgeSource = Annotated[
    str, Field(min_length=1, max_length=MAX_ID_LENGTH, description="Only edges that rest on this source, by its id.")
]
LinkedTo = Annotated[
    Annotated[list[EntityName], Field(max_length=MAX_LINKS)] | None,
    Field(description="Only entities with an edge to this one, by id; repeat it for several, which must all hold."),
]
LinkEdges = Annotated[
    Annotated[list[Annotated[str, Field(min_length=1, max_length=MAX_ID_LENGTH)]], Field(max_length=MAX_LINKS)] | None,
    Field(description="The edge to `linked_to`; any edge if absent. Repeat it in the same order, or send it once."),
]
Inherited = Annotated[bool, Field(description="Whether inherited edges count, or only stated ones.")]
Days = Annotated[int, Field(ge=1, le=MAX_USAGE_DAYS, description="Number of days, including today."), IN_DIGITS]
Switch = Literal["on", "off"]
MatchingMode = Annotated[Matching, Field(description="loose: also less likely results.")]


class SearchParameters(BaseModel):
    """Query parameters of `GET /search`."""

    query: QueryText
    scope: Types = None
    setting: Setting = None
    limit: Limit = 20
    offset: SearchOffset = 0
    synonyms: Switch = Field("on", description="Whether synonym rules apply.")
    spelling: Switch = Field("on", description="Whether spelling corrections are made.")
    matching: MatchingMode = "strict"


class SuggestParameters(BaseModel):
    """Query parameters of `GET /suggest`."""

    query: QueryText
    scope: Types = None
    limit: Annotated[int, Field(ge=1, le=50, description="Maximum number of names."), IN_DIGITS] = 10


class RelatedParameters(BaseModel):
    """Query parameters of `GET /related_conditions/{id}`."""

    limit: RelatedLimit = 10


class ConnectionParameters(BaseModel):
    """Query parameters of `GET /connections`. `from` is a Python keyword, so the fields have other names."""

    start: Annotated[EntityName, Field(alias="from", description=f"One end: {NAMES}.")]
    end: Annotated[EntityName, Field(alias="to", description=f"The other end: {NAMES}.")]
    limit: ConnectionLimit = 5


class UsageParameters(BaseModel):
    """Query parameters of `GET /usage`."""

    days: Days = 30


class NeighborParameters(BaseModel):
    """Query parameters of `GET /{type}/{id}/neighbors`."""

    edge: Annotated[str, Field(min_length=1, description="An edge name; /graph lists them.")]
    target_type: Annotated[TypeName | None, Field(description="Only neighbors of this type.")] = None
    min_weight: MinWeight | None = None
    basis: Annotated[Basis | None, Field(description="Only edges on this basis.")] = None
    source: EdgeSource | None = None
    query: EdgeQuery | None = None
    sort: Annotated[Literal["weight", "name"], Field(description="Strongest first, or by name.")] = "weight"
    limit: Limit = 20
    offset: Offset = 0


class GuideParameters(BaseModel):
    """Query parameters of `GET /guides`. By default all are on one page."""

    limit: ListLimit = MAX_LIST_LIMIT
    offset: Offset = 0


class ListParameters(BaseModel):
    """Query parameters of `GET /{type}`."""

    limit: ListLimit = 20
    offset: Offset = 0
    ids: Ids = None
    setting: Setting = None
    grouping: Grouping = None
    kind: Kind = None
    linked_to: LinkedTo = None
    edge: LinkEdges = None
    inherited: Inherited = True


def names_of(parameters: type[BaseModel]) -> tuple[str, ...]:
    """Return the names of the fields as callers write them."""
    return tuple(field.alias or name for name, field in parameters.model_fields.items())
