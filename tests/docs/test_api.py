"""docs/api.md names every route, parameter, shape, field and error of the service, and no other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

from api import errors
from schema.entity_kinds import EdgeName, TypeName
from tests.support.markdown import code, rows, section, sections
from tests.support.project import DOCS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PAGE = (DOCS / "api.md").read_text("utf-8")
SECTIONS = {one.title: one.text for one in sections(PAGE)}
ROUTE = re.compile(r"`([A-Z]+) (/\S*)`")
INHERITS = re.compile(r"^Everything of (.+?)(?:,|\.)", re.MULTILINE)
SHAPE = re.compile(r"\[`(\w+)`\]\(#\w+\)")
LINK = re.compile(r"\[`(\w+)`\]")
UNLISTED = {"/openapi.json"}  # routes that describe themselves and so stand in no schema
NAMED = {frozenset(get_args(TypeName)): "a type", frozenset(get_args(EdgeName)): "an edge"}
PLAIN = {"string": "text", "null": "null", "boolean": "true or false", "integer": "whole number"} | {
    "number": "number", "object": "object", "": "anything",
}  # fmt: skip

Schema = dict[str, Any]


def operations(document: Schema) -> Iterator[tuple[str, Schema]]:
    """Each call as its heading is written, with what OpenAPI says of it."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"`{method.upper()} {path}`", operation


def parameters(document: Schema, operation: Schema) -> dict[str, tuple[str, str, str]]:
    """Name → place, values and default, as the page writes them."""
    given = operation.get("parameters", [])
    found = {one["name"]: _parameter(one["in"], one["schema"], required=one["required"]) for one in given}
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body:
        properties = _named(document, body)["properties"]
        found |= {name: _parameter("body", schema, required=False) for name, schema in properties.items()}
    return found


def _parameter(place: str, schema: Schema, *, required: bool) -> tuple[str, str, str]:
    default = "required" if required else str(schema.get("default", "null"))
    return place, values(schema), "null" if default == "None" else default


def values(schema: Schema) -> str:
    """What a parameter takes: `1–500`, `on or off`, `text`."""
    if "anyOf" in schema:
        schema = next(one for one in schema["anyOf"] if one["type"] != "null")
    if schema["type"] == "array":
        return f"{values(schema['items'])}, repeated"
    if schema["type"] == "integer":
        least, most = schema["minimum"], schema.get("maximum")
        return f"{least:g}–{most:g}" if most is not None else f"{least:g} or more"
    if "enum" in schema:
        return NAMED.get(frozenset(schema["enum"])) or " or ".join(schema["enum"])
    if "maxLength" in schema:
        return f"{schema['minLength']}–{schema['maxLength']} characters"
    return "text"


def kind(schema: Mapping[str, Any]) -> str:
    """The type of a field: `text`, `list of Card`, `number or null`."""
    if "$ref" in schema:
        return _last(schema["$ref"])
    if "anyOf" in schema:
        return " or ".join(kind(one) for one in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        listed = schema.get("enum", [schema.get("const")])
        return NAMED.get(frozenset(listed)) or " or ".join(f"`{one}`" for one in listed)
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}"
    return PLAIN[schema.get("type", "")]


def _last(reference: str) -> str:
    return reference.rpartition("/")[2]


def _named(document: Schema, schema: Schema) -> Schema:
    found: Schema = document["components"]["schemas"][_last(schema["$ref"])]
    return found


def reachable(document: Schema) -> set[str]:
    """Names of all shapes that an answer may hold."""
    found: set[str] = set()
    waiting = [
        answer["content"][media]["schema"]
        for _, operation in operations(document)
        for answer in operation["responses"].values()
        for media in answer.get("content", ())
    ]
    while waiting:
        names = set(re.findall(r"#/components/schemas/(\w+)", str(waiting.pop()))) - found
        found |= names
        waiting += [document["components"]["schemas"][name] for name in names]
    return found


def described(shape: str) -> dict[str, str]:
    """Field → type of one shape on the page, with what it takes over from others."""
    text = SECTIONS[f"`{shape}`"]
    inherits = INHERITS.search(text)
    fields: dict[str, str] = {}
    for parent in LINK.findall(inherits[1]) if inherits else []:
        fields |= described(parent)
    return fields | {code(row["field"]): SHAPE.sub(r"\1", row["type"]) for row in rows(text)}


def test_every_route_has_its_heading_and_no_heading_is_left_over(document: Schema) -> None:
    headings = {title for title in SECTIONS if ROUTE.fullmatch(title)}
    assert headings == {title for title, _ in operations(document)} | {f"`GET {path}`" for path in UNLISTED}


def test_every_parameter_has_its_row_and_no_row_is_left_over(document: Schema) -> None:
    for title, operation in operations(document):
        table = [row for row in rows(SECTIONS[title]) if "name" in row]
        found = {code(row["name"]): (row["in"], row["values"], code(row["default"])) for row in table}
        assert found == parameters(document, operation), title


def test_every_route_names_the_shape_of_its_answer(document: Schema) -> None:
    for title, operation in operations(document):
        answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
        if "$ref" not in answer:  # a file
            continue
        shape = _last(answer["$ref"])
        assert f"Answer: [`{shape}`](#{shape.lower()})" in SECTIONS[title], title


def test_every_shape_has_its_heading_and_no_heading_is_left_over(document: Schema) -> None:
    headings = {title.strip("`") for title in SECTIONS if re.fullmatch(r"`\w+`", title)}
    abstract = {shape for text in SECTIONS.values() if (m := INHERITS.search(text)) for shape in LINK.findall(m[1])}
    assert headings - (abstract - reachable(document)) == reachable(document)


def test_every_field_has_its_row_and_no_row_is_left_over(document: Schema) -> None:
    for shape in sorted(reachable(document)):
        properties = document["components"]["schemas"][shape]["properties"]
        assert described(shape) == {name: kind(schema) for name, schema in properties.items()}, shape


def test_every_error_has_its_row_and_no_row_is_left_over() -> None:
    found = {int(row["status"]): row["title"] for row in rows(section(PAGE, "Errors")) if "status" in row}
    classes = errors.ServiceError.__subclasses__()
    assert found == {one.status: one.title for one in classes}


def test_every_error_of_a_route_stands_under_it(document: Schema) -> None:
    for title, operation in operations(document):
        match = re.search(r"^Errors: (.+)$", SECTIONS[title], re.MULTILINE)
        found = set(re.findall(r"\d{3}", match[1])) if match else set()
        assert found == set(operation["responses"]) - {"200", "206", "304"}, title
