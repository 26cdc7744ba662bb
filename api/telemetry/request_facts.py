"""The facts that telemetry records about one request: fixed words and counts, never text from the client."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

UNROUTED = "unrouted"  # rejected before routing, or no such route
INTERPRETATION_KINDS = ("rule", "alias", "scope")  # the most informative first


@dataclass(slots=True)
class RequestFacts:
    """Facts of one request. `route` is a route template or a tool name, never a path.

    `error_status` is the status of an error that an MCP tool reports inside a response, which always has status 200.
    """

    transport: str = "rest"
    route: str = UNROUTED
    status: int = 0
    error_status: int = 0
    results: int | None = None
    did_you_mean: bool = False
    synonyms: str = "none"
    cache: str = "none"

    def add_result(self, body: Mapping[str, Any]) -> None:
        """Set from a response body the number of results and how the query was interpreted."""
        results = body.get("results")
        self.results = len(results) if isinstance(results, list) else None
        self.did_you_mean = bool(body.get("did_you_mean"))
        kinds = {interpretation["kind"] for interpretation in body.get("synonyms", ())}
        self.synonyms = next((kind for kind in INTERPRETATION_KINDS if kind in kinds), "none")

    def copy_result(self, first: RequestFacts) -> None:
        """Copy the facts of the request whose cached response this request gets."""
        self.route, self.results = first.route, first.results
        self.did_you_mean, self.synonyms = first.did_you_mean, first.synonyms


_current: ContextVar[RequestFacts | None] = ContextVar("request_facts", default=None)


@contextmanager
def record_request() -> Iterator[RequestFacts]:
    """Make new facts current in this block and in the tasks that it starts."""
    token = _current.set(RequestFacts())
    try:
        yield current_request()
    finally:
        _current.reset(token)


def current_request() -> RequestFacts:
    """Return the facts of the current request; outside of one, facts that are discarded."""
    return _current.get() or RequestFacts()
