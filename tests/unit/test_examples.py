"""What OpenAPI is told of each route: its real answer and the errors it can give."""

from __future__ import annotations

import pytest

from api import models
from api.examples import ERRORS, OF_ROUTE, described, described_file

PROBLEM_SCHEMA = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}

STATUSES = {
    "index": {200, 406, 429, 503, 504},
    "healthz": {200, 406},
    "readyz": {200, 406, 503},
    "search": {200, 406, 422, 429, 503, 504},
    "suggest": {200, 406, 422, 429, 503, 504},
    "recommend": {200, 406, 413, 415, 422, 429, 503, 504},
    "related_conditions": {200, 301, 404, 406, 422, 429, 503, 504},
    "connections": {200, 301, 406, 422, 429, 503, 504},
    "graph": {200, 406, 429, 503, 504},
    "graph_changes": {200, 406, 429, 503, 504},
    "exports": {200, 404, 406, 429, 503, 504},
    "export": {200, 206, 304, 404, 416, 429, 503, 504},
    "usage": {200, 406, 422, 429, 503, 504},
    "neighbors": {200, 301, 404, 406, 422, 429, 503, 504},
    "entity": {200, 301, 404, 406, 422, 429, 503, 504},
    "list": {200, 406, 422, 429, 503, 504},
}


@pytest.mark.parametrize(("route", "statuses"), STATUSES.items())
def test_a_route_declares_every_status_it_can_answer(route: str, statuses: set[int]) -> None:
    told = described_file(route) if route == "export" else described(route, models.Card)
    assert set(told["responses"]) == statuses


def test_every_route_has_a_row_here() -> None:
    assert set(STATUSES) == set(OF_ROUTE)


def test_a_route_is_described_by_its_name_and_its_real_model() -> None:
    found = described("readyz", models.Health)
    assert (found["name"], found["operation_id"], found["response_model"]) == ("readyz", "readyz", None)
    assert found["responses"] == {
        200: {"model": models.Health, "description": "The answer."},
        406: {"description": ERRORS[406], "content": PROBLEM_SCHEMA},
        503: {"description": ERRORS[503], "content": PROBLEM_SCHEMA},
    }


def test_invalid_input_is_described_as_fastapis_record() -> None:
    assert described("list", models.CardPage)["responses"][422]["model"] is models.Invalid
