"""Request policy: rules for every request, whatever its route, and a service error for every exception.

HEAD is GET without the body, a trailing slash is ignored, request bodies are limited, the client must accept JSON, and
an unexpected exception becomes a problem+json 500 that does not reveal its cause. Responses are not buffered.

Paths and query strings have no control characters.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.asgi import without_body
from api.errors import (
    InternalError,
    InvalidError,
    MediaTypeError,
    MethodError,
    MovedError,
    NotAcceptableError,
    NotFoundError,
    ServiceError,
    SlowClientError,
    TooLargeError,
    UriTooLongError,
)
from api.http.request_headers import accepts, prefers_html
from api.http.routing import allowed_methods
from api.request_text import CONTROL_CHARACTER, MAX_JSON_DEPTH, control_character, is_too_deep
from api.telemetry.log_format import stack_frames
from api.telemetry.usage_counters import current_request

ToResponse = Callable[[ServiceError], Response]


log = logging.getLogger("akg.service")

BODY_SECONDS = 10.0
WHOLE = (("body",), ("query",))  # locations of problems of several fields
MAX_REPEATED_QUERY = 2_000  # characters; 500 of a query have 1,500 in percent-encoding
NOT_JSON = "The body could not be read as JSON"
NO_PATH = (
    "There is no such path. GET /graph describes the data, GET /openapi.json the calls; MCP clients use POST /mcp."
)
EXPORT_PREFIX = "/export/"  # responses are files
# Responses are HTML, static files or text.
PAGE_PREFIXES = ("/explore", "/docs", "/llms.txt", "/robots.txt", "/favicon.ico")
IS_HEAD = "akg.is_head"  # key of the ASGI scope: only the headers of the response are sent
ACCEPTABLE = ("application/json", "application/problem+json", "application/*", "*/*")


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Bytes of a body and of a URL, seconds for a body to arrive. `posts` are bytes by path that accepts only POST."""

    body: int
    url: int = 8_192
    posts: Mapping[str, int] = field(default_factory=dict)
    body_seconds: float = BODY_SECONDS


class RequestPolicy:
    """Wraps the application. `to_response` turns an error into its response.

    A GET for a stream from a path that accepts only POST gets 405, not 406. What no route `serves` gets 404 or 405,
    whatever its media types are.
    """

    def __init__(
        self,
        app: ASGIApp,
        to_response: Callable[[ServiceError], Response],
        limits: RequestLimits,
        serves: Callable[[Scope], bool] = lambda _: True,
    ) -> None:
        self._app = app
        self._to_response = to_response
        self._limits = limits
        self._serves = serves

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def track_status(message: Message) -> None:
            nonlocal status
            status = status or message.get("status", 0)
            await send(message)

        outer_send = without_body(track_status) if scope["method"] == "HEAD" else track_status
        inner = _normalize(scope)
        try:
            self._check_url(scope)
            _require_plain_text(inner)
            limit = self._limits.posts.get(inner["path"], self._limits.body)
            has_body = self._has_body(scope, inner, limit)
            await self._app(inner, await self._read_in_time(receive, limit) if has_body else receive, outer_send)
        except ServiceError as error:
            await self._to_response(error)(scope, receive, outer_send)
        except Exception as error:  # noqa: BLE001 - any exception becomes a 500, never a stack trace
            route = getattr(inner.get("route"), "path", "?")
            cause = error.__cause__ or error
            event = "unexpected error in" if status in {0, InternalError.status} else "response interrupted in"
            fields = {"places": stack_frames(cause.__traceback__)}
            log.error("%s %s: %s", event, route, type(cause).__name__, extra={"fields": fields})  # noqa: TRY400 - a trace may hold user input
            if not status:
                await self._to_response(InternalError())(scope, receive, outer_send)
        finally:
            if (route := inner.get("route")) is not None and scope["method"] != "OPTIONS":
                current_request().route = route.path

    def _has_body(self, scope: Scope, inner: Scope, limit: int) -> bool:
        """Return whether the request has a body that a route may read; raise ServiceError if it cannot be processed."""
        try:
            return _check(scope, limit, json_only=self._json_only(scope["method"], inner["path"]))
        except (NotAcceptableError, MediaTypeError):
            if self._serves(inner):
                raise
            return False

    def _check_url(self, scope: Scope) -> None:
        if len(scope.get("raw_path", b"")) + len(scope["query_string"]) > self._limits.url:
            limit = self._limits.url
            raise UriTooLongError(f"Path and query may have at most {limit} bytes.", limit=limit)

    def _json_only(self, method: str, path: str) -> bool:
        if method == "OPTIONS" or path.startswith((EXPORT_PREFIX, *PAGE_PREFIXES)):
            return False
        return path not in self._limits.posts or method == "POST"

    async def _read_in_time(self, receive: Receive, limit: int) -> Receive:
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                return await _read(receive, limit)
        except TimeoutError:
            raise SlowClientError(f"The body did not arrive within {self._limits.body_seconds:g} seconds.") from None


