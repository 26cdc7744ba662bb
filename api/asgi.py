"""Small ASGI parts of the middleware: responses without body or with more headers."""

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


def with_headers(send: Send, fields: Iterable[tuple[bytes, bytes]]) -> Send:
    """Return a `send` that adds those headers that a response does not set itself."""

    async def add_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = message.get("headers", ())
            names = {name for name, _ in present}
            message = {**message, "headers": [*present, *(field for field in fields if field[0] not in names)]}
        await send(message)

    return add_headers


class SecurityHeaders:
    """Adds to each response the headers with which browsers do not run, frame or sniff it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        await self._app(scope, receive, with_headers(send, SECURITY_HEADERS) if scope["type"] == "http" else send)
