"""What may be known of one request: nothing but fixed words and counts. Set where it comes in, added to on its way."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

UNROUTED = "unrouted"  # refused before any route was looked for, or no route at all
READINGS = ("rule", "alias", "scope")  # how words were read; the most telling first


@dataclass(slots=True)
class Observation:
    """One request. `route` is a template or the name of a tool, never a path.

    `refused` is the status of the error that a tool told of inside an answer, which is always a 200.
    """

    door: str = "rest"
    route: str = UNROUTED
    status: int = 0
    refused: int = 0
    results: int | None = None
    did_you_mean: bool = False
    synonyms: str = "none"
    cache: str = "none"

    def answered(self, body: Mapping[str, Any]) -> None:
        """Take from an answer's body how much it holds, and how its words were read."""
        found = body.get("results")
        self.results = len(found) if isinstance(found, list) else None
        self.did_you_mean = bool(body.get("did_you_mean"))
        kinds = {reading["kind"] for reading in body.get("synonyms", ())}
        self.synonyms = next((kind for kind in READINGS if kind in kinds), "none")

    def like(self, first: Observation) -> None:
        """Take over what was known of the request that this answer was first given to."""
        self.route, self.results = first.route, first.results
        self.did_you_mean, self.synonyms = first.did_you_mean, first.synonyms


_current: ContextVar[Observation | None] = ContextVar("observation", default=None)


@contextmanager
def observing() -> Iterator[Observation]:
    """Observe what runs in this block, and the tasks that it starts."""
    token = _current.set(Observation())
    try:
        yield current()
    finally:
        _current.reset(token)


def current() -> Observation:
    """The request at hand; where none is observed, one that nobody looks at."""
    return _current.get() or Observation()
