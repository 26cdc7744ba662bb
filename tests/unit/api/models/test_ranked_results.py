"""Requests for recommendations."""

from typing import Any

import pytest
from pydantic import ValidationError

from api.models import RecommendRequest

LIMIT, SEED = (("limit",), "greater_than_equal"), ((), "no_seed")


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        ({"limit": 0}, [LIMIT, SEED]),
        ({"limit": 0, "disability": "", "limitation": None}, [LIMIT, SEED]),
        ({"limit": 0, "disability": "adhd"}, [LIMIT]),
    ],
)
def test_a_missing_seed_is_reported_beside_other_problems(body: dict[str, Any], problems: list[object]) -> None:
    with pytest.raises(ValidationError) as raised:
        RecommendRequest.model_validate(body)
    found = raised.value.errors()
    assert [(problem["loc"], problem["type"]) for problem in found] == problems
    assert [problem["input"] for problem in found] == [0, body][: len(problems)]


def test_a_request_without_a_seed_is_valid_because_the_service_suggests_fields() -> None:
    assert RecommendRequest.model_validate({"limit": 5}).limit == 5
