"""Errors as pages, for those who asked for a page: the very body that a program gets, drawn.

It stands outside of everything that may refuse a request, so that each refusal can be read by people too. Programs,
and whoever names no HTML, get what they always got.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request

from api.explorer.preference import wants_page
from api.explorer.rendering import Page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from api.explorer.rendering import Renderer

LEAST, MOST = 400, 599
EXPLORE = "/explore"
OWN = frozenset(("content-type", "content-length", "content-security-policy", "cache-control", "vary"))


class Troubles:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, renderer: Renderer) -> None:
        self._app = app
        self._renderer = renderer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or not wants_page(Headers(scope=scope).get("accept", "")):
            await self._app(scope, receive, send)
            return
        drawn = _Drawn(scope, receive, send, self._renderer)
        await self._app(scope, receive, drawn.send)


class _Drawn:
    """What the application sends: passed on, or held back and drawn where it is an error in JSON."""

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
            if LEAST <= message["status"] <= MOST and "json" in headers.get("content-type", ""):
                self._start = message
                return
        if self._start is None:
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if not message.get("more_body"):
            await self._draw(self._start)

    async def _draw(self, start: Message) -> None:
        """The page in place of the JSON, with the other headers of the answer: when to come back, what is left."""
        if not self._body:  # to HEAD: its headers say enough
            await self._send(start)
            await self._send({"type": "http.response.body", "body": b""})
            return
        page = trouble(start["status"], orjson.loads(self._body))
        answer = self._renderer.send(page, Request(self._scope))
        kept = [one for one in start["headers"] if one[0].decode("latin-1").lower() not in OWN]
        answer.raw_headers.extend(kept)
        await answer(self._scope, self._receive, self._send)


def trouble(status: int, body: Mapping[str, Any]) -> Page:
    """The page of an error, from its body."""
    detail = body.get("detail")
    problems = detail if isinstance(detail, list) else []
    title = body.get("title") or HTTPStatus(status).phrase
    shown = {
        "status": status,
        "detail": "" if problems else detail or "",
        "problems": problems,
        "suggestions": body.get("suggestions") or [],
        "retry_after": body.get("retry_after"),
    }
    plain = {**body, "warnings": []}
    return Page("trouble.html", title, [plain], crumbs=((title, ""),), shown=shown, status=status)
