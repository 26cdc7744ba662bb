"""The facts of each request, and counts of requests by closed dimensions, per minute and since the start.

No dimension can hold text from a client: routes are templates from the code, tools come from a list, and the others
have a handful of values each. Anything else counts as `other`.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

from prometheus_client import Histogram

UNROUTED = "unrouted"  # no such route
INTERPRETATION_KINDS = ("rule", "alias", "scope", "setting")  # the most informative first
LATENCY_BOUNDS_MS = (5, 10, 25, 50, 100, 250, 500, 1000, 2000)
LATENCIES = ("<5ms", "<10ms", "<25ms", "<50ms", "<100ms", "<250ms", "<500ms", "<1s", "<2s", ">=2s")
RESULT_RANGES = ((0, "0"), (1, "1"), (10, "2-10"), (50, "11-50"))
MANY_RESULTS, NO_RESULT_LIST = "51+", "none"
WORD_RANGES = ((0, "0"), (1, "1"), (2, "2"), (3, "3"), (6, "4-6"))
MANY_WORDS = "7+"
NOT_EMPTY = "none"  # the request is no search, or it found something
ALL_TYPES, SEVERAL_TYPES = "all", "several"
OTHER = "other"
NO_RESPONSE = "none"  # the client disconnected
MAX_KEYS_PER_MINUTE = 5_000  # further requests are counted in less detail
TOO_MANY_REQUESTS = 429
CACHE_STATES = ("none", "fresh", "hit", "stale", "revalidated", "edge_hit", "edge_stale")
EDGE_STATES = frozenset(("edge_hit", "edge_stale"))
BOUNDS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.3, 0.5, 1.0, 2.0)  # 0.3 is that of the objective


@dataclass(slots=True)
class RequestFacts:
    """Facts of one request. `route` is a route template or a tool name, never a path.

    `error_status` is the status of an error that an MCP tool reports inside a response, which always has status 200.
    """

    transport: str = "rest"
    route: str = UNROUTED
    status: int = 0
    error_status: int = 0
    results: int | None = None
    did_you_mean: bool = False
    synonyms: str = "none"
    cache: str = "none"
    empty_words: str = NOT_EMPTY
    empty_scope: str = NOT_EMPTY

    def add_empty_search(self, words: int, scope: Sequence[str]) -> None:
        """Set the number of words of a search that found nothing, as a range, and the types it was limited to."""
        self.empty_words = next((name for maximum, name in WORD_RANGES if words <= maximum), MANY_WORDS)
        types = set(scope)
        self.empty_scope = SEVERAL_TYPES if len(types) > 1 else next(iter(types), ALL_TYPES)

    def add_result(self, body: Mapping[str, Any]) -> None:
        """Set from a response body the number of results and how the query was interpreted."""
        results = body.get("results")
        self.results = len(results) if isinstance(results, list) else None
        self.did_you_mean = bool(body.get("did_you_mean"))
        kinds = {interpretation["kind"] for interpretation in body.get("synonyms", ())}
        self.synonyms = next((kind for kind in INTERPRETATION_KINDS if kind in kinds), "none")

    def copy_result(self, first: "RequestFacts") -> None:
        """Copy the facts of the request whose cached response this request gets."""
        self.route, self.results = first.route, first.results
        self.did_you_mean, self.synonyms = first.did_you_mean, first.synonyms
        self.empty_words, self.empty_scope = first.empty_words, first.empty_scope


_current: ContextVar[RequestFacts | None] = ContextVar("request_facts", default=None)


@contextmanager
def record_request() -> Iterator[RequestFacts]:
    """Make new facts current in this block and in the tasks that it starts."""
    token = _current.set(RequestFacts())
    try:
        yield current_request()
    finally:
        _current.reset(token)


def current_request() -> RequestFacts:
    """Return the facts of the current request; outside of one, facts that are discarded."""
    return _current.get() or RequestFacts()


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
    empty_words: str
    empty_scope: str


class UsageCounters:
    """Counts of requests. `routes` are all route templates, in the order in which they match, and tool names."""

    def __init__(self, routes: Iterable[str]) -> None:
        in_order = tuple(routes)
        self._routes = frozenset((*in_order, UNROUTED, "options", "/mcp"))
        self.paths = frozenset(route for route in self._routes if route.startswith("/") and "{" not in route)
        self.templates = [route for route in in_order if "{" in route]
        self._minute: Counter[UsageKey] = Counter()
        self.totals: Counter[UsageKey] = Counter()
        self.durations = Histogram(
            "akg_request_duration_seconds",
            "Duration of requests until the response ends, by transport and route, without probes and without those "
            "that the edge answered.",
            ("transport", "route"),
            buckets=BOUNDS_SECONDS,
            registry=None,
        )

    def record(self, facts: RequestFacts, seconds: float, count: int = 1) -> None:
        """Count one request and its duration, or several that are alike."""
        key = self.key(facts, seconds)
        if len(self._minute) >= MAX_KEYS_PER_MINUTE and key not in self._minute:
            key = key._replace(
                route=OTHER,
                latency=OTHER,
                results=OTHER,
                did_you_mean=False,
                synonyms=OTHER,
                cache=OTHER,
                empty_words=OTHER,
                empty_scope=OTHER,
            )
        self._minute[key] += count
        self.totals[key] += count
        if facts.cache not in EDGE_STATES:  # the edge sends no durations
            self.durations.labels(facts.transport, self._known(facts.route)).observe(seconds)

    def take(self) -> Mapping[UsageKey, int]:
        """Return the counts since the last call."""
        taken, self._minute = self._minute, Counter()
        return taken

    def _known(self, route: str) -> str:
        return route if route in self._routes else OTHER

    def key(self, facts: RequestFacts, seconds: float) -> UsageKey:
        """Return the dimensions of a request."""
        return UsageKey(
            transport=facts.transport,
            route=self._known(facts.route),
            status=status_class(facts.status),
            latency=LATENCIES[bisect_right(LATENCY_BOUNDS_MS, seconds * 1000)],
            results=_result_range(facts.results),
            did_you_mean=facts.did_you_mean,
            synonyms=facts.synonyms,
            cache=facts.cache,
            limited=facts.status == TOO_MANY_REQUESTS,
            empty_words=facts.empty_words,
            empty_scope=facts.empty_scope,
        )


def status_class(status: int) -> str:
    """Return the class of a status, such as `2xx`."""
    return f"{status // 100}xx" if status else NO_RESPONSE


def _result_range(results: int | None) -> str:
    if results is None:
        return NO_RESULT_LIST
    return next((name for maximum, name in RESULT_RANGES if results <= maximum), MANY_RESULTS)


def usage_document(key: UsageKey, count: int, common: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of one count. `common` holds the fields that all counts of its minute share."""
    return {**key._asdict(), "count": count, **common}
