"""Numbers for Prometheus, on a port of their own that the public never reaches."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from api.usage import MILLISECONDS, SPEEDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from prometheus_client.metrics_core import Metric

    from api.usage import Cell, Usage

BOUNDS = [*(str(milliseconds / 1000) for milliseconds in MILLISECONDS), "+Inf"]


class UsageMetrics(Collector):
    """The counts since the start, and what `gauges` says of this moment: name → help and value."""

    def __init__(self, usage: Usage, gauges: Callable[[], Mapping[str, tuple[str, float]]]) -> None:
        self._usage = usage
        self._gauges = gauges

    def collect(self) -> Iterable[Metric]:
        """All metrics, made when they are asked for."""
        cells = dict(self._usage.totals)
        yield from _requests(cells)
        yield self._durations(cells)
        for name, (says, value) in self._gauges().items():
            yield GaugeMetricFamily(f"akg_{name}", says, value=value)

    def _durations(self, cells: Mapping[Cell, int]) -> Metric:
        durations = HistogramMetricFamily(
            "akg_request_duration_seconds", "How long requests took.", labels=("door", "route")
        )
        seconds = dict(self._usage.seconds)
        places = sorted({(cell.door, cell.route) for cell in cells})
        for place in places:
            by_speed: Counter[str] = Counter()
            for cell, count in cells.items():
                if (cell.door, cell.route) == place:
                    by_speed[cell.latency] += count
            durations.add_metric(place, _cumulative(by_speed), sum_value=seconds.get(place, 0.0))
        return durations


def _cumulative(by_speed: Mapping[str, int]) -> list[tuple[str, float]]:
    found, total = [], 0
    for bound, speed in zip(BOUNDS, SPEEDS, strict=True):
        total += by_speed.get(speed, 0)
        found.append((bound, float(total)))
    return found


def _requests(cells: Mapping[Cell, int]) -> Iterator[Metric]:
    requests = CounterMetricFamily("akg_requests", "Requests.", labels=("door", "route", "status"))
    caches = CounterMetricFamily("akg_answers", "Answers by the state of the cache.", labels=("cache",))
    searches = CounterMetricFamily(
        "akg_lists", "Answers that are lists, by length and help given.", labels=("results", "did_you_mean", "synonyms")
    )
    for family, labels in ((requests, _kind), (caches, _cached), (searches, _listed)):
        sums: Counter[tuple[str, ...]] = Counter()
        for cell, count in cells.items():
            if told := labels(cell):
                sums[told] += count
        for told, count in sorted(sums.items()):
            family.add_metric(told, count)
        yield family


def _kind(cell: Cell) -> tuple[str, ...]:
    return (cell.door, cell.route, cell.status)


def _cached(cell: Cell) -> tuple[str, ...]:
    return (cell.cache,)


def _listed(cell: Cell) -> tuple[str, ...]:
    return () if cell.results == "none" else (cell.results, str(cell.did_you_mean).lower(), cell.synonyms)


def registry(usage: Usage, gauges: Callable[[], Mapping[str, tuple[str, float]]]) -> CollectorRegistry:
    """Everything that is told: the service's own numbers and the process's."""
    found = CollectorRegistry()
    found.register(UsageMetrics(usage, gauges))
    ProcessCollector(registry=found)
    PlatformCollector(registry=found)
    GCCollector(registry=found)
    return found


def publish(found: CollectorRegistry, host: str, port: int) -> Callable[[], None]:
    """Answer on that port in a thread of its own; call what is returned to stop."""
    server, thread = start_http_server(port, host, registry=found)

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return stop
