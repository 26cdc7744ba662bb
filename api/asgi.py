"""Small ASGI parts of the middleware: responses without body, header lines, security headers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"cross-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
)


def without_body(send: Send) -> Send:
    """Return a `send` that drops the body of a response."""

    async def headers_only(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return headers_only


def header_lines(fields: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return header fields as they are sent: names in lower case, each on a line."""
    return b"".join([b"%b: %b\r\n" % (name.lower(), value) for name, value in fields])


class SecurityHeaders:
    """Adds to each response the security headers that it does not set: browsers must not run, frame or sniff it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def add_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in message["headers"]}
                missing = [field for field in SECURITY_HEADERS if field[0] not in names]
                message = {**message, "headers": [*message["headers"], *missing]}
            await send(message)

        await self._app(scope, receive, add_headers)
