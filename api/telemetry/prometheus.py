"""Serves `/metrics` for Prometheus on the admin port."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    start_http_server,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from api.telemetry.usage_counters import CACHE_STATES, NO_RESULT_LIST, NOT_EMPTY, UsageCounters, UsageKey

# name, description, labels (dimensions of the counts), and the labels that exist before the first request
COUNTERS: tuple[tuple[str, str, tuple[str, ...], tuple[tuple[str, ...], ...]], ...] = (
    (
        "akg_requests",
        "Requests by transport, route and class of the status (none: no response), also at the edge, without probes.",
        ("transport", "route", "status"),
        (),
    ),
    (
        "akg_answers",
        f"Responses by cache status: {', '.join(CACHE_STATES)}.",
        ("cache",),
        tuple((state,) for state in CACHE_STATES),
    ),
    (
        "akg_lists",
        "Responses with a list, by its length, whether a correction was offered, and what interpreted the query.",
        ("results", "did_you_mean", "synonyms"),
        (),
    ),
    (
        "akg_empty_searches",
        "Searches that found nothing, by the number of words and the type that they were limited to (or all, several).",
        ("empty_words", "empty_scope"),
        (),
    ),
)


class UsageMetrics(Collector):
    """Counts of requests since the start."""

    def __init__(self, usage: UsageCounters) -> None:
        self._usage = usage

    def collect(self) -> Iterable[Metric]:
        """Return the current counts."""
        yield from _request_counters(dict(self._usage.totals))
        yield from self._usage.durations.collect()


def _request_counters(counts: Mapping[UsageKey, int]) -> Iterator[Metric]:
    for name, description, labels, initial in COUNTERS:
        sums: Counter[tuple[str, ...]] = Counter(dict.fromkeys(initial, 0))
        for key, count in counts.items():
            if _is_counted(key, labels):
                values = {**key._asdict(), "did_you_mean": str(key.did_you_mean).lower()}
                sums[tuple(values[label] for label in labels)] += count
        family = CounterMetricFamily(name, description, labels=labels)
        for values_of_labels, count in sorted(sums.items()):
            family.add_metric(values_of_labels, count)
        yield family


def _is_counted(key: UsageKey, labels: Sequence[str]) -> bool:
    """Return whether a request counts: only lists by length, and only searches that found nothing by their words."""
    if "empty_words" in labels:
        return key.empty_words != NOT_EMPTY
    return key.results != NO_RESULT_LIST or "results" not in labels


class Gauges(Collector):
    """Current values. `read` returns name → description and value, None while it is unknown."""

    def __init__(self, read: Callable[[], Mapping[str, tuple[str, float | None]]]) -> None:
        self._read = read

    def collect(self) -> Iterable[Metric]:
        """Return the current values."""
        for name, (description, value) in self._read().items():
            yield GaugeMetricFamily(f"akg_{name}", description, value=value)


class Info(Collector):
    """One series of value 1 whose labels are facts. `read` returns the labels, or None while they are unknown."""

    def __init__(self, name: str, description: str, read: Callable[[], Mapping[str, str] | None]) -> None:
        self._name = name
        self._description = description
        self._read = read

    def collect(self) -> Iterable[Metric]:
        """Return the current labels."""
        labels = self._read()
        family = GaugeMetricFamily(f"akg_{self._name}_info", self._description, labels=tuple(labels or ()))
        if labels is not None:
            family.add_metric(tuple(labels.values()), 1)
        yield family


def metrics_registry(collectors: Iterable[Collector]) -> CollectorRegistry:
    """Return a registry with these metrics and those of the process."""
    disable_created_metrics()  # type: ignore[no-untyped-call]  # a series beside each counter, which nothing reads
    registry = CollectorRegistry()
    for collector in collectors:
        registry.register(collector)
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


def serve_metrics(registry: CollectorRegistry, host: str, port: int) -> Callable[[], None]:
    """Serve the metrics in a thread; return a function that stops it."""
    server, thread = start_http_server(port, host, registry=registry)

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return stop