def _check(scope: Scope, limit: int, *, json_only: bool) -> bool:
    """Return whether the headers announce a body; raise ServiceError if the service cannot process the request."""
    headers: dict[bytes, str] = {}
    for name, value in scope["headers"]:  # fields with the same name form one list
        text = value.decode("latin-1")
        headers[name] = f"{headers[name]}, {text}" if name in headers else text
    accept = headers.get(b"accept", "*/*")
    is_home_page = scope["path"] in ("", "/") and prefers_html(accept)
    if json_only and not is_home_page and not accepts(accept, ACCEPTABLE):
        raise NotAcceptableError("This service responds with application/json. Send Accept: application/json or */*.")
    length = headers.get(b"content-length", "0")
    if length.isdigit() and int(length) > limit:
        raise TooLargeError(f"The body may have at most {limit} bytes.", limit=limit)
    has_body = length not in ("", "0") or b"transfer-encoding" in headers
    media_type = headers.get(b"content-type", "").partition(";")[0].strip().lower()
    is_json = media_type == "application/json" or media_type.endswith("+json")
    if scope["method"] == "POST" and has_body and not is_json:
        raise MediaTypeError("Send the body as JSON, with Content-Type: application/json.")
    return has_body


async def _read(receive: Receive, limit: int) -> Receive:
    """Read the body up to the limit, whatever its Content-Length, and return a `receive` that yields it at once."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return replay(message, receive)
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > limit:
            raise TooLargeError(f"The body may have at most {limit} bytes.", limit=limit)
    _require_flat(body)
    return replay({"type": "http.request", "body": body, "more_body": False}, receive)


def _require_plain_text(scope: Scope) -> None:
    """Raise NotFoundError for a control character in the path, InvalidError for those in the query string."""
    if control_character(scope["path"]):
        raise NotFoundError(NO_PATH)
    problems = []
    for name, value in parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True):  # as Starlette does
        if character := control_character(name) or control_character(value):
            message = f"Names and values should have no control characters; this one has {character}"
            location, context = ["query", name], {"character": character}
            problems.append({"loc": location, "msg": message, "type": CONTROL_CHARACTER, "ctx": context})
    if problems:
        raise InvalidError(problems)


def _require_flat(body: bytes) -> None:
    """Raise InvalidError for JSON that is nested too deep for the parser, or is not in UTF-8."""
    if b"\0" in body:  # in UTF-8, JSON has none; in UTF-16, which Python would read, the depth could not be checked
        raise InvalidError([{"loc": ["body"], "msg": NOT_JSON, "type": "json_invalid"}])
    if is_too_deep(body):
        message = f"The body should have at most {MAX_JSON_DEPTH} levels of arrays and objects"
        raise InvalidError([{"loc": ["body"], "msg": message, "type": "json_too_deep"}])


def replay(first: Message, receive: Receive) -> Receive:
    """Return a `receive` that yields the first message once more, then the messages after it."""
    pending = [first]

    async def receive_again() -> Message:
        return pending.pop() if pending else await receive()

    return receive_again


def _normalize(scope: Scope) -> Scope:
    path = scope["path"].rstrip("/") or "/"
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    return {**scope, "path": path, "method": method, IS_HEAD: scope["method"] == "HEAD"}


def add_exception_handlers(app: FastAPI, to_response: ToResponse) -> None:
    """Make every error of the app a response of `to_response`."""

    async def handle(request: Request, error: Exception) -> Response:
        known = _service_error(request, error)
        if isinstance(known, MethodError) and request.method == "OPTIONS":  # no route has this method
            return Response(status_code=204, headers=known.headers)
        return to_response(known)

    # Without the handler of `Exception`, Starlette would send plain text; `RequestPolicy` logs the exception.
    for type_ in (Exception, ServiceError, RequestValidationError, HTTPException):
        app.add_exception_handler(type_, handle)


def _service_error(request: Request, error: Exception) -> ServiceError:
    if isinstance(error, MovedError):
        return _with_query(error, request.scope["query_string"].decode("latin-1"))
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, RequestValidationError):
        return InvalidError([_without_siblings(problem) for problem in error.errors()])
    if isinstance(error, HTTPException):
        return _routing_error(request, error)
    return InternalError()


def _with_query(error: MovedError, query: str) -> MovedError:
    """Return the redirect to the same request for the replacement: its parameters are those of this request.

    `Location` and the body repeat them, so a very long query string is left out.
    """
    location = error.extra["location"]
    if not query or "?" in location or len(query) > MAX_REPEATED_QUERY:
        return error
    return MovedError(error.detail, **{**error.extra, "location": f"{location}?{query}"})


def _without_siblings(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return FastAPI's record without an `input` that nobody sent, or that has values of unknown fields.

    FastAPI sets it to the other parameters for a missing parameter, to an empty object for a body that is not JSON, and
    to the whole body for a problem of several fields.
    """
    is_missing_parameter = problem["type"] == "missing" and problem["loc"][0] != "body"
    is_whole_body = tuple(problem["loc"]) in WHOLE and isinstance(problem.get("input"), dict)
    not_sent = (
        problem["type"] == "json_invalid" or is_missing_parameter or (is_whole_body and problem["type"] != "no_seed")
    )
    return {name: value for name, value in problem.items() if name != "input" or not not_sent}


def _routing_error(request: Request, error: HTTPException) -> ServiceError:
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        methods = allowed_methods((error.headers or {}).get("Allow", "").split(", "))
        return MethodError(f"{request.method} is not allowed here; allowed: {', '.join(methods)}.", allowed=methods)
    if error.status_code == HTTPStatus.BAD_REQUEST:  # the body is not valid UTF-8
        return InvalidError([{"loc": ["body"], "msg": NOT_JSON, "type": "json_invalid"}])
    return NotFoundError(NO_PATH)
