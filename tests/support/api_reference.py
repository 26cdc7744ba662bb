"""Routes and response models of the OpenAPI document, as Markdown."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from api import models
from schema.entity_kinds import EdgeName, TypeName

NAMED = {frozenset(get_args(TypeName)): "a type", frozenset(get_args(EdgeName)): "an edge"}
PLAIN = {"string": "text", "null": "null", "boolean": "true or false", "integer": "whole number"} | {
    "number": "number", "object": "object", "": "anything",
}  # fmt: skip
SUCCESS = {"200", "206", "304"}

Schema = Mapping[str, Any]


def operations(document: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield each route, such as `GET /search` in backticks, with its operation."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"`{method.upper()} {path}`", operation


def route(document: Schema, name: str) -> str:
    """Return what a route does, its parameters, its response model and its errors."""
    operation = dict(operations(document))[f"`{name}`"]
    lines = [re.sub(r"\s*\n\s*", " ", operation["description"]), ""]
    rows = [
        f"| `{parameter}` | {place} | {values} | {default} | {meaning} |"
        for parameter, (place, values, default, meaning) in _described(document, operation).items()
    ]
    if rows:
        lines += ["| name | in | values | default | meaning |", "|---|---|---|---|---|", *rows, ""]
    schema = operation["responses"]["200"]["content"].get("application/json", {}).get("schema", {})
    model = f"Response: [`{last(schema['$ref'])}`](#{last(schema['$ref']).lower()}). " if "$ref" in schema else ""
    found = sorted(set(operation["responses"]) - SUCCESS)
    return "\n".join([*lines, f"{model}Errors: {', '.join(found)}."])


def parameters(document: Schema, operation: Schema) -> dict[str, tuple[str, str, str]]:
    """Return the parameters of a route with their place, values and default."""
    return {name: row[:3] for name, row in _described(document, operation).items()}


def _described(document: Schema, operation: Schema) -> dict[str, tuple[str, str, str, str]]:
    found = {
        item["name"]: _row(item["in"], item["schema"], item.get("description", ""), required=item["required"])
        for item in operation.get("parameters", [])
    }
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body:
        properties = document["components"]["schemas"][last(body["$ref"])]["properties"]
        found |= {name: _row("body", schema, schema.get("description", "")) for name, schema in properties.items()}
    return found


def _row(place: str, schema: Schema, meaning: str, *, required: bool = False) -> tuple[str, str, str, str]:
    default = "required" if required else str(schema.get("default", "null"))
    default = {"None": "null", "True": "true", "False": "false"}.get(default, default)
    return place, values(schema), default, meaning.replace("|", "\\|").replace("\n", " ")


def values(schema: Schema) -> str:
    """Return the values of a parameter: `1–500`, `on or off`, `text`."""
    others: list[Schema] = []
    if "anyOf" in schema:
        schema, *others = [option for option in schema["anyOf"] if option.get("type") != "null"]
    if others:
        return " or ".join(map(kind, (schema, *others)))
    if schema.get("type") == "array":
        return f"{values(schema['items'])}, repeated"
    if schema.get("type") in ("integer", "number"):
        minimum, maximum = schema.get("minimum", 0), schema.get("maximum")
        return f"{minimum:g}–{maximum:g}" if maximum is not None else f"{minimum:g} or more"
    if "enum" in schema:
        return NAMED.get(frozenset(schema["enum"])) or " or ".join(map(str, schema["enum"]))
    if "maxLength" in schema:
        least = schema.get("minLength")
        return f"{least}–{schema['maxLength']} characters" if least else f"up to {schema['maxLength']} characters"
    return "true or false" if schema.get("type") == "boolean" else "text"


def kind(schema: Schema) -> str:
    """Return the type of a field: `text`, `list of Card`, `number or null`."""
    if "$ref" in schema:
        return last(schema["$ref"])
    if "anyOf" in schema:
        return " or ".join(kind(option) for option in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        listed = schema.get("enum", [schema.get("const")])
        return NAMED.get(frozenset(listed)) or " or ".join(f"`{value}`" for value in listed)
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}"
    return PLAIN[schema.get("type", "")]


def last(reference: str) -> str:
    """Return the name at the end of a reference."""
    return reference.rpartition("/")[2]


def models_of(document: Schema) -> list[str]:
    """Return the response models in the order in which routes reach them, each base before what extends it."""
    found: list[str] = []
    queue = [
        response["content"][media]["schema"]
        for _, operation in operations(document)
        for response in operation["responses"].values()
        for media in response.get("content", ())
    ]
    while queue:
        for name in re.findall(r"#/components/schemas/(\w+)", str(queue.pop(0))):
            for model in (*reversed(bases(name)), name):
                if model not in found:
                    found.append(model)
                    queue.append(document["components"]["schemas"].get(model, {}))
    return found


def bases(name: str) -> list[str]:
    """Return the published models that a model extends directly."""
    parents = getattr(models, name).__bases__ if hasattr(models, name) else ()
    return [parent.__name__ for parent in parents if parent.__name__ not in ("Model", "BaseModel")]


def response_models(document: Schema) -> str:
    """Return a section for each model of a response: its docstring and its fields without those that it inherits."""
    return "\n\n".join(_model(document, name) for name in models_of(document))


def _model(document: Schema, name: str) -> str:
    model = getattr(models, name, None)
    schema = schema_of(document, name)
    parents = bases(name)
    inherited = {field for parent in parents for field in fields_of(document, parent)}
    rows = [
        f"| `{field}` | {_linked(document, kind(part))} | {part.get('description', '')} |"
        for field, part in schema["properties"].items()
        if field not in inherited or field in getattr(model, "__annotations__", {})
    ]
    words = re.sub(r"\s*\n\s*", " ", schema.get("description", ""))
    text = [f"### `{name}`", "", *([words, ""] if words else [])]
    if parents:
        text += [
            f"It has the fields of {' and '.join(f'[`{parent}`](#{parent.lower()})' for parent in parents)}, and:",
            "",
        ]
    return "\n".join([*text, "| field | type | meaning |", "|---|---|---|", *rows])


def fields_of(document: Schema, name: str) -> list[str]:
    """Return the names of the fields of a model, inherited ones included."""
    return list(schema_of(document, name)["properties"])


def schema_of(document: Schema, name: str) -> Schema:
    """Return the schema of a model; a model that others extend may not be in the document."""
    schemas: Schema = document["components"]["schemas"]
    found: Schema = schemas[name] if name in schemas else getattr(models, name).model_json_schema(by_alias=True)
    return found


def _linked(document: Schema, words: str) -> str:
    names = "|".join(models_of(document))
    return re.sub(rf"(?<![`\w])({names})\b", lambda found: f"[`{found[1]}`](#{found[1].lower()})", words)
