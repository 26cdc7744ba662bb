"""The outermost middleware: counts and logs every request."""

import logging
from collections.abc import Callable, Mapping

from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.routing import is_fixed
from api.telemetry.usage_counters import UNROUTED, RequestFacts, UsageCounters, record_request

log = logging.getLogger("akg.requests")


class TelemetryMiddleware:
    """Wraps the application. `clock` returns seconds, `gauges` current values for the metrics."""

    def __init__(
        self,
        app: ASGIApp,
        usage: UsageCounters,
        clock: Callable[[], float],
        gauges: Callable[[], Mapping[str, tuple[str, float]]],
    ) -> None:
        self._app = app
        self._clock = clock
        self.usage = usage
        self.gauges = gauges
        self._templates = [(compile_path(template)[0], template) for template in usage.templates]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = self._clock()
        with record_request() as facts:
            path = scope["path"].rstrip("/") or "/"
            facts.transport = "mcp" if path == "/mcp" else "rest"
            # known before routing: a route without parameters
            facts.route = "options" if scope["method"] == "OPTIONS" else path if path in self.usage.paths else UNROUTED

            async def record_start(message: Message) -> None:
                if message["type"] == "http.response.start":
                    facts.status = facts.error_status or message["status"]
                    facts.cache = _cache_status(message)
                await send(message)

            try:
                await self._app(scope, receive, record_start)
            finally:
                if facts.route == UNROUTED:  # rejected before routing, or there is no such route
                    facts.route = self._template(path)
                self._record(facts, self._clock() - began)

    def _template(self, path: str) -> str:
        """Return the first route template that matches a path."""
        for pattern, template in self._templates:
            match = pattern.match(path)
            if match and not is_fixed(match.groupdict().get("type", "")):
                return template
        return UNROUTED

    def _record(self, facts: RequestFacts, seconds: float) -> None:
        self.usage.record(facts, seconds)
        level = logging.WARNING if facts.status >= 500 else logging.DEBUG  # noqa: PLR2004 - server errors
        if log.isEnabledFor(level):
            milliseconds = round(seconds * 1000, 1)
            fields = {"transport": facts.transport, "route": facts.route, "status": facts.status, "ms": milliseconds}
            log.log(level, "request", extra={"fields": fields})


def _cache_status(message: Message) -> str:
    headers = dict(message["headers"])
    if message["status"] == 304:  # noqa: PLR2004 - the status is its own name
        return "revalidated"
    if b"cache-status" in headers:
        return "stale" if b"stale" in headers[b"cache-status"] else "hit"
    return "fresh" if b"etag" in headers else "none"
