"""Adds to FastAPI's OpenAPI document what FastAPI cannot know: examples, valid values, the problem schema. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi

from api import about, models
from api.rest.openapi_examples import ROUTES_WITH_INPUT

if TYPE_CHECKING:
    from fastapi import FastAPI

    from schema.vocabulary import Vocabulary

EXAMPLES: dict[str, dict[str, Any]] = {
    "search": {"query": "adhd"},
    "suggest": {"query": "scre"},
    "related_conditions": {"id": "low-vision"},
    "connections": {"from": "chief-executives", "to": "multiple-sclerosis"},
    "neighbors": {"type": "limitation", "id": "low-vision", "edge": "limitation_of"},
    "export": {"file": "entities.csv"},
    "entity": {"type": "disability", "id": "multiple-sclerosis"},
    "list": {"type": "ability", "limit": 100},
}
DESCRIPTION = (
    "What helps a person with a condition at work or at school: conditions, limitations, accommodations, products and "
    "vendors, occupations and abilities, linked and sourced. Free, read-only, without a key. " + about.NOTICE
)


def openapi_document(app: FastAPI, vocabulary: Vocabulary) -> dict[str, Any]:
    """Build the document once; FastAPI caches it in `app.openapi_schema`."""
    if app.openapi_schema:
        return app.openapi_schema
    schema = get_openapi(title=app.title, version=app.version, description=DESCRIPTION, routes=app.routes)
    schema["info"]["license"] = {"name": "Apache-2.0", "identifier": "Apache-2.0"}
    schemas = schema["components"]["schemas"]
    schemas.setdefault("Problem", models.Problem.model_json_schema(ref_template="#/components/schemas/{model}"))
    schemas["Problem"].pop("$defs", None)
    for path in schema["paths"].values():
        for operation in path.values():
            _complete(operation, vocabulary)
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    app.openapi_schema = schema
    return schema


def _complete(operation: dict[str, Any], vocabulary: Vocabulary) -> None:
    if operation["operationId"] not in ROUTES_WITH_INPUT:
        operation["responses"].pop("422", None)  # FastAPI declares it wherever there is a parameter
    examples = EXAMPLES.get(operation["operationId"], {})
    for parameter in operation.get("parameters", []):
        name = parameter["name"]
        if name in examples:
            parameter["example"] = examples[name]
        if name == "type" and parameter["in"] == "path":
            parameter["schema"]["enum"] = list(vocabulary.types)
        if name == "edge":
            parameter["schema"]["enum"] = list(vocabulary.edges)
