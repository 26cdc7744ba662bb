"""The outermost layer: what must hold for every request whatever route it meets. Plain ASGI, no buffering of answers.

HEAD is GET without the body, a trailing slash is no other page, bodies are bounded, JSON must be acceptable, and a
defect becomes a problem+json 500 that says nothing of its cause.
"""

from __future__ import annotations

import asyncio
import logging
import re
from typing import TYPE_CHECKING

from starlette.responses import Response

from api.errors import InternalError, MediaTypeError, NotAcceptableError, ServiceError, SlowClientError, TooLargeError
from api.explorer.preference import wants_page
from api.logs import places
from api.observation import current

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("akg.service")

BODY_SECONDS = 10.0
ALLOW = "GET, HEAD, POST, OPTIONS"
REFUSED = re.compile(r"(?:^|;)\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)")  # a quality of zero
FILES = "/export/"  # what is under it is sent as the file it is
PAGES = ("/explore", "/docs", "/llms.txt")  # and these are pages for people, or files of theirs
HEAD_ASKED = "akg.head_asked"  # in the scope: only the headers of the answer will be sent
ACCEPTABLE = ("application/json", "application/problem+json", "application/*", "*/*")


class Boundary:
    """Wraps the application. `to_response` turns an error into its answer.

    `posts` are paths that take POST only, each with its own bound in bytes. Whoever asks one for a stream with GET
    must hear that there is none, not that it would be JSON. A body has `body_seconds` to arrive.
    """

    def __init__(
        self,
        app: ASGIApp,
        to_response: Callable[[ServiceError], Response],
        body_limit: int,
        posts: Mapping[str, int] | None = None,
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self._app = app
        self._to_response = to_response
        self._body_limit = body_limit
        self._posts = posts or {}
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def watched(message: Message) -> None:
            nonlocal status
            status = status or message.get("status", 0)
            await send(message)

        outward = without_body(watched) if scope["method"] == "HEAD" else watched
        inner = _plain(scope)
        if scope["method"] == "OPTIONS":
            await Response(status_code=204, headers={"Allow": ALLOW})(scope, receive, outward)
            return
        try:
            limit = self._posts.get(inner["path"], self._body_limit)
            sends_body = _check(scope, limit, json_only=self._json_only(scope["method"], inner["path"]))
            await self._app(inner, await self._in_time(receive, limit) if sends_body else receive, outward)
        except ServiceError as error:
            await self._to_response(error)(scope, receive, outward)
        except Exception as error:  # noqa: BLE001 - the last line of defence: any defect is a 500, never a stack trace
            route = getattr(inner.get("route"), "path", "?")
            cause = error.__cause__ or error
            said = "defect in" if status in {0, InternalError.status} else "broke off"
            where = {"fields": {"places": places(cause.__traceback__)}}
            log.error("%s %s: %s", said, route, type(cause).__name__, extra=where)  # noqa: TRY400 - a trace holds user text
            if not status:
                await self._to_response(InternalError())(scope, receive, outward)
        finally:
            if (route := inner.get("route")) is not None:
                current().route = route.path

    def _json_only(self, method: str, path: str) -> bool:
        return not path.startswith((FILES, *PAGES)) and (path not in self._posts or method == "POST")

    async def _in_time(self, receive: Receive, limit: int) -> Receive:
        try:
            async with asyncio.timeout(self._body_seconds):
                return await _read(receive, limit)
        except TimeoutError:
            raise SlowClientError(f"The body did not arrive within {self._body_seconds:g} seconds.") from None


def _check(scope: Scope, limit: int, *, json_only: bool) -> bool:
    """Whether a body comes, as far as the headers tell; raise ServiceError where they ask for what cannot be."""
    headers: dict[bytes, str] = {}
    for name, value in scope["headers"]:  # several lines of one name are one list
        text = value.decode("latin-1")
        headers[name] = f"{headers[name]}, {text}" if name in headers else text
    accept = headers.get(b"accept", "*/*")
    first_page = scope["path"] in ("", "/") and wants_page(accept)
    if json_only and not first_page and not _acceptable(accept):
        raise NotAcceptableError("This service answers in application/json. Send Accept: application/json or */*.")
    length = headers.get(b"content-length", "0")
    if length.isdigit() and int(length) > limit:
        raise TooLargeError(f"The body may have up to {limit} bytes.", limit=limit)
    has_body = length not in ("", "0") or b"transfer-encoding" in headers
    media_type = headers.get(b"content-type", "").partition(";")[0].strip().lower()
    if scope["method"] == "POST" and has_body and not _is_json(media_type):
        raise MediaTypeError("Send the body as JSON, with Content-Type: application/json.")
    return has_body


async def _read(receive: Receive, limit: int) -> Receive:
    """Read the body within its bound, whatever length was declared, and hand it on in one piece."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return replayed(message, receive)
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > limit:
            raise TooLargeError(f"The body may have up to {limit} bytes.", limit=limit)
    return replayed({"type": "http.request", "body": body, "more_body": False}, receive)


def replayed(first: Message, receive: Receive) -> Receive:
    """Receive a message that was taken already once more, then what follows it."""
    pending = [first]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _plain(scope: Scope) -> Scope:
    path = scope["path"].rstrip("/") or "/"
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    return {**scope, "path": path, "method": method, HEAD_ASKED: scope["method"] == "HEAD"}


def without_body(send: Send) -> Send:
    """Send the headers of an answer alone."""

    async def headers_only(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return headers_only


def _acceptable(accept: str) -> bool:
    wanted = [part.partition(";") for part in accept.lower().split(",")]
    return any(kind.strip() in ACCEPTABLE and not REFUSED.search(rest) for kind, _, rest in wanted)


def _is_json(media_type: str) -> bool:
    return media_type == "application/json" or media_type.endswith("+json")
