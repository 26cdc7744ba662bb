"""Arguments of MCP tools: the parameters of REST with the same names and bounds.

The published schemas are flat (no references, no unions), because many clients support nothing else. Null means that
an argument is absent, and a single type is accepted as a list. Everything else that does not fit is rejected with a
message from which the model can correct its call.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from api.errors import InvalidError
from api.models import JSON_INTEGER, MAX_EXCLUDED, MAX_QUESTION_LENGTH, MAX_SEEDS, SEEDS, Readable
from api.parameters import (
    MAX_ID_LENGTH,
    MAX_LINKS,
    MAX_OFFSET,
    MAX_QUERY_LENGTH,
    MAX_SEARCH_OFFSET,
    ConnectionLimit,
    Inherited,
    Limit,
    ListLimit,
    MatchingMode,
    RelatedLimit,
    Switch,
    names_of,
    unique,
)
from api.request_text import MAX_VALUE_BYTES, shorten_name
from schema.entity_kinds import Basis, ConditionKind, EdgeName, SettingName, TypeName
from schema.json_types import JsonObject
from schema.text import nearest


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("should contain at least one character that is not a space")
    return text


def _is_position(offset: int) -> int:
    if offset > MAX_OFFSET:
        raise ValueError(f"should be at most {MAX_OFFSET}")
    return offset


def _as_list(value: object) -> object:
    """Accept a single type, or several separated by commas, as a list."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _as_texts(value: object) -> object:
    """Accept a text as a list of one. Names have commas."""
    return [value] if isinstance(value, str) else value


NotBlank = Annotated[Readable, AfterValidator(_not_blank), Field(min_length=1)]
Words = Annotated[
    NotBlank,
    Field(max_length=MAX_QUERY_LENGTH, description="A name, a few plain words, or an id."),
]
Id = Annotated[
    NotBlank,
    Field(max_length=MAX_ID_LENGTH, description="An id of a result, such as solution:cooling-clothing."),
]
OptionalType = Annotated[
    TypeName | None,
    Field(description="The entity's type, if the id is a slug or name of several."),
]
Offset = Annotated[int, Field(ge=0, description="Results to skip."), AfterValidator(_is_position)]
Setting = Annotated[
    SettingName | None,
    Field(description="Only accommodations for this setting; testing is for exams."),
]
Detail = Annotated[
    Literal["brief", "full"],
    Field(description="brief: at most 12 kB of JSON; omitted counts the rest."),
]
SeedText = Annotated[Readable | None, Field(max_length=MAX_QUERY_LENGTH)]
SeedTexts = Annotated[list[Readable], BeforeValidator(_as_texts)]


