"""Errors and warnings about unknown values and parameters."""

from __future__ import annotations

from typing import Any

from api import models
from api.problems import unknown_parameter_warning, unknown_value_error


def problem(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - the arguments of `unknown_value_error`
    (detail,) = unknown_value_error(*arguments).body()["detail"]
    models.ValidationDetail.model_validate(detail)
    return dict(detail)


def test_the_error_for_an_unknown_value_lists_the_valid_ones_and_the_nearest() -> None:
    assert problem("type", ("path", "type"), "disabilities", ["disability", "vendor"]) == {
        "loc": ["path", "type"],
        "msg": "unknown type 'disabilities'; valid: disability, vendor",
        "type": "unknown_type",
        "input": "disabilities",
        "ctx": {"valid": ["disability", "vendor"], "nearest": "disability"},
    }


def test_the_error_for_an_unknown_edge_lists_the_edges_of_the_entity() -> None:
    counts = {"recommends": 1214, "has_limitation": 9}
    assert problem("edge", ("query", "edge"), "recommend", counts, counts) == {
        "loc": ["query", "edge"],
        "msg": "unknown edge 'recommend'; this entity has: recommends (1,214), has_limitation (9)",
        "type": "unknown_edge",
        "input": "recommend",
        "ctx": {"valid": ["recommends", "has_limitation"], "nearest": "recommends", "counts": counts},
    }


def test_the_error_for_an_entity_without_edges_lists_those_of_its_type() -> None:
    assert problem("edge", ("query", "edge"), "buys", ["sells"], {})["msg"] == "unknown edge 'buys'; valid: sells"


def test_there_may_be_no_near_value() -> None:
    assert problem("type", ("path", "type"), "zzz", ["disability"])["ctx"]["nearest"] is None


def test_the_message_truncates_a_long_value() -> None:
    message = problem("type", ("path", "type"), "x" * 5000, ["disability"])["msg"]
    assert message == f"unknown type '{'x' * 200}'; valid: disability"


def test_the_warning_says_that_a_request_has_no_parameters() -> None:
    warning = unknown_parameter_warning("parameter", "limit", ())
    assert warning["message"] == "unknown parameter 'limit' was ignored; valid: none"


def test_the_warning_truncates_a_long_parameter() -> None:
    assert unknown_parameter_warning("parameter", "x" * 5000, ())["parameter"] == "x" * 200
