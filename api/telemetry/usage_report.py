"""Public daily totals of usage, with small numbers suppressed."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from api.engine.search_engine import SearchEngine
from api.errors import ServiceError
from api.parameters import MAX_USAGE_DAYS
from schema.json_types import JsonObject

SUPPRESSED_BELOW = 10  # requests per day and kind
BREAKDOWNS = {"by_transport": "transport", "by_route": "route", "by_status": "status"}
MAX_BUCKETS = 100  # per breakdown; there are fewer
CACHE_SECONDS = 60.0  # for totals and for errors
WRITE_DELAY = timedelta(minutes=10)  # until the last counts of a day are written


class UsageReport:
    """Daily totals that are at most a minute old. `clock` returns seconds, `now` the time in UTC.

    The report sends OpenSearch at most one request per minute, also while requests fail.
    """

    def __init__(self, engine: SearchEngine, clock: Callable[[], float], now: Callable[[], datetime]) -> None:
        self._engine = engine
        self._clock = clock
        self._now = now
        self._lock = asyncio.Lock()
        self._read_at = float("-inf")
        self._days: list[JsonObject] | ServiceError = []

    async def days(self, days: int) -> list[JsonObject]:
        """Return the last `days` days, newest first, without days that have no requests. Raise errors of OpenSearch."""
        async with self._lock:
            if self._clock() - self._read_at > CACHE_SECONDS:
                try:
                    response = await self._engine.search_usage(totals_body())
                    self._days = parse_days(response, (self._now() - WRITE_DELAY).date())
                except ServiceError as error:
                    self._days = error
                self._read_at = self._clock()
        if isinstance(self._days, ServiceError):
            raise self._days
        oldest = str(self._now().date() - timedelta(days=days - 1))
        return [day for day in self._days if day["date"] >= oldest]


def totals_body() -> JsonObject:
    """Return the query for sums per day. The range is rounded to days, so that OpenSearch can cache past months."""
    total = {"sum": {"field": "count"}}
    breakdowns = {
        name: {"terms": {"field": field, "size": MAX_BUCKETS}, "aggs": {"requests": total}}
        for name, field in BREAKDOWNS.items()
    }
    daily = {"date_histogram": {"field": "minute", "calendar_interval": "day", "min_doc_count": 1}}
    return {
        "size": 0,
        "query": {"range": {"minute": {"gte": f"now-{MAX_USAGE_DAYS - 1}d/d"}}},
        "aggs": {"days": {**daily, "aggs": {"requests": total, **breakdowns}}},
    }


def parse_days(response: Mapping[str, Any], today: date) -> list[JsonObject]:
    """Return public totals per day, newest first. `today` and later days are incomplete."""
    buckets = response.get("aggregations", {}).get("days", {}).get("buckets", ())
    days = [_day(bucket, str(today)) for bucket in buckets]
    return sorted(days, key=lambda day: str(day["date"]), reverse=True)


def _day(bucket: Mapping[str, Any], today: str) -> JsonObject:
    date = bucket["key_as_string"][:10]
    complete = date < today
    step = 1 if complete else SUPPRESSED_BELOW  # else the difference of two responses could reveal a single request
    breakdowns = {
        name: suppress_small({kind["key"]: int(kind["requests"]["value"]) for kind in bucket[name]["buckets"]}, step)
        for name in BREAKDOWNS
    }
    requests = int(bucket["requests"]["value"])
    shown = requests - requests % step if requests >= SUPPRESSED_BELOW else None
    return {"date": date, "complete": complete, "requests": shown, **breakdowns}


def suppress_small(counts: Mapping[str, int], step: int = 1) -> dict[str, int | None]:
    """Round counts down to `step`; replace small ones by None, and so many others that the total reveals none."""
    hidden = {kind for kind, count in counts.items() if 0 < count < SUPPRESSED_BELOW}
    shown = sorted((count, kind) for kind, count in counts.items() if count >= SUPPRESSED_BELOW)
    while hidden and shown and (len(hidden) == 1 or sum(counts[kind] for kind in hidden) < SUPPRESSED_BELOW):
        hidden.add(shown.pop(0)[1])
    return {kind: None if kind in hidden else count - count % step for kind, count in sorted(counts.items())}
