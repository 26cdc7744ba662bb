"""What MCP tools take: the parameters of REST under the same names, with the same bounds. Pure.

The published schemas are flat (no references, no unions), because not every client reads more. What models send a
little wrong is taken as meant where nothing can be misread: null for "not given", one type where a list is expected.
Everything else is refused with words that let the caller mend the call.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from api.errors import InvalidError
from api.models import ConditionKind, EdgeName, Readable, SettingName, TypeName
from api.naming import LONGEST_ID
from api.routes import DEEPEST, LONGEST_QUERY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Body = dict[str, Any]
IDEAS = 3  # accommodations under each heading of an entity, unless more are asked for: a hub has 500 of them


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("should hold at least one character that is not a space")
    return text


def _listed(given: object) -> object:
    """One type where a list is expected is a list of one; several may be divided by commas."""
    return [part.strip() for part in given.split(",")] if isinstance(given, str) else given


Words = Annotated[
    Readable,
    AfterValidator(_not_blank),
    Field(
        min_length=1,
        max_length=LONGEST_QUERY,
        description="What to look for: a name, a few plain words about one subject, or an id.",
    ),
]
Id = Annotated[
    Readable,
    AfterValidator(_not_blank),
    Field(min_length=1, max_length=LONGEST_ID, description="The id as other tools give it, such as solution:telework."),
]
OptionalType = Annotated[
    TypeName | None,
    Field(description="The entity's type. Only needed where the id is given without it, as a key or a slug."),
]
Offset = Annotated[int, Field(ge=0, description="Results to pass over, to read the next page.")]
Setting = Annotated[
    SettingName | None, Field(description="Only accommodations used there: work, school or testing (tests and exams).")
]
Switch = Literal["on", "off"]
SeedText = Annotated[Readable | None, Field(max_length=LONGEST_QUERY)]


class Arguments(BaseModel):
    """The arguments of one tool. Unknown ones are refused, so that a misspelt one is never ignored."""

    model_config = ConfigDict(extra="forbid")


class NoArguments(Arguments):
    """Nothing."""


class SearchArguments(Arguments):
    """Those of `GET /search`."""

    query: Words
    scope: Annotated[
        list[TypeName], BeforeValidator(_listed), Field(description="Only these types. Leave it out for all.")
    ] = []
    setting: Setting = None
    limit: Annotated[int, Field(ge=1, le=500, description="Most results to return.")] = 20
    offset: Annotated[int, Field(ge=0, le=DEEPEST, description="Results to pass over, to read the next page.")] = 0
    synonyms: Annotated[Switch, Field(description="Whether synonym rules may help.")] = "on"
    spelling: Annotated[Switch, Field(description="Whether slips of the pen may be corrected.")] = "on"


class EntityArguments(Arguments):
    """Those of `GET /{type}/{id}`, and how much of the longest list to show."""

    id: Id
    type: OptionalType = None
    ideas: Annotated[
        int, Field(ge=0, le=500, description="Most accommodations to list under each heading of accommodation_ideas.")
    ] = IDEAS


class ListArguments(Arguments):
    """Those of `GET /{type}`."""

    type: Annotated[TypeName, Field(description="The type to list.")]
    setting: Setting = None
    grouping: Annotated[
        Readable | None,
        Field(
            min_length=1,
            max_length=LONGEST_ID,
            description="Only conditions or limitations in a category of special education law, such as autism.",
        ),
    ] = None
    kind: Annotated[
        ConditionKind | None,
        Field(description="Only conditions with lists of their own (main), or only the narrower ones that inherit."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=100, description="Most entities to return.")] = 20
    offset: Offset = 0


class RelatedArguments(Arguments):
    """Those of `GET /{type}/{id}/neighbors`."""

    id: Id
    edge: Annotated[
        Readable,
        Field(
            min_length=1,
            max_length=LONGEST_ID,
            description="The relation to follow, in the direction that leaves this entity.",
            json_schema_extra={"enum": list(get_args(EdgeName))},  # a wrong one is refused by the entity's own edges
        ),
    ]
    type: OptionalType = None
    limit: Annotated[int, Field(ge=1, le=500, description="Most neighbors to return.")] = 20
    offset: Offset = 0


class RecommendArguments(Arguments):
    """Those of `POST /recommend`."""

    disability: Annotated[SeedText, Field(description="A condition: its id, name or another name.")] = None
    limitation: Annotated[SeedText, Field(description="What is hard to do, feel or control: id or name.")] = None
    work_function: Annotated[SeedText, Field(description="A part of working life: id or name.")] = None
    occupation: Annotated[
        SeedText,
        Field(description="The person's job: id or title. Give it beside one of the others, never alone."),
    ] = None
    setting: Setting = None
    limit: Annotated[int, Field(ge=1, description="Most accommodations to return; 5 to 10 keep the answer short.")] = 20


class ConditionsArguments(Arguments):
    """Those of `GET /related_conditions/{id}`, and the one condition that is to be compared."""

    id: Annotated[Id, Field(description="The condition's id, such as disability:fibromyalgia.")]
    other: Annotated[
        Readable | None,
        Field(
            max_length=LONGEST_ID, description="Compare with this condition only, and name all that both share: its id."
        ),
    ] = None
    limit: Annotated[int, Field(ge=1, le=50, description="Most conditions to return.")] = 10


class ConnectionArguments(Arguments):
    """Those of `GET /connections`. `from` is a word of Python, so the field has another name."""

    model_config = ConfigDict(extra="forbid", validate_by_alias=True, validate_by_name=False)

    start: Annotated[Words, Field(alias="from", description="One end: an id, a name or another name.")]
    end: Annotated[Words, Field(alias="to", description="The other end: an id, a name or another name.")]
    limit: Annotated[int, Field(ge=1, le=20, description="Most connections to return.")] = 5


class FindArguments(Arguments):
    """What `search` takes."""

    query: Words


class FetchArguments(Arguments):
    """What `fetch` takes."""

    id: Annotated[Id, Field(description="An id from search, such as disability:low-vision.")]


def schema(takes: type[Arguments]) -> Body:
    """The input schema as it is published: one flat object."""
    found = takes.model_json_schema()
    properties = {name: _flat(one) for name, one in found.get("properties", {}).items()}
    required = {"required": found["required"]} if "required" in found else {}
    return {"type": "object", "properties": properties, **required, "additionalProperties": False}


def _flat(one: Mapping[str, Any]) -> Body:
    """A property without its title; one that may be null is published as what it is when given."""
    given: Body = next((option for option in one.get("anyOf", ()) if option.get("type") != "null"), {})
    kept = {**given, **{name: value for name, value in one.items() if name not in ("anyOf", "title")}}
    return {name: value for name, value in kept.items() if not (name == "default" and value in (None, []))}


def read(takes: type[Arguments], given: Mapping[str, Any] | None) -> Arguments:
    """The arguments, or an InvalidError that names every one that does not fit with what would."""
    present = {name: value for name, value in (given or {}).items() if value is not None}
    try:
        return takes.model_validate(present)
    except ValidationError as error:
        raise InvalidError([_problem(takes, dict(one)) for one in error.errors()]) from None


def _problem(takes: type[Arguments], error: Mapping[str, Any]) -> Body:
    name = str(error["loc"][0]) if error["loc"] else ""
    known = [field.alias or own for own, field in takes.model_fields.items()]
    if error["type"] == "extra_forbidden":
        message = f"unknown argument {name[:LONGEST_ID]!r}{_meant(name, known)}; this tool takes: {_and(known)}"
    elif error["type"] == "missing":
        message = f"{name} is missing; this tool takes: {_and(known)}"
    elif error["type"] == "literal_error":
        valid = [part.strip("'") for part in error["ctx"]["expected"].replace(" or ", ", ").split(", ")]
        hint = _meant(error["input"], valid)
        message = f"{name}: {_shown(error['input'])} is not one of its values{hint}; they are: {_and(valid)}"
    elif error["type"] in ("too_long", "string_too_long"):
        message = f"{name}: at most {error['ctx']['max_length']} characters, but it has {len(error['input'])}"
    else:
        message = f"{name}: {error['msg'].removeprefix('Value error, ')}, but it was {_shown(error['input'])}"
    return {"loc": list(error["loc"]), "msg": message, "type": error["type"]}


def _shown(given: object) -> str:
    text = ascii(given)
    return text if len(text) <= LONGEST_ID else f"{len(text)} characters long"


def _meant(given: object, valid: Sequence[str]) -> str:
    near = difflib.get_close_matches(str(given)[:LONGEST_ID].casefold(), valid, n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _and(names: Sequence[str]) -> str:
    return ", ".join(names) or "no arguments"


def sent(arguments: Arguments) -> list[tuple[str, str]]:
    """What a REST caller would have sent for the same, without `offset`: for the links to other pages."""
    found: list[tuple[str, str]] = []
    for name in type(arguments).model_fields:
        if name in arguments.model_fields_set and name not in ("offset", "type", "id"):
            value = getattr(arguments, name)
            found += [(name, str(one)) for one in (value if isinstance(value, list) else [value])]
    return found
