"""Counts of requests by fixed words only, for each minute and since the start. Pure.

No cell can hold anything that a caller wrote: routes are templates from the code, tools come from a list, and every
other dimension has a handful of values. What is not in the lists is counted as other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from api.observation import UNROUTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from api.observation import Observation

MILLISECONDS = (5, 10, 25, 50, 100, 250, 500, 1000, 2000)
SPEEDS = ("<5ms", "<10ms", "<25ms", "<50ms", "<100ms", "<250ms", "<500ms", "<1s", "<2s", ">=2s")
AMOUNTS = ((0, "0"), (1, "1"), (10, "2-10"), (50, "11-50"))
MANY, NO_LIST = "51+", "none"
OTHER = "other"
NO_ANSWER = "none"  # the caller went away
MOST_CELLS = 5_000  # kinds of requests in one minute; what is more is counted with less detail
TOO_MANY_REQUESTS = 429


class Cell(NamedTuple):
    """One kind of request."""

    door: str
    route: str
    status: str
    latency: str
    results: str
    did_you_mean: bool
    synonyms: str
    cache: str
    limited: bool


class Usage:
    """Counts what it is told. `routes` are all templates and tools that there are."""

    def __init__(self, routes: Iterable[str]) -> None:
        self._routes = frozenset((*routes, UNROUTED, "options", "/mcp"))
        self.paths = frozenset(route for route in self._routes if route.startswith("/") and "{" not in route)
        self._minute: Counter[Cell] = Counter()
        self.totals: Counter[Cell] = Counter()
        self.seconds: dict[tuple[str, str], float] = {}

    def note(self, seen: Observation, seconds: float) -> None:
        """Count one request that took so long."""
        cell = self._cell(seen, seconds)
        if len(self._minute) >= MOST_CELLS and cell not in self._minute:
            cell = Cell(cell.door, OTHER, cell.status, OTHER, OTHER, False, OTHER, OTHER, cell.limited)  # noqa: FBT003
        self._minute[cell] += 1
        self.totals[cell] += 1
        place = (cell.door, cell.route)
        self.seconds[place] = self.seconds.get(place, 0.0) + seconds

    def take(self) -> Mapping[Cell, int]:
        """What was counted since the last time."""
        taken, self._minute = self._minute, Counter()
        return taken

    def _cell(self, seen: Observation, seconds: float) -> Cell:
        return Cell(
            door=seen.door,
            route=seen.route if seen.route in self._routes else OTHER,
            status=f"{seen.status // 100}xx" if seen.status else NO_ANSWER,
            latency=SPEEDS[bisect_right(MILLISECONDS, seconds * 1000)],
            results=_amount(seen.results),
            did_you_mean=seen.did_you_mean,
            synonyms=seen.synonyms,
            cache=seen.cache,
            limited=seen.status == TOO_MANY_REQUESTS,
        )


def _amount(results: int | None) -> str:
    if results is None:
        return NO_LIST
    return next((name for most, name in AMOUNTS if results <= most), MANY)


def document(cell: Cell, count: int, more: Mapping[str, Any]) -> dict[str, Any]:
    """One cell of one minute, as it is indexed. `more` is what holds for all cells of that minute."""
    return {**cell._asdict(), "count": count, **more}
