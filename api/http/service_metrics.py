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
            Info("build", "1, with the version of the program.", lambda: {"version": about.VERSION}),
            Info(
                "release",
                "1, with the name and versions of the last known live release; none before the first contact.",
                self._release,
            ),
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
            "release_age_seconds": ("Time since the last known live release was built.", self._release_age()),
            "requests_running": ("Requests that hold one of the AKG_CONCURRENCY slots.", self.concurrency.running),
            "requests_waiting": ("Requests that wait for a slot.", self.concurrency.waiting),
            "circuit_breaker_open": (
                "1 while OpenSearch gets only one request at a time, the probe.",
                self.engine.is_unavailable,
            ),
            "response_cache_entries": ("Responses in the cache.", self.cache.length),
            "response_cache_bytes": (
                "Size of the bodies in the cache, at most AKG_RESPONSE_CACHE_BYTES.",
                self.cache.size,
            ),
            "usage_waiting": ("Usage counts that are not written yet.", len(self.writer.queue)),
            "usage_dropped": ("Usage counts that were dropped since the start.", self.writer.dropped),
        }

    def _release_age(self) -> float | None:
        release = self.engine.release
        return (self.now() - datetime.fromisoformat(release.released)).total_seconds() if release else None