class Arguments(BaseModel):
    """Arguments of one tool. Unknown ones are rejected, so that a misspelled one is never ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NoArguments(Arguments):
    """No arguments."""


class SearchArguments(Arguments):
    """Arguments of `GET /search`."""

    query: Words
    scope: Annotated[list[TypeName], BeforeValidator(_as_list), AfterValidator(unique)] = Field(
        [], description="Only these types; all if absent."
    )
    setting: Setting = None
    limit: Limit = 20
    offset: int = Field(0, ge=0, le=MAX_SEARCH_OFFSET, description="Results to skip.")
    synonyms: Switch = Field("on", description="Apply synonym rules.")
    spelling: Switch = Field("on", description="Correct spelling.")
    matching: MatchingMode = "strict"
    detail: Detail = "brief"


class EntityArguments(Arguments):
    """Arguments of `GET /{type}/{id}`."""

    id: Id
    type: OptionalType = None
    detail: Detail = "brief"


class ListArguments(Arguments):
    """Arguments of `GET /{type}`."""

    type: TypeName = Field(description="The type to list.")
    setting: Setting = None
    grouping: Readable | None = Field(
        None,
        min_length=1,
        max_length=MAX_ID_LENGTH,
        description="Only conditions or limitations in a category of special education law, such as autism.",
    )
    kind: ConditionKind | None = Field(
        None,
        description="Only main conditions, or only narrower ones, which inherit.",
    )
    linked_to: Annotated[list[Readable], BeforeValidator(_as_list)] = Field(
        [], max_length=MAX_LINKS, description="Only entities with an edge to each of these ids."
    )
    edge: Annotated[list[Readable], BeforeValidator(_as_list)] = Field(
        [], max_length=MAX_LINKS, description="The edge to linked_to; any if absent."
    )
    inherited: Inherited = True
    limit: ListLimit = 20
    offset: Offset = 0
    detail: Detail = "brief"


class RelatedArguments(Arguments):
    """Arguments of `GET /{type}/{id}/neighbors`."""

    id: Id
    edge: Readable = Field(
        min_length=1,
        max_length=MAX_ID_LENGTH,
        description="The relation to follow.",
        json_schema_extra={"enum": list(get_args(EdgeName))},  # the entity's own edges are checked later
    )
    type: OptionalType = None
    target_type: TypeName | None = Field(None, description="Only neighbors of this type.")
    min_weight: float | None = Field(None, ge=0, le=1, description="Least weight of the edges.")
    basis: Basis | None = Field(None, description="Only edges on this basis.")
    source: Readable | None = Field(None, max_length=MAX_ID_LENGTH, description="Only edges from this source.")
    query: Words | None = Field(None, description="Only neighbors with these words in a name.")
    sort: Literal["weight", "name"] = Field("weight", description="Strongest first, or by name.")
    limit: int = Field(20, ge=1, le=500, description="Maximum number of neighbors.")
    offset: Offset = 0
    detail: Detail = "brief"


class RecommendArguments(Arguments):
    """Arguments of `POST /recommend`."""

    question: Annotated[Readable | None, Field(max_length=MAX_QUESTION_LENGTH)] = Field(
        None, description="The need in plain words."
    )
    disability: SeedTexts = Field([], description="Conditions.")
    limitation: SeedTexts = Field([], description="What is hard to do.")
    work_function: SeedTexts = Field([], description="Work functions.")
    occupation: SeedTexts = Field([], description="The job.")
    exclude: SeedTexts = Field([], description="What does not suit.")
    setting: Setting = None
    limit: int = Field(20, ge=1, description="5 to 10 keep it short.")
    detail: Detail = "brief"

    @model_validator(mode="after")
    def limit_seeds(self) -> Self:
        """Reject more seeds than a ranking can serve."""
        count = sum(len(getattr(self, field)) for field in SEEDS)
        if count > MAX_SEEDS or len(self.exclude) > MAX_EXCLUDED:
            raise ValueError(f"at most {MAX_SEEDS} names in {', '.join(SEEDS)}, and {MAX_EXCLUDED} in exclude")
        return self


class ConditionsArguments(Arguments):
    """Arguments of `GET /related_conditions/{id}`, and one condition to compare with."""

    id: Id = Field(description="The condition's id, such as disability:fibromyalgia.")
    other: Readable | None = Field(
        None,
        max_length=MAX_ID_LENGTH,
        description="Compare with this id only; lists all that both share.",
    )
    limit: RelatedLimit = 10
    detail: Detail = "brief"


class ConnectionArguments(Arguments):
    """Arguments of `GET /connections`. `from` is a keyword of Python, so the field has another name."""

    model_config = ConfigDict(validate_by_alias=True, validate_by_name=False)

    start: Words = Field(alias="from", description="One end: an id, a name or an alias.")
    end: Words = Field(alias="to", description="The other end: an id, a name or an alias.")
    limit: ConnectionLimit = 5
    detail: Detail = "brief"


class FindArguments(Arguments):
    """Arguments of `search`."""

    query: Words


class FetchArguments(Arguments):
    """Arguments of `fetch`."""

    id: Id = Field(description="An id from search, such as disability:low-vision.")


def flat_schema(model: type[Arguments]) -> JsonObject:
    """Return the published input schema: one flat object."""
    nested = model.model_json_schema()
    properties = {name: _flat(field) for name, field in nested["properties"].items()}
    required = {"required": nested["required"]} if "required" in nested else {}
    return {"type": "object", "properties": properties, **required, "additionalProperties": False}


def _flat(field: Mapping[str, Any]) -> JsonObject:
    """Return a property without its title; a nullable one is published as its other type."""
    option_type: JsonObject = next((option for option in field.get("anyOf", ()) if option.get("type") != "null"), {})
    merged = {**option_type, **{name: value for name, value in field.items() if name not in ("anyOf", "title")}}
    return {name: value for name, value in merged.items() if not (name == "default" and value in (None, []))}


def parse_arguments(model: type[Arguments], values: Mapping[str, Any] | None) -> Arguments:
    """Return the arguments; raise an InvalidError that names every invalid one and its valid values."""
    present = {name: value for name, value in (values or {}).items() if value is not None}
    try:
        return model.model_validate(present)
    except ValidationError as error:
        raise InvalidError([_problem(model, dict(detail)) for detail in error.errors()]) from None


def _problem(model: type[Arguments], error: Mapping[str, Any]) -> JsonObject:
    name = str(error["loc"][0]) if error["loc"] else ""
    known = names_of(model)
    if error["type"] == "extra_forbidden":
        message = (
            f"unknown argument {shorten_name(name)!r}{_did_you_mean(name, known)}; valid arguments: {_joined(known)}"
        )
    elif error["type"] == "missing":
        message = f"{name} is missing; valid arguments: {_joined(known)}"
    elif error["type"] == "literal_error":
        valid = [part.strip("'") for part in error["ctx"]["expected"].replace(" or ", ", ").split(", ")]
        hint = _did_you_mean(error["input"], valid)
        message = f"{name}: {_shown(error['input'])} is not a valid value{hint}; valid values: {_joined(valid)}"
    elif error["type"] in ("too_long", "string_too_long"):
        message = f"{name}: at most {error['ctx']['max_length']} characters; it has {len(error['input'])}"
    elif error["type"] in ("int_type", "int_parsing"):
        message = f"{name}: {JSON_INTEGER}; it is {_shown(error['input'])}"
    else:
        message = f"{name}: {error['msg'].removeprefix('Value error, ')}; it is {_shown(error['input'])}"
    return {"loc": list(error["loc"]), "msg": message, "type": error["type"]}


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= MAX_VALUE_BYTES else f"{len(text)} characters long"


def _did_you_mean(value: object, valid: Sequence[str]) -> str:
    near = nearest(str(value)[:MAX_ID_LENGTH], valid)
    return f" (did you mean {near!r}?)" if near else ""


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names) or "no arguments"


def query_parameters(arguments: Arguments) -> list[tuple[str, str]]:
    """Return the equivalent query parameters of REST, without `offset`, for links to other pages."""
    parameters: list[tuple[str, str]] = []
    for name in type(arguments).model_fields:
        if name in arguments.model_fields_set and name not in ("offset", "type", "id", "detail"):
            value = getattr(arguments, name)
            values = value if isinstance(value, list) else [value]
            parameters += [(name, str(item).lower() if isinstance(item, bool) else str(item)) for item in values]
    return parameters
