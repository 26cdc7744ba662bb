"""Small ASGI helpers of the middleware: responses without body, header lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import Message, Send


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
