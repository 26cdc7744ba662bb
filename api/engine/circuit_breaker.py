"""Whether OpenSearch gets a request: not while it fails, except for one probe at a time."""

import asyncio
from dataclasses import dataclass, field

MAX_FAILURES = 5  # in a row
PAUSE_SECONDS = 0.5  # without a probe, after a node was silent


class CircuitBreaker:
    """Opens after several failures in a row. The caller passes in the time in seconds, and sends one probe at a time.

    A refused connection fails within a millisecond, so the next request may be a probe at once: the first request after
    an outage must succeed. After a failure that took long, none is allowed for a pause: a node that hangs would
    otherwise keep every request waiting.

    The usual libraries let all waiting calls through at once, which a struggling OpenSearch bears least.
    """

    def __init__(self) -> None:
        self._failures = 0
        self._probe_at = 0.0

    @property
    def open(self) -> bool:
        """Whether only probes are sent."""
        return self._failures >= MAX_FAILURES

    def allows_probe(self, now: float) -> bool:
        """Return whether no pause is in progress."""
        return now >= self._probe_at

    def succeeded(self) -> None:
        """Record a response: close the breaker."""
        self._failures = 0

    def failed(self, now: float, *, is_slow: bool) -> None:
        """Record a failure; a slow one begins a pause."""
        self._failures += 1
        self._probe_at = now + PAUSE_SECONDS if is_slow else now


@dataclass(frozen=True, slots=True)
class Probe:
    """A request that is sent while the circuit breaker is open."""

    began_at: float
    ended: asyncio.Event = field(default_factory=asyncio.Event)
