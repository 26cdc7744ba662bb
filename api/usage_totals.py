"""What everyone may see of the usage: daily totals, in which small numbers are not told. Asked of the engine seldom."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from api.errors import ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date, datetime

    from api.engine import Engine

Body = dict[str, Any]

SMALLEST = 10  # requests; fewer of a kind on one day are not told
BREAKDOWNS = {"by_door": "door", "by_route": "route", "by_status": "status"}
MOST_KINDS = 100  # of each breakdown; there are fewer
MOST_DAYS = 400
RECENT = 60.0  # seconds for which an answer counts, a failure too
LATE = timedelta(minutes=10)  # until the last counts of a day are written


class Totals:
    """Daily totals as they were at most a minute ago. `clock` gives seconds, `now` the time in UTC.

    However many ask, and for however many days, the engine is asked once a minute at most, also while it fails.
    """

    def __init__(self, engine: Engine, clock: Callable[[], float], now: Callable[[], datetime]) -> None:
        self._engine = engine
        self._clock = clock
        self._now = now
        self._asking = asyncio.Lock()
        self._asked_at = float("-inf")
        self._kept: list[Body] | ServiceError = []

    async def days(self, days: int) -> list[Body]:
        """The last so many days, newest first; those without requests are left out. Raises what the engine raised."""
        async with self._asking:
            if self._clock() - self._asked_at > RECENT:
                try:
                    self._kept = days_of(await self._engine.usage(totals_query()), (self._now() - LATE).date())
                except ServiceError as error:
                    self._kept = error
                self._asked_at = self._clock()
        if isinstance(self._kept, ServiceError):
            raise self._kept
        oldest = str(self._now().date() - timedelta(days=days - 1))
        return [day for day in self._kept if day["date"] >= oldest]


def totals_query() -> Body:
    """Sums for each of the last days, today included. Rounded to days, so that the engine can keep past months."""
    total = {"sum": {"field": "count"}}
    kinds = {
        name: {"terms": {"field": field, "size": MOST_KINDS}, "aggs": {"requests": total}}
        for name, field in BREAKDOWNS.items()
    }
    daily = {"date_histogram": {"field": "minute", "calendar_interval": "day", "min_doc_count": 1}}
    return {
        "size": 0,
        "query": {"range": {"minute": {"gte": f"now-{MOST_DAYS - 1}d/d"}}},
        "aggs": {"days": {**daily, "aggs": {"requests": total, **kinds}}},
    }


def days_of(answer: Mapping[str, Any], today: date) -> list[Body]:
    """The engine's sums as public days, newest first. `today` is not complete yet."""
    buckets = answer.get("aggregations", {}).get("days", {}).get("buckets", ())
    days = [_day(bucket, str(today)) for bucket in buckets]
    return sorted(days, key=lambda day: str(day["date"]), reverse=True)


def _day(bucket: Mapping[str, Any], today: str) -> Body:
    date = bucket["key_as_string"][:10]
    complete = date < today
    step = 1 if complete else SMALLEST  # while it grows, the difference of two answers must not tell of one request
    told = {
        name: suppressed({kind["key"]: int(kind["requests"]["value"]) for kind in bucket[name]["buckets"]}, step)
        for name in BREAKDOWNS
    }
    requests = int(bucket["requests"]["value"])
    return {"date": date, "complete": complete, "requests": _rounded(requests, step), **told}


def _rounded(count: int, step: int) -> int | None:
    return count - count % step if count >= SMALLEST else None


def suppressed(counts: Mapping[str, int], step: int = 1) -> dict[str, int | None]:
    """The counts in whole steps, None for small ones and for so many more that no small one follows from the total."""
    hidden = {kind for kind, count in counts.items() if 0 < count < SMALLEST}
    shown = sorted((count, kind) for kind, count in counts.items() if count >= SMALLEST)
    while hidden and shown and (len(hidden) == 1 or sum(counts[kind] for kind in hidden) < SMALLEST):
        hidden.add(shown.pop(0)[1])
    return {kind: None if kind in hidden else count - count % step for kind, count in sorted(counts.items())}
