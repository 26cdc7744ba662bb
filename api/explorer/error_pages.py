"""Middleware that renders JSON errors as HTML for clients that prefer HTML.

It wraps everything that can reject a request, so every error has a page. Other clients get the JSON unchanged.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request

from api.explorer.renderer import Page
from api.http.request_headers import prefers_html

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from api.explorer.renderer import Renderer

EXPLORE = "/explore"
# The page has its own values of these headers; all others of the JSON response are kept, for example Retry-After.
REPLACED_HEADERS = frozenset(("content-type", "content-length", "content-security-policy", "cache-control", "vary"))


class ErrorPages:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, renderer: Renderer) -> None:
        self._app = app
        self._renderer = renderer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http" and prefers_html(Headers(scope=scope).get("accept", "")):
            send = _HtmlErrorResponse(scope, receive, send, self._renderer).send
        await self._app(scope, receive, send)


class _HtmlErrorResponse:
    """Forwards a response; collects a JSON error and sends it as a page."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, renderer: Renderer) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._renderer = renderer
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message["headers"]))
            if message["status"] == HTTPStatus.MOVED_PERMANENTLY and self._scope["path"].startswith(EXPLORE):
                location = headers.get("location", "")
                headers["location"] = location if location.startswith(EXPLORE) else EXPLORE + location
                message = {**message, "headers": headers.raw}
            if message["status"] >= HTTPStatus.BAD_REQUEST and "json" in headers.get("content-type", ""):
                self._start = message
                return
        if self._start is None:
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if not message.get("more_body"):
            await self._send_page(self._start)

    async def _send_page(self, start: Message) -> None:
        if not self._body:  # the response to a HEAD request
            await self._send(start)
            await self._send({"type": "http.response.body", "body": b""})
            return
        page = error_page(start["status"], orjson.loads(self._body))
        response = self._renderer.send(page, Request(self._scope))
        response.raw_headers += [
            (name, value) for name, value in start["headers"] if name.decode("latin-1").lower() not in REPLACED_HEADERS
        ]
        await response(self._scope, self._receive, self._send)


def error_page(status: int, body: Mapping[str, Any]) -> Page:
    """Return the page of an error, from its JSON body."""
    detail = body.get("detail")
    problems = detail if isinstance(detail, list) else []
    title = body.get("title") or HTTPStatus(status).phrase
    data = {
        "status": status,
        "detail": "" if problems else detail or "",
        "problems": problems,
        "suggestions": body.get("suggestions") or [],
        "retry_after": body.get("retry_after"),
    }
    return Page("error.html", title, [{**body, "warnings": []}], breadcrumbs=((title, ""),), data=data, status=status)
