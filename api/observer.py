"""The outermost layer: sees every request, and tells the counters and the log the little that may be known of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from api.cache import ASKED
from api.observation import UNROUTED, Observation, observing
from api.once import forget

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from api.errors import ServiceError
    from api.repeats import Given, Repeats
    from api.usage import Usage

log = logging.getLogger("akg.requests")

MILLI = 1000


class Observer:
    """Wraps the application. `clock` gives seconds; `gauges` numbers of the moment.

    `to_response` answers what never reached the application, `repeats` what it need not be asked again.
    """

    def __init__(
        self,
        app: ASGIApp,
        usage: Usage,
        to_response: Callable[[ServiceError], Response],
        clock: Callable[[], float],
        gauges: Callable[[], Mapping[str, tuple[str, float]]],
        repeats: Repeats | None = None,
    ) -> None:
        self._app = app
        self._to_response = to_response
        self._clock = clock
        self.usage = usage
        self.gauges = gauges
        self.repeats = repeats

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = self._clock()
        with observing() as seen:
            self._look(seen, scope)

            async def watched(message: Message) -> None:
                if message["type"] == "http.response.start":
                    seen.status = seen.refused or message["status"]
                    seen.cache = _cache(message)
                    self._remember(scope, message, seen)
                await send(message)

            try:
                await self._app(scope, receive, watched)
            finally:
                forget()
                self._tell(seen, self._clock() - began)

    def _look(self, seen: Observation, scope: Scope) -> None:
        """What is known before any route is: the door, and the path if it is one that stands in the code."""
        path = scope["path"].rstrip("/")
        seen.door = "mcp" if path == "/mcp" else "rest"
        seen.route = "options" if scope["method"] == "OPTIONS" else path if path in self.usage.paths else UNROUTED

    def _remember(self, scope: Scope, start: Message, seen: Observation) -> None:
        asked = scope.get(ASKED)
        if self.repeats is not None and asked is not None and asked.question:
            self.repeats.remember(asked, scope["path"], start, seen)

    def again(self, digest: bytes, client: int) -> Given | None:
        """Answer a request that is known, if that can be done at once, and count it."""
        if self.repeats is None:
            return None
        began = self._clock()
        given = self.repeats.again(digest, client)
        if given is not None:
            self._tell(given.seen, self._clock() - began)
        return given

    def refuse(self, error: ServiceError) -> Response:
        """Answer what is no request that the application could be asked, and count it."""
        self._tell(Observation(status=error.status), 0.0)
        return self._to_response(error)

    def _tell(self, seen: Observation, seconds: float) -> None:
        self.usage.note(seen, seconds)
        level = logging.WARNING if seen.status >= 500 else logging.DEBUG  # noqa: PLR2004 - our own failures
        if log.isEnabledFor(level):
            fields = {"door": seen.door, "route": seen.route, "status": seen.status, "ms": round(seconds * MILLI, 1)}
            log.log(level, "request", extra={"fields": fields})


def _cache(message: Message) -> str:
    headers = dict(message["headers"])
    if message["status"] == 304:  # noqa: PLR2004 - the status is its own name
        return "revalidated"
    if b"cache-status" in headers:
        return "stale" if b"stale" in headers[b"cache-status"] else "hit"
    return "fresh" if b"etag" in headers else "none"
