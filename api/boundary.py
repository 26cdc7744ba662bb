"""The outermost layer: what must hold for every request whatever route it meets. Plain ASGI, no buffering of answers.

HEAD is GET without the body, a trailing slash is no other page, bodies are bounded, JSON must be acceptable, and a
defect becomes a problem+json 500 that says nothing of its cause.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from starlette.responses import Response

from api.errors import InternalError, MediaTypeError, NotAcceptableError, ServiceError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("akg.service")

ALLOW = "GET, HEAD, POST, OPTIONS"
REFUSED = re.compile(r"(?:^|;)\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)")  # a quality of zero
ACCEPTABLE = ("application/json", "application/problem+json", "application/*", "*/*")


class Boundary:
    """Wraps the application. `to_response` turns an error into its answer."""

    def __init__(self, app: ASGIApp, to_response: Callable[[ServiceError], Response], body_limit: int) -> None:
        self._app = app
        self._to_response = to_response
        self._body_limit = body_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        outward = without_body(watched) if scope["method"] == "HEAD" else watched
        inner = _plain(scope)
        if scope["method"] == "OPTIONS":
            await Response(status_code=204, headers={"Allow": ALLOW})(scope, receive, outward)
            return
        try:
            self._check(scope)
            await self._app(inner, await self._read(receive), outward)
        except ServiceError as error:
            await self._to_response(error)(scope, receive, outward)
        except Exception as error:  # noqa: BLE001 - the last line of defence: any defect is a 500, never a stack trace
            route = getattr(inner.get("route"), "path", "?")
            log.error("defect in %s: %s", route, type(error).__name__)  # noqa: TRY400 - a trace would hold user text
            if not started:
                await self._to_response(InternalError())(scope, receive, outward)

    def _check(self, scope: Scope) -> None:
        headers: dict[bytes, str] = {}
        for name, value in scope["headers"]:  # several lines of one name are one list
            text = value.decode("latin-1")
            headers[name] = f"{headers[name]}, {text}" if name in headers else text
        if not _acceptable(headers.get(b"accept", "*/*")):
            raise NotAcceptableError("This service answers in application/json. Send Accept: application/json or */*.")
        length = headers.get(b"content-length", "0")
        if length.isdigit() and int(length) > self._body_limit:
            raise TooLargeError(f"The body may have up to {self._body_limit} bytes.", limit=self._body_limit)
        has_body = length not in ("", "0") or b"transfer-encoding" in headers
        media_type = headers.get(b"content-type", "").partition(";")[0].strip().lower()
        if scope["method"] == "POST" and has_body and not _is_json(media_type):
            raise MediaTypeError("Send the body as JSON, with Content-Type: application/json.")

    async def _read(self, receive: Receive) -> Receive:
        """Read the body within its bound, whatever length was declared, and hand it on in one piece."""
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return _once(message, receive)
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._body_limit:
                raise TooLargeError(f"The body may have up to {self._body_limit} bytes.", limit=self._body_limit)
        return _once({"type": "http.request", "body": body, "more_body": False}, receive)


def _once(first: Message, receive: Receive) -> Receive:
    pending = [first]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _plain(scope: Scope) -> Scope:
    path = scope["path"].rstrip("/") or "/"
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    return {**scope, "path": path, "method": method}


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
