"""A circuit breaker: after several failures in a row, it allows only one probe per pause. Pure.

The usual libraries let all waiting calls through at once when they retry, which a struggling OpenSearch bears least.
"""

from __future__ import annotations

MAX_FAILURES = 5  # in a row
PAUSE_SECONDS = 0.5  # between probes


class CircuitBreaker:
    """Open or closed. The caller passes in the current time in seconds."""

    def __init__(self, max_failures: int = MAX_FAILURES, pause: float = PAUSE_SECONDS) -> None:
        self._max_failures = max_failures
        self._pause = pause
        self._failures = 0
        self._probe_at = 0.0

    @property
    def open(self) -> bool:
        """Whether calls are rejected."""
        return self._failures >= self._max_failures

    def allows(self, now: float) -> bool:
        """Return whether a call is allowed. While open, that call is the probe, and no other is allowed for a pause."""
        if not self.open:
            return True
        if now < self._probe_at:
            return False
        self._probe_at = now + self._pause
        return True

    def succeeded(self) -> None:
        """Record a response: close the breaker."""
        self._failures = 0

    def failed(self, now: float) -> None:
        """Record a failure."""
        self._failures += 1
        if self.open:
            self._probe_at = now + self._pause
