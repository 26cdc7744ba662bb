"""Serves `/metrics` for Prometheus on the admin port."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from api.telemetry.usage_counters import LATENCIES, LATENCY_BOUNDS_MS, NO_RESULT_LIST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from prometheus_client.metrics_core import Metric

    from api.telemetry.usage_counters import UsageCounters, UsageKey

BOUNDS = [*(str(milliseconds / 1000) for milliseconds in LATENCY_BOUNDS_MS), "+Inf"]


class UsageMetrics(Collector):
    """Counts since the start, and gauges. `gauges` returns name → help and current value."""

    def __init__(self, usage: UsageCounters, gauges: Callable[[], Mapping[str, tuple[str, float]]]) -> None:
        self._usage = usage
        self._gauges = gauges

    def collect(self) -> Iterable[Metric]:
        """Return the current metrics."""
        counts = dict(self._usage.totals)
        yield from _request_counters(counts)
        yield self._durations(counts)
        for name, (description, value) in self._gauges().items():
            yield GaugeMetricFamily(f"akg_{name}", description, value=value)

    def _durations(self, counts: Mapping[UsageKey, int]) -> Metric:
        durations = HistogramMetricFamily(
            "akg_request_duration_seconds", "Duration of requests.", labels=("transport", "route")
        )
        seconds = dict(self._usage.seconds)
        for series in sorted({(key.transport, key.route) for key in counts}):
            by_latency: Counter[str] = Counter()
            for key, count in counts.items():
                if (key.transport, key.route) == series:
                    by_latency[key.latency] += count
            durations.add_metric(series, _buckets(by_latency), sum_value=seconds.get(series, 0.0))
        return durations


def _buckets(by_latency: Mapping[str, int]) -> list[tuple[str, float]]:
    """Return cumulative counts by upper bound in seconds."""
    totals = accumulate(by_latency.get(latency, 0) for latency in LATENCIES)
    return [(bound, float(total)) for bound, total in zip(BOUNDS, totals, strict=True)]


def _request_counters(counts: Mapping[UsageKey, int]) -> Iterator[Metric]:
    requests = CounterMetricFamily("akg_requests", "Requests.", labels=("transport", "route", "status"))
    caches = CounterMetricFamily("akg_answers", "Responses by cache status.", labels=("cache",))
    searches = CounterMetricFamily(
        "akg_lists",
        "Responses with a list of results, by length, suggestions and interpretation.",
        labels=("results", "did_you_mean", "synonyms"),
    )
    for family, labels_of in ((requests, _request_labels), (caches, _cache_labels), (searches, _search_labels)):
        sums: Counter[tuple[str, ...]] = Counter()
        for key, count in counts.items():
            if labels := labels_of(key):
                sums[labels] += count
        for labels, count in sorted(sums.items()):
            family.add_metric(labels, count)
        yield family


def _request_labels(key: UsageKey) -> tuple[str, ...]:
    return (key.transport, key.route, key.status)


def _cache_labels(key: UsageKey) -> tuple[str, ...]:
    return (key.cache,)


def _search_labels(key: UsageKey) -> tuple[str, ...]:
    return () if key.results == NO_RESULT_LIST else (key.results, str(key.did_you_mean).lower(), key.synonyms)


def metrics_registry(usage: UsageCounters, gauges: Callable[[], Mapping[str, tuple[str, float]]]) -> CollectorRegistry:
    """Return a registry with the metrics of the service and of the process."""
    registry = CollectorRegistry()
    registry.register(UsageMetrics(usage, gauges))
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
