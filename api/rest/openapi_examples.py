"""OpenAPI options of each route: its name, its response models and its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.errors import PROBLEM
from api.models import Problem, ValidationProblem

if TYPE_CHECKING:
    from pydantic import BaseModel

ERROR_DESCRIPTIONS = {
    301: "The id was retired or merged; `Location` is the id that replaces it.",
    404: "The entity or path does not exist; `suggestions` lists the nearest.",
    405: "The path does not support this method.",
    406: "The client does not accept JSON.",
    413: "The body exceeds the size limit.",
    416: "The range starts after the end of the file.",
    415: "The body is not declared as JSON.",
    429: "The client exceeded its rate limit; `Retry-After` says when to retry.",
    503: "The search engine is unavailable. Never an empty result.",
    504: "The search engine exceeded the deadline.",
}
ERRORS_BY_ROUTE = {
    "index": (406, 429, 503, 504),
    "healthz": (406,),
    "readyz": (406, 503),  # neither is rate-limited
    "search": (406, 429, 503, 504),
    "suggest": (406, 429, 503, 504),
    "recommend": (406, 413, 415, 429, 503, 504),
    "related_conditions": (301, 404, 406, 429, 503, 504),
    "connections": (301, 406, 429, 503, 504),
    "graph": (406, 429, 503, 504),
    "graph_changes": (406, 429, 503, 504),
    "exports": (404, 406, 429, 503, 504),
    "export": (404, 416, 429, 503, 504),
    "usage": (406, 429, 503, 504),
    "neighbors": (301, 404, 406, 429, 503, 504),
    "entity": (301, 404, 406, 429, 503, 504),
    "list": (406, 429, 503, 504),
}
ROUTES_WITH_INPUT = frozenset(ERRORS_BY_ROUTE) - {
    "index",
    "healthz",
    "readyz",
    "graph",
    "graph_changes",
    "exports",
    "export",
}
FILE_TYPES = ("application/gzip", "text/csv", "application/json")


def route_options(route: str, model: type[BaseModel]) -> dict[str, Any]:
    """Return the keyword arguments of a route: its name, response schemas and errors."""
    responses: dict[int, Any] = {200: {"model": model, "description": "The result."}}
    if route in ROUTES_WITH_INPUT:
        responses[422] = {
            "model": ValidationProblem,
            "description": "Invalid input, with the valid or nearest values.",
        }
    return _options(route, responses)


def file_route_options(route: str) -> dict[str, Any]:
    """Return the keyword arguments of a route that sends files."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}} for media_type in FILE_TYPES}
    responses: dict[int, Any] = {
        200: {"description": "The file.", "content": content},
        206: {"description": "The requested range of the file.", "content": content},
        304: {"description": "The client already has the file."},
    }
    return _options(route, responses)


def _options(route: str, responses: dict[int, Any]) -> dict[str, Any]:
    schema = {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}
    for status in ERRORS_BY_ROUTE[route]:
        responses[status] = {"description": ERROR_DESCRIPTIONS[status], "content": {PROBLEM: schema}}
    return {"name": route, "operation_id": route, "response_model": None, "responses": responses}
