"""Equal requests that arrive together are answered once: the later ones wait for the first and get its response.

A popular question that is not cached yet asks OpenSearch once, however many clients send it at that moment.

Compression, CORS and error pages are added to the response of each client outside of this module. So of the headers,
only `If-None-Match` makes requests different, and on the home page, whether the client prefers HTML.
"""

import asyncio
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.request_headers import prefers_html
from api.http.request_policy import EXPORT_PREFIX, replay
from api.limits.rate_limit import STATIC_PREFIX
from api.telemetry.usage_counters import RequestFacts, current_request

MCP_PATH = "/mcp"  # each request has its own id, which the response repeats
APART = (EXPORT_PREFIX, STATIC_PREFIX)  # files have their own encodings and ranges


@dataclass(frozen=True, slots=True)
class WholeResponse:
    """A response that was sent in one piece, and the facts of its request."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    facts: RequestFacts

    async def send(self, send: Send) -> None:
        """Send the response; middleware may append to its headers."""
        await send({"type": "http.response.start", "status": self.status, "headers": list(self.headers)})
        await send({"type": "http.response.body", "body": self.body})


class EqualRequests:
    """Wraps the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._running: dict[bytes, asyncio.Future[WholeResponse | None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["path"] == MCP_PATH or scope["path"].startswith(APART):
            await self._app(scope, receive, send)
            return
        first = await receive()
        key = request_key(scope, first.get("body", b""), _if_none_match(scope))
        if (running := self._running.get(key)) is not None and (response := await running) is not None:
            current_request().copy_result(response.facts)
            await response.send(send)
            return
        await self._answer(key, scope, replay(first, receive), send)

    async def _answer(self, key: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and its response to the equal requests that arrive meanwhile."""
        running: asyncio.Future[WholeResponse | None] = asyncio.get_running_loop().create_future()
        self._running[key] = running
        start: Message = {}

        async def share(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = {**message, "headers": tuple(message["headers"])}
            elif not running.done():
                self._forget(key, running)
                running.set_result(None if message.get("more_body") else _whole(start, message))
            await send(message)  # after that, because this client may read slowly

        try:
            await self._app(scope, receive, share)
        finally:
            self._forget(key, running)
            if not running.done():  # an error, or no response: each of the others tries by itself
                running.set_result(None)

    def _forget(self, key: bytes, running: asyncio.Future[WholeResponse | None]) -> None:
        if self._running.get(key) is running:
            del self._running[key]


def _whole(start: Message, message: Message) -> WholeResponse:
    return WholeResponse(start["status"], start["headers"], message.get("body", b""), replace(current_request()))


def _if_none_match(scope: Scope) -> bytes:
    return Headers(scope=scope).get("if-none-match", "").encode()


def request_key(scope: Scope, body: bytes, *others: bytes) -> bytes:
    """Return a digest of method, path, query, body and what else the response depends on."""
    path = scope["path"].encode("utf-8", "surrogateescape")
    digest = hashlib.blake2b(digest_size=16)
    for part in (scope["method"].encode(), path, scope["query_string"], body, *_form(scope), *others):
        digest.update(b"%d:%b" % (len(part), part))  # with its length, so that no part can end in another
    return digest.digest()


def _form(scope: Scope) -> Iterator[bytes]:
    """Yield the form of the home page, HTML or JSON. Every other path has one."""
    if not scope["path"].strip("/") and prefers_html(Headers(scope=scope).get("accept", "")):
        yield b"html"
