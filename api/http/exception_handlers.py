"""Maps the exceptions of FastAPI and Starlette to service errors."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from api.errors import InternalError, InvalidError, MethodError, NotFoundError, ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import Response

    ToResponse = Callable[[ServiceError], Response]


def add_exception_handlers(app: FastAPI, to_response: ToResponse) -> None:
    """Make every error of the app a response of `to_response`."""

    async def handle(request: Request, error: Exception) -> Response:
        return to_response(_service_error(request, error))

    # Without the handler of `Exception`, Starlette would send plain text; `RequestPolicy` logs the exception.
    for type_ in (Exception, ServiceError, RequestValidationError, HTTPException):
        app.add_exception_handler(type_, handle)


def _service_error(request: Request, error: Exception) -> ServiceError:
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, RequestValidationError):
        return InvalidError([_without_siblings(problem) for problem in error.errors()])
    if isinstance(error, HTTPException):
        return _routing_error(request, error)
    return InternalError()


def _without_siblings(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return FastAPI's record; for a missing parameter, its `input` would hold the other parameters of the model."""
    is_parameter = problem["type"] == "missing" and problem["loc"][0] != "body"
    return {**problem, "input": None} if is_parameter else dict(problem)


def _routing_error(request: Request, error: HTTPException) -> ServiceError:
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = [method.strip() for method in (error.headers or {}).get("Allow", "GET").split(",")]
        allowed += ["HEAD"] if "GET" in allowed else []
        methods = [*dict.fromkeys(allowed), "OPTIONS"]
        return MethodError(f"{request.method} is not allowed here; allowed: {', '.join(methods)}.", allowed=methods)
    if error.status_code == HTTPStatus.BAD_REQUEST:  # the body is not valid UTF-8
        return InvalidError([{"loc": ["body"], "msg": "The body could not be read as JSON", "type": "json_invalid"}])
    return NotFoundError(
        "There is no such path. GET /graph describes the data, GET /openapi.json the calls; MCP clients use POST /mcp."
    )
