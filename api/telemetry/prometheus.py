"""Serves `/metrics` for Prometheus on the admin port."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from api.telemetry.usage_counters import LATENCIES, LATENCY_BOUNDS_MS, NO_RESULT_LIST, UsageCounters, UsageKey

# name, description, and labels: dimensions of the counts
COUNTERS = (
    ("akg_requests", "Requests.", ("transport", "route", "status")),
    ("akg_answers", "Responses by cache status.", ("cache",)),
    (
        "akg_lists",
        "Responses with a list of results, by length, suggestions and interpretation.",
        ("results", "did_you_mean", "synonyms"),
    ),
)
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
        by_latency: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for key, count in counts.items():
            by_latency[key.transport, key.route][key.latency] += count
        for series in sorted(by_latency):
            totals = accumulate(by_latency[series][latency] for latency in LATENCIES)
            buckets = [(bound, float(total)) for bound, total in zip(BOUNDS, totals, strict=True)]
            durations.add_metric(series, buckets, sum_value=seconds.get(series, 0.0))
        return durations


def _request_counters(counts: Mapping[UsageKey, int]) -> Iterator[Metric]:
    for name, description, labels in COUNTERS:
        sums: Counter[tuple[str, ...]] = Counter()
        for key, count in counts.items():
            if key.results != NO_RESULT_LIST or "results" not in labels:
                values = {**key._asdict(), "did_you_mean": str(key.did_you_mean).lower()}
                sums[tuple(values[label] for label in labels)] += count
        family = CounterMetricFamily(name, description, labels=labels)
        for values_of_labels, count in sorted(sums.items()):
            family.add_metric(values_of_labels, count)
        yield family


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
