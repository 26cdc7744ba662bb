"""docs/reference/api.md describes exactly the routes, parameters, models, fields and errors of the service."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from api import errors
from schema.entity_kinds import EdgeName, TypeName
from tests.support.markdown import code, rows, section, sections
from tests.support.project import DOCS

PAGE = (DOCS / "reference/api.md").read_text("utf-8")
SECTIONS = {part.title: part.text for part in sections(PAGE)}
ROUTE = re.compile(r"`([A-Z]+) (/\S*)`")
INHERITS = re.compile(r"^Everything of (.+?)(?:,|\.)", re.MULTILINE)
MODEL = re.compile(r"\[`(\w+)`\]\(#\w+\)")
LINK = re.compile(r"\[`(\w+)`\]")
UNLISTED = {"/openapi.json"}  # routes that the OpenAPI document omits
NAMED = {frozenset(get_args(TypeName)): "a type", frozenset(get_args(EdgeName)): "an edge"}
PLAIN = {"string": "text", "null": "null", "boolean": "true or false", "integer": "whole number"} | {
    "number": "number", "object": "object", "": "anything",
}  # fmt: skip

Schema = dict[str, Any]


def operations(document: Schema) -> Iterator[tuple[str, Schema]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"`{method.upper()} {path}`", operation


def parameters(document: Schema, operation: Schema) -> dict[str, tuple[str, str, str]]:
    declared = operation.get("parameters", [])
    found = {item["name"]: _parameter(item["in"], item["schema"], required=item["required"]) for item in declared}
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body:
        properties = _named(document, body)["properties"]
        found |= {name: _parameter("body", schema, required=False) for name, schema in properties.items()}
    return found


def _parameter(place: str, schema: Schema, *, required: bool) -> tuple[str, str, str]:
    default = "required" if required else str(schema.get("default", "null"))
    return place, values(schema), {"None": "null", "True": "true", "False": "false"}.get(default, default)


def values(schema: Schema) -> str:
    """Return the values of a parameter: `1–500`, `on or off`, `text`."""
    if "anyOf" in schema:
        schema, *others = [option for option in schema["anyOf"] if option["type"] != "null"]
    else:
        others = []
    if others or schema["type"] == "array":
        return " or ".join(map(kind, (schema, *others))) if others else f"{values(schema['items'])}, repeated"
    if schema["type"] in ("integer", "number"):
        minimum, maximum = schema["minimum"], schema.get("maximum")
        return f"{minimum:g}–{maximum:g}" if maximum is not None else f"{minimum:g} or more"
    if schema["type"] == "boolean":
        return "true or false"
    if "enum" in schema:
        return NAMED.get(frozenset(schema["enum"])) or " or ".join(schema["enum"])
    if "maxLength" in schema:
        least = schema.get("minLength")
        return f"{least}–{schema['maxLength']} characters" if least else f"up to {schema['maxLength']} characters"
    return "text"


def kind(schema: Mapping[str, Any]) -> str:
    """Return the type of a field: `text`, `list of Card`, `number or null`."""
    if "$ref" in schema:
        return _last(schema["$ref"])
    if "anyOf" in schema:
        return " or ".join(kind(option) for option in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        listed = schema.get("enum", [schema.get("const")])
        return NAMED.get(frozenset(listed)) or " or ".join(f"`{value}`" for value in listed)
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}"
    return PLAIN[schema.get("type", "")]


def _last(reference: str) -> str:
    return reference.rpartition("/")[2]


def _named(document: Schema, schema: Schema) -> Schema:
    found: Schema = document["components"]["schemas"][_last(schema["$ref"])]
    return found


def reachable(document: Schema) -> set[str]:
    found: set[str] = set()
    queue = [
        response["content"][media]["schema"]
        for _, operation in operations(document)
        for response in operation["responses"].values()
        for media in response.get("content", ())
    ]
    while queue:
        names = set(re.findall(r"#/components/schemas/(\w+)", str(queue.pop()))) - found
        found |= names
        queue += [document["components"]["schemas"][name] for name in names]
    return found


def described(model: str) -> dict[str, str]:
    text = SECTIONS[f"`{model}`"]
    inherits = INHERITS.search(text)
    fields: dict[str, str] = {}
    for parent in LINK.findall(inherits[1]) if inherits else []:
        fields |= described(parent)
    return fields | {code(row["field"]): MODEL.sub(r"\1", row["type"]) for row in rows(text)}


def test_the_page_lists_exactly_the_routes(document: Schema) -> None:
    headings = {title for title in SECTIONS if ROUTE.fullmatch(title)}
    assert headings == {title for title, _ in operations(document)} | {f"`GET {path}`" for path in UNLISTED}


def test_the_page_lists_exactly_the_parameters_of_each_route(document: Schema) -> None:
    for title, operation in operations(document):
        table = [row for row in rows(SECTIONS[title]) if "name" in row]
        found = {code(row["name"]): (row["in"], row["values"], code(row["default"])) for row in table}
        assert found == parameters(document, operation), title


def test_every_route_names_its_response_model(document: Schema) -> None:
    for title, operation in operations(document):
        response = operation["responses"]["200"]["content"]["application/json"]["schema"]
        if "$ref" not in response:  # a file
            continue
        model = _last(response["$ref"])
        assert f"Answer: [`{model}`](#{model.lower()})" in SECTIONS[title], title


def test_the_page_lists_exactly_the_response_models(document: Schema) -> None:
    headings = {title.strip("`") for title in SECTIONS if re.fullmatch(r"`\w+`", title)}
    abstract = {model for text in SECTIONS.values() if (m := INHERITS.search(text)) for model in LINK.findall(m[1])}
    assert headings - (abstract - reachable(document)) == reachable(document)


def test_the_page_lists_exactly_the_fields_of_each_model(document: Schema) -> None:
    for model in sorted(reachable(document)):
        properties = document["components"]["schemas"][model]["properties"]
        assert described(model) == {name: kind(schema) for name, schema in properties.items()}, model


def test_the_page_lists_exactly_the_errors() -> None:
    found = {int(row["status"]): row["title"] for row in rows(section(PAGE, "Errors")) if "status" in row}
    classes = errors.ServiceError.__subclasses__()
    assert found == {error.status: error.title for error in classes}


def test_every_route_lists_its_errors(document: Schema) -> None:
    for title, operation in operations(document):
        match = re.search(r"^Errors: (.+)$", SECTIONS[title], re.MULTILINE)
        found = set(re.findall(r"\d{3}", match[1])) if match else set()
        assert found == set(operation["responses"]) - {"200", "206", "304"}, title
