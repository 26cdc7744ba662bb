"""What requests without seeds, with unknown fields and with questions about nothing get."""

import pytest

from api import models
from api.errors import InvalidError
from api.recommend.seed_errors import (
    no_seed_error,
    nothing_understood_error,
    unknown_field_warnings,
    unknown_seed_warnings,
)
from api.search.query import ParsedQuery
from api.search.reading.model import Part, Reading


@pytest.mark.parametrize(
    ("fields", "hint", "nearest"),
    [({}, "", []), ({"disabilty": "ms"}, "; did you mean disability?", ["disability"])],
)
def test_a_request_without_seeds_is_an_error_that_lists_the_fields(
    fields: dict[str, str], hint: str, nearest: list[str]
) -> None:
    assert no_seed_error(models.RecommendRequest.model_validate(fields)).problems == [
        {
            "loc": ["body"],
            "msg": f"give a question, or at least one of disability, limitation, work_function, occupation{hint}",
            "type": "no_seed",
            "input": {},  # without unknown fields
            "ctx": {"fields": ["disability", "limitation", "work_function", "occupation"], "nearest": nearest},
        }
    ]


def test_unknown_fields_are_warnings_with_the_nearest_field() -> None:
    request = models.RecommendRequest.model_validate({"disability": "ms", "limits": 5, "zzz": None})
    warnings = unknown_field_warnings(request)
    valid = "question, disability, limitation, work_function, occupation, exclude, setting, limit"
    assert [tuple(warning.values()) for warning in warnings] == [
        ("limits", "unknown field 'limits' was ignored; did you mean 'limit'?", "limit"),
        ("zzz", f"unknown field 'zzz' was ignored; valid: {valid}", None),
    ]
    models.RequestWarning.model_validate(warnings[0])


def test_a_question_about_nothing_names_the_words() -> None:
    error = nothing_understood_error(ParsedQuery.parse("blue moon"), Reading(unused=["blue", "moon"]))
    (problem,) = error.problems
    assert (problem["loc"], problem["type"], problem["input"]) == (["body", "question"], "no_seed", "blue moon")
    assert problem["msg"].endswith("no name has ‘blue’ and ‘moon’")


def test_a_question_that_only_denies_something_says_what() -> None:
    deaf = Part("deaf", 4, 8, "condition", "other name")
    error = nothing_understood_error(ParsedQuery.parse("not deaf"), Reading(dropped=[(deaf, "It is denied.")]))
    assert error.problems[0]["msg"].endswith("; it says that ‘deaf’ does not apply, or no longer")


def test_an_unknown_seed_among_others_is_a_warning() -> None:
    problem = {
        "loc": ["body", "disability"],
        "msg": "unknown condition 'asthmaa'",
        "ctx": {"nearest": [{"id": "disability:asthma"}]},
    }
    assert unknown_seed_warnings(InvalidError([problem])) == [
        {
            "parameter": "disability",
            "message": "unknown condition 'asthmaa'. It has no effect.",
            "nearest": "disability:asthma",
        }
    ]
