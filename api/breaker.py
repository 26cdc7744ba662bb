"""A circuit breaker: after several failures in a row nothing is asked but one probe now and then. Pure.

Libraries for this let every waiting call through at once when they try again, which is what a struggling engine can
bear least.
"""

from __future__ import annotations

FAILURES = 5  # in a row
PAUSE = 0.5  # seconds from one probe to the next


class Breaker:
    """Open or closed; the caller says what time it is, in seconds."""

    def __init__(self, failures: int = FAILURES, pause: float = PAUSE) -> None:
        self._most = failures
        self._pause = pause
        self._failures = 0
        self._probe_at = 0.0

    @property
    def open(self) -> bool:
        """Whether calls are refused."""
        return self._failures >= self._most

    def allows(self, now: float) -> bool:
        """Whether a call may be made. While open, one that may is the probe, and no other is until the next pause."""
        if not self.open:
            return True
        if now < self._probe_at:
            return False
        self._probe_at = now + self._pause
        return True

    def succeeded(self) -> None:
        """A call was answered: closed."""
        self._failures = 0

    def failed(self, now: float) -> None:
        """A call was not answered."""
        self._failures += 1
        if self.open:
            self._probe_at = now + self._pause
