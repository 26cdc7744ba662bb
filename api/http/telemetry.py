"""The outermost middleware: counts and logs every request.

Probes are counted apart from requests, because load balancers send them all day and no client waits for their response.
"""

import logging
from collections.abc import Callable, Sequence

from prometheus_client import Counter, Gauge
from prometheus_client.registry import Collector
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.routing import is_fixed
from api.limits.rate_limit import UNLIMITED_PATHS
from api.telemetry.usage_counters import UNROUTED, RequestFacts, UsageCounters, record_request, status_class

log = logging.getLogger("akg.requests")


class TelemetryMiddleware:
    """Wraps the application. `clock` returns seconds; `collectors` are the metrics of the parts of the service."""

    def __init__(
        self,
        app: ASGIApp,
        usage: UsageCounters,
        clock: Callable[[], float],
        collectors: Sequence[Collector],
    ) -> None:
        self._app = app
        self._clock = clock
        self.usage = usage
        self.in_flight = 0
        self._probes = Counter(
            "akg_probes", "Requests of /healthz and /readyz, by route and status.", ("route", "status"), registry=None
        )
        in_flight = Gauge(
            "akg_requests_in_flight", "Requests whose response has not ended, without probes.", registry=None
        )
        in_flight.set_function(lambda: self.in_flight)
        self.collectors = (*collectors, in_flight, self._probes)
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

            is_probe = facts.route in UNLIMITED_PATHS
            self.in_flight += not is_probe
            try:
                await self._app(scope, receive, record_start)
            finally:
                self.in_flight -= not is_probe
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
        if facts.route in UNLIMITED_PATHS:
            self._probes.labels(facts.route, status_class(facts.status)).inc()
        else:
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
