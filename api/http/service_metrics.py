"""The metrics of the service on `/metrics`: which parts have which."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from prometheus_client.registry import Collector

from api import about
from api.engine.search_engine import SearchEngine
from api.http.response_cache import ResponseCache
from api.limits.concurrency import ConcurrencyLimit
from api.limits.rate_limit import RateLimits
from api.telemetry.prometheus import Gauges, Info, UsageMetrics
from api.telemetry.usage_counters import UsageCounters
from api.telemetry.usage_writer import UsageWriter


@dataclass(frozen=True, slots=True)
class ServiceMetrics:
    """Reads the metrics from the parts of the service. `now` returns the time in UTC."""

    engine: SearchEngine
    concurrency: ConcurrencyLimit
    cache: ResponseCache
    limits: RateLimits
    usage: UsageCounters
    writer: UsageWriter
    now: Callable[[], datetime]

    def collectors(self) -> tuple[Collector, ...]:
        """Return all metrics, to be registered once."""
        return (
            Info("build", "Version of the program.", lambda: {"version": about.VERSION}),
            Info("release", "The last known live release and its synonym rules.", self._release),
            Gauges(self._gauges),
            UsageMetrics(self.usage),
            self.engine.metrics.durations,
            self.engine.metrics.retries,
            self.limits.rejections,
            self.cache.hits,
            self.cache.misses,
        )

    def _release(self) -> Mapping[str, str] | None:
        release = self.engine.release
        if release is None:
            return None
        versions = {"data_version": release.data_version, "synonyms_version": release.synonyms_version}
        return {"release": release.index, **versions}

    def _gauges(self) -> dict[str, tuple[str, float | None]]:
        return {
            "release_age_seconds": ("Age of the last known live release.", self._release_age()),
            "requests_running": ("Requests that hold a slot.", self.concurrency.running),
            "requests_waiting": ("Requests that wait for a slot.", self.concurrency.waiting),
            "circuit_breaker_open": ("1 while only probes are sent to OpenSearch.", self.engine.is_unavailable),
            "response_cache_entries": ("Responses in the cache.", self.cache.length),
            "response_cache_bytes": ("Size of the bodies in the cache.", self.cache.size),
            "usage_waiting": ("Usage counts that are not written yet.", len(self.writer.queue)),
            "usage_dropped": ("Usage counts that were dropped.", self.writer.dropped),
        }

    def _release_age(self) -> float | None:
        release = self.engine.release
        return (self.now() - datetime.fromisoformat(release.released)).total_seconds() if release else None
