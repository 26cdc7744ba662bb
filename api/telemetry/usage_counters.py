"""Counts requests by closed dimensions, per minute and since the start. Pure.

No dimension can hold text from a client: routes are templates from the code, tools come from a list, and the others
have a handful of values each. Anything else counts as `other`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from api.telemetry.request_facts import UNROUTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from api.telemetry.request_facts import RequestFacts

LATENCY_BOUNDS_MS = (5, 10, 25, 50, 100, 250, 500, 1000, 2000)
LATENCIES = ("<5ms", "<10ms", "<25ms", "<50ms", "<100ms", "<250ms", "<500ms", "<1s", "<2s", ">=2s")
RESULT_RANGES = ((0, "0"), (1, "1"), (10, "2-10"), (50, "11-50"))
MANY_RESULTS, NO_RESULT_LIST = "51+", "none"
OTHER = "other"
NO_RESPONSE = "none"  # the client disconnected
MAX_KEYS_PER_MINUTE = 5_000  # further requests are counted in less detail
TOO_MANY_REQUESTS = 429


class UsageKey(NamedTuple):
    """The dimensions of a count."""

    transport: str
    route: str
    status: str
    latency: str
    results: str
    did_you_mean: bool
    synonyms: str
    cache: str
    limited: bool


class UsageCounters:
    """Counts of requests. `routes` are all route templates and tool names."""

    def __init__(self, routes: Iterable[str]) -> None:
        self._routes = frozenset((*routes, UNROUTED, "options", "/mcp"))
        self.paths = frozenset(route for route in self._routes if route.startswith("/") and "{" not in route)
        self._minute: Counter[UsageKey] = Counter()
        self.totals: Counter[UsageKey] = Counter()
        self.seconds: dict[tuple[str, str], float] = {}

    def record(self, facts: RequestFacts, seconds: float) -> None:
        """Count one request and its duration."""
        key = self._key(facts, seconds)
        if len(self._minute) >= MAX_KEYS_PER_MINUTE and key not in self._minute:
            key = key._replace(
                route=OTHER, latency=OTHER, results=OTHER, did_you_mean=False, synonyms=OTHER, cache=OTHER
            )
        self._minute[key] += 1
        self.totals[key] += 1
        series = (key.transport, key.route)
        self.seconds[series] = self.seconds.get(series, 0.0) + seconds

    def take(self) -> Mapping[UsageKey, int]:
        """Return the counts since the last call."""
        taken, self._minute = self._minute, Counter()
        return taken

    def _key(self, facts: RequestFacts, seconds: float) -> UsageKey:
        return UsageKey(
            transport=facts.transport,
            route=facts.route if facts.route in self._routes else OTHER,
            status=f"{facts.status // 100}xx" if facts.status else NO_RESPONSE,
            latency=LATENCIES[bisect_right(LATENCY_BOUNDS_MS, seconds * 1000)],
            results=_result_range(facts.results),
            did_you_mean=facts.did_you_mean,
            synonyms=facts.synonyms,
            cache=facts.cache,
            limited=facts.status == TOO_MANY_REQUESTS,
        )


def _result_range(results: int | None) -> str:
    if results is None:
        return NO_RESULT_LIST
    return next((name for maximum, name in RESULT_RANGES if results <= maximum), MANY_RESULTS)


def usage_document(key: UsageKey, count: int, common: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of one count. `common` holds the fields that all counts of its minute share."""
    return {**key._asdict(), "count": count, **common}
