"""What the reverse proxy in front needs: compressed bodies where it asks for them, and until when it may keep them.

The proxy keeps each response until the end of the second in which it was sent (`X-Accel-Expires`, a header of nginx),
then asks again by ETag. So it is never more than a second behind the live release. Browsers follow `Cache-Control`.
"""

from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.request_headers import accepts
from api.http.request_policy import EXPORT_PREFIX

MIN_BYTES = 500  # of a body that is compressed
GZIP_LEVEL = 5
PUBLIC = "public"
GZIP = ("gzip", "*")


class EdgeHeaders:
    """Wraps the application. `clock` returns seconds since 1970. Exports have their own encodings and ETags."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float]) -> None:
        self._app = app
        self._compressing = GZipMiddleware(app, minimum_size=MIN_BYTES, compresslevel=GZIP_LEVEL)
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["path"].startswith(EXPORT_PREFIX):
            await self._app(scope, receive, send)
            return
        compresses = accepts(Headers(scope=scope).get("accept-encoding", ""), GZIP)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_headers(MutableHeaders(scope=message), is_weak=compresses)
            await send(message)

        await self._compressing(_with_encoding(scope, compresses=compresses), receive, send_with_headers)

    def _add_headers(self, headers: MutableHeaders, *, is_weak: bool) -> None:
        """Add until when a response is kept. The ETag is weak for clients that get other bytes than the plain ones."""
        if headers.get("cache-control", "").startswith(PUBLIC) and "etag" in headers:
            headers["x-accel-expires"] = f"@{int(self._clock())}"
        if is_weak and headers.get("etag", "").startswith('"'):
            headers["etag"] = f"W/{headers['etag']}"


def _with_encoding(scope: Scope, *, compresses: bool) -> Scope:
    """Return the scope with `Accept-Encoding: gzip` or without that header: Starlette does not read qualities."""
    headers = [field for field in scope["headers"] if field[0] != b"accept-encoding"]
    return {**scope, "headers": [*headers, (b"accept-encoding", b"gzip")] if compresses else headers}
