"""The OpenAPI options of each route; the index of the API and `llms.txt`, from an OpenAPI document."""

import pytest

from api import models
from api.rest.openapi import (
    ERROR_DESCRIPTIONS,
    ERRORS_BY_ROUTE,
    build_index,
    file_route_options,
    render_llms_txt,
    route_options,
)

PROBLEM_SCHEMA = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}

STATUSES = {
    "index": {200, 406, 429, 503, 504},
    "healthz": {200, 406},
    "readyz": {200, 406, 503},
    "search": {200, 406, 422, 429, 503, 504},
    "suggest": {200, 406, 422, 429, 503, 504},
    "recommend": {200, 406, 413, 415, 422, 429, 503, 504},
    "related_conditions": {200, 301, 404, 406, 422, 429, 503, 504},
    "guides": {200, 406, 422, 429, 503, 504},
    "guide": {200, 404, 406, 429, 503, 504},
    "connections": {200, 406, 422, 429, 503, 504},
    "graph": {200, 406, 429, 503, 504},
    "graph_changes": {200, 406, 429, 503, 504},
    "exports": {200, 404, 406, 429, 503, 504},
    "export": {200, 206, 304, 404, 416, 429, 503, 504},
    "usage": {200, 406, 422, 429, 503, 504},
    "neighbors": {200, 301, 404, 406, 422, 429, 503, 504},
    "entity": {200, 301, 404, 406, 422, 429, 503, 504},
    "list": {200, 404, 406, 422, 429, 503, 504},
}


def test_the_index_lists_each_call_with_a_working_example() -> None:
    parameters = [
        {"name": "type", "in": "path", "required": True, "example": "ability"},
        {"name": "limit", "in": "query", "required": False, "example": 100},
        {"name": "edge", "in": "query", "required": True, "example": "a b"},
    ]
    operation = {"description": "List them.\nMore.", "parameters": parameters}
    document = {"info": {"description": "What helps."}, "paths": {"/": {"get": {}}, "/{type}": {"get": operation}}}
    body = build_index(document)
    assert body["calls"] == [
        {"method": "GET", "path": "/{type}", "description": "List them.", "example": "/ability?edge=a+b", "body": None}
    ]
    source = {"title": "Atlas", "url": "https://atlas.example.org", "licence": "CC0-1.0", "attribution": "From Atlas."}
    provenance = {"data_version": "1.0.0", "sources": [source]}
    notice = {"text": "No advice.", "url": "https://askjan.org/"}
    text = render_llms_txt({**body, "provenance": provenance, "notice": notice}, "https://example.org")
    assert text.startswith("# Accommodation Knowledge Graph\n\n> What helps.\n")
    assert "- [`GET /{type}`](https://example.org/ability?edge=a+b): List them." in text
    assert "Data version 1.0.0." in text
    assert "- [Atlas](https://atlas.example.org), CC0-1.0: From Atlas." in text
    assert "\nNo advice. Advice: https://askjan.org/\n" in text


def test_a_call_with_a_body_shows_the_example_of_its_model() -> None:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Seeds"}}}
    paths = {"/recommend": {"post": {"description": "Recommend.", "requestBody": {"content": content}}}}
    document = {
        "info": {"description": "What helps."},
        "paths": paths,
        "components": {"schemas": {"Seeds": {"examples": [{"disability": "adhd"}]}}},
    }
    (call,) = build_index(document)["calls"]
    assert (call["method"], call["body"]) == ("POST", {"disability": "adhd"})


def test_every_route_has_a_row_here() -> None:
    assert set(STATUSES) == set(ERRORS_BY_ROUTE)


@pytest.mark.parametrize(("route", "statuses"), STATUSES.items())
def test_a_route_declares_every_status_it_returns(route: str, statuses: set[int]) -> None:
    options = file_route_options(route) if route == "export" else route_options(route, models.Card)
    assert set(options["responses"]) == statuses


def test_a_route_has_its_name_and_its_response_model() -> None:
    options = route_options("readyz", models.Health)
    assert (options["name"], options["operation_id"], options["response_model"]) == ("readyz", "readyz", None)
    assert options["responses"] == {
        200: {"model": models.Health, "description": "The result."},
        406: {"description": ERROR_DESCRIPTIONS[406], "content": PROBLEM_SCHEMA},
        503: {"description": ERROR_DESCRIPTIONS[503], "content": PROBLEM_SCHEMA},
    }


def test_a_422_has_fastapis_record() -> None:
    assert route_options("list", models.CardPage)["responses"][422]["model"] is models.ValidationProblem
