"""Every error of the service: status, title, headers and body."""

from typing import Any

import pytest

from api import errors
from api.errors import InvalidError, ServiceError

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
    (errors.SlowClientError("why"), 408, "Request timeout", {}, {}),
    (errors.UriTooLongError("why", limit=8192), 414, "URI too long", {}, {"limit": 8192}),
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
    (errors.NoReleaseError("why"), 503, "Search engine unavailable", {"Retry-After": "5"}, {}),
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
    assert str(InvalidError([{"loc": [], "msg": "first"}, {"loc": [], "msg": "second"}])) == "first; second"
