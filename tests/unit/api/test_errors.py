"""Every error of the service: status, title, headers and body in one table."""

from __future__ import annotations

from typing import Any

import pytest

from api import errors
from api.errors import (
    BadRequestError,
    DeadlineError,
    EngineUnavailableError,
    HeadTooLargeError,
    HostError,
    InternalError,
    InvalidError,
    LimitedError,
    MediaTypeError,
    MethodError,
    MovedError,
    NotAcceptableError,
    NotFoundError,
    OriginError,
    OverloadedError,
    RangeError,
    ServiceError,
    SlowClientError,
    TooLargeError,
    UriTooLongError,
)

PROBLEMS = [{"loc": ["query", "limit"], "msg": "too many", "type": "less_than_equal", "input": "501"}]
CARD = {"id": "disability:low-vision", "name": "Low Vision"}

# error, status, title, headers, members of the body beside type, title, status and detail
TABLE: list[tuple[ServiceError, int, str, dict[str, str], dict[str, Any]]] = [
    (ServiceError("why"), 500, "Internal error", {}, {}),
    (
        MovedError("why", location="/solution/telework", moved_to="solution:telework"),
        301,
        "Moved permanently",
        {"Location": "/solution/telework"},
        {"location": "/solution/telework", "moved_to": "solution:telework"},
    ),
    (OriginError("why"), 403, "Origin not allowed", {}, {}),
    (BadRequestError("why"), 400, "Bad request", {}, {}),
    (SlowClientError("why"), 408, "Request timeout", {}, {}),
    (UriTooLongError("why", limit=8192), 414, "URI too long", {}, {"limit": 8192}),
    (HeadTooLargeError("why", limit=16_384), 431, "Request header fields too large", {}, {"limit": 16_384}),
    (NotFoundError("why", suggestions=[CARD]), 404, "Not found", {}, {"suggestions": [CARD]}),
    (
        MethodError("why", allowed=["GET", "HEAD", "OPTIONS"]),
        405,
        "Method not allowed",
        {"Allow": "GET, HEAD, OPTIONS"},
        {"allowed": ["GET", "HEAD", "OPTIONS"]},
    ),
    (NotAcceptableError("why"), 406, "Not acceptable", {}, {}),
    (TooLargeError("why", limit=65_536), 413, "Content too large", {}, {"limit": 65_536}),
    (MediaTypeError("why"), 415, "Unsupported media type", {}, {}),
    (RangeError("why", size=7), 416, "Range not satisfiable", {"Content-Range": "bytes */7"}, {"size": 7}),
    (HostError("why"), 421, "Misdirected request", {}, {}),
    (InvalidError(PROBLEMS), 422, "Unprocessable content", {}, {}),
    (
        LimitedError("why", retry_after=7, policy="default"),
        429,
        "Too many requests",
        {"Retry-After": "7"},
        {"retry_after": 7, "policy": "default"},
    ),
    (InternalError(), 500, "Internal error", {}, {}),
    (EngineUnavailableError("why"), 503, "Search engine unavailable", {"Retry-After": "5"}, {}),
    (OverloadedError("why"), 503, "Too busy", {"Retry-After": "1"}, {}),
    (DeadlineError("why"), 504, "Deadline passed", {"Retry-After": "1"}, {}),
]


def tree(root: type[ServiceError]) -> set[type[ServiceError]]:
    return {root}.union(*(tree(child) for child in root.__subclasses__()))


@pytest.mark.parametrize(("error", "status", "title", "headers", "more"), TABLE, ids=lambda one: type(one).__name__)
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
    drawn = (errors.__doc__ or "").splitlines()
    for kind in tree(ServiceError) - {ServiceError}:
        assert any(f" {kind.__name__} " in line and f" {kind.status} " in line for line in drawn), kind.__name__


def test_an_internal_error_does_not_reveal_its_cause() -> None:
    assert "on our side" in InternalError().detail


def test_several_problems_of_a_request_form_one_message() -> None:
    assert str(InvalidError([{"msg": "first"}, {"msg": "second"}])) == "first; second"
