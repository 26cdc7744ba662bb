"""Every error of the service: status, title, headers, body and the problems that some list."""

from __future__ import annotations

from typing import Any

import pytest

from api import errors, models
from api.errors import InvalidError, ServiceError
from api.result import unknown_parameter_warning, unknown_value_error

PROBLEMS = [{"loc": ["query", "limit"], "msg": "too many", "type": "less_than_equal", "input": "501"}]
MOVED = {"location": "/solution/telework", "moved_to": "solution:telework"}
ALLOWED: dict[str, Any] = {"allowed": ["GET", "HEAD", "OPTIONS"]}
LIMITED: dict[str, Any] = {"retry_after": 7, "policy": "default"}
CARD = {"id": "disability:low-vision", "name": "Low Vision"}

# error, status, title, headers, members of the body other than type, title, status and detail
TABLE: list[tuple[ServiceError, int, str, dict[str, str], dict[str, Any]]] = [
    (ServiceError("why"), 500, "Internal error", {}, {}),
    (errors.MovedError("why", **MOVED), 301, "Moved permanently", {"Location": "/solution/telework"}, MOVED),
    (errors.OriginError("why"), 403, "Origin not allowed", {}, {}),
    (errors.BadRequestError("why"), 400, "Bad request", {}, {}),
    (errors.SlowClientError("why"), 408, "Request timeout", {}, {}),
    (errors.UriTooLongError("why", limit=8192), 414, "URI too long", {}, {"limit": 8192}),
    (errors.HeadTooLargeError("why", limit=16_384), 431, "Request header fields too large", {}, {"limit": 16_384}),
    (errors.NotFoundError("why", suggestions=[CARD]), 404, "Not found", {}, {"suggestions": [CARD]}),
    (errors.MethodError("why", **ALLOWED), 405, "Method not allowed", {"Allow": "GET, HEAD, OPTIONS"}, ALLOWED),
    (errors.NotAcceptableError("why"), 406, "Not acceptable", {}, {}),
    (errors.TooLargeError("why", limit=65_536), 413, "Content too large", {}, {"limit": 65_536}),
    (errors.MediaTypeError("why"), 415, "Unsupported media type", {}, {}),
    (errors.RangeError("why", size=7), 416, "Range not satisfiable", {"Content-Range": "bytes */7"}, {"size": 7}),
    (errors.HostError("why"), 421, "Misdirected request", {}, {}),
    (InvalidError(PROBLEMS), 422, "Unprocessable content", {}, {}),
    (errors.LimitedError("why", **LIMITED), 429, "Too many requests", {"Retry-After": "7"}, LIMITED),
    (errors.InternalError(), 500, "Internal error", {}, {}),
    (errors.EngineUnavailableError("why"), 503, "Search engine unavailable", {"Retry-After": "5"}, {}),
    (errors.OverloadedError("why"), 503, "Too busy", {"Retry-After": "1"}, {}),
    (errors.DeadlineError("why"), 504, "Deadline passed", {"Retry-After": "1"}, {}),
]


def tree(root: type[ServiceError]) -> set[type[ServiceError]]:
    return {root}.union(*(tree(child) for child in root.__subclasses__()))


@pytest.mark.parametrize(("error", "status", "title", "headers", "more"), TABLE, ids=lambda value: type(value).__name__)
def test_an_error_has_the_status_headers_and_body_of_the_table(
    error: ServiceError, status: int, title: str, headers: dict[str, str], more: dict[str, Any]
) -> None:
    assert (error.status, error.title, error.headers) == (status, title, headers)
    if isinstance(error, InvalidError):
        assert error.body() == {"detail": PROBLEMS}
    else:
        shape = {"type": "about:blank", "title": title, "status": status, "detail": error.detail}
        assert error.body() == {**shape, **more}
    assert str(error) == error.detail != ""


def test_every_error_has_a_row() -> None:
    assert {type(row[0]) for row in TABLE} == tree(ServiceError)


def test_the_docstring_lists_every_error_with_its_status() -> None:
    lines = (errors.__doc__ or "").splitlines()
    for kind in tree(ServiceError) - {ServiceError}:
        assert any(f" {kind.__name__} " in line and f" {kind.status} " in line for line in lines), kind.__name__


def test_several_problems_of_a_request_form_one_message() -> None:
    assert str(InvalidError([{"msg": "first"}, {"msg": "second"}])) == "first; second"


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


def test_the_error_for_an_unknown_value_may_have_no_nearest_value() -> None:
    assert problem("type", ("path", "type"), "zzz", ["disability"])["ctx"]["nearest"] is None


def test_the_message_truncates_a_long_value() -> None:
    message = problem("type", ("path", "type"), "x" * 5000, ["disability"])["msg"]
    assert message == f"unknown type '{'x' * 200}'; valid: disability"


def test_the_warning_says_that_a_request_has_no_parameters() -> None:
    warning = unknown_parameter_warning("parameter", "limit", ())
    assert warning["message"] == "unknown parameter 'limit' was ignored; valid: none"


def test_the_warning_truncates_a_long_parameter() -> None:
    assert unknown_parameter_warning("parameter", "x" * 5000, ())["parameter"] == "x" * 200
