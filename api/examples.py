"""What OpenAPI says of each route beside its code: error answers and examples that work on the shipped graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.errors import PROBLEM
from api.models import Invalid, Problem

if TYPE_CHECKING:
    from pydantic import BaseModel

ERRORS = {
    301: "The id was retired or merged; `Location` is where its heir answers.",
    404: "There is no such entity or path; `suggestions` holds the nearest.",
    405: "The path exists, but not for this method.",
    406: "The caller does not accept JSON.",
    413: "The body is larger than the service reads.",
    416: "The range begins after the end of the file.",
    415: "The body is not announced as JSON.",
    429: "The client asked too often; `Retry-After` says when it may ask again.",
    503: "The search engine is away. Never an empty result.",
    504: "The search engine took longer than the deadline.",
}
OF_ROUTE = {
    "index": (406, 429, 503, 504),
    "healthz": (406,),
    "readyz": (406, 503),  # neither is counted by the limiter
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
WITH_INPUT = frozenset(OF_ROUTE) - {"index", "healthz", "readyz", "graph", "graph_changes", "exports", "export"}
FILES = ("application/gzip", "text/csv", "application/json")


def described(route: str, model: type[BaseModel]) -> dict[str, Any]:
    """Keyword arguments for a route: its name, its real response schemas, its errors."""
    responses: dict[int, Any] = {200: {"model": model, "description": "The answer."}}
    if route in WITH_INPUT:
        responses[422] = {"model": Invalid, "description": "Input that does not fit, with the valid or nearest values."}
    return _route(route, responses)


def described_file(route: str) -> dict[str, Any]:
    """The same for a route that sends files."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}} for media_type in FILES}
    told = {200: "The file.", 206: "The range of it that was asked for.", 304: "The caller has it already."}
    sent = {200: {"content": content}, 206: {"content": content}}
    return _route(route, {status: {"description": says, **sent.get(status, {})} for status, says in told.items()})


def _route(route: str, responses: dict[int, Any]) -> dict[str, Any]:
    schema = {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}
    for status in OF_ROUTE[route]:
        responses[status] = {"description": ERRORS[status], "content": {PROBLEM: schema}}
    return {"name": route, "operation_id": route, "response_model": None, "responses": responses}
