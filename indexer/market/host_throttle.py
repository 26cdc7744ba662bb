"""Limits requests to each host: one at a time, with a pause after each, and none after three failures in a row."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

MAX_FAILURES = 3  # in a row


@dataclass(frozen=True, slots=True)
class Clock:
    """A monotonic clock in seconds, and a function that sleeps."""

    seconds: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class _Host:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pause: float = 0.0
    free_at: float = 0.0
    failures: int = 0
    has_responded: bool = False


class HostThrottle:
    """The state of each host in this run. `pause` is in seconds; a host may require a longer one."""

    def __init__(self, clock: Clock, pause: float) -> None:
        self._clock = clock
        self._pause = pause
        self._hosts: defaultdict[str, _Host] = defaultdict(_Host)

    @asynccontextmanager
    async def request_slot(self, host: str) -> AsyncIterator[None]:
        """Wait until the host may be requested, and block other requests to it meanwhile."""
        state = self._hosts[host]
        async with state.lock:
            await self._clock.sleep(max(0.0, state.free_at - self._clock.seconds()))
            try:
                yield
            finally:
                self.block(host, max(self._pause, state.pause))

    def block(self, host: str, seconds: float) -> None:
        """Send no request to the host for at least this long from now."""
        state = self._hosts[host]
        state.free_at = max(state.free_at, self._clock.seconds() + seconds)

    def set_pause(self, host: str, pause: float) -> None:
        """Set the pause that the host requires, if it is longer than the current one."""
        self._hosts[host].pause = max(self._hosts[host].pause, pause)

    def record_result(self, host: str, *, responded: bool) -> None:
        """Record whether the host responded to the visit of an address, retries included."""
        state = self._hosts[host]
        state.failures = 0 if responded else state.failures + 1
        state.has_responded = state.has_responded or responded

    def is_unresponsive(self, host: str) -> bool:
        """Return whether the host failed too often to be requested again."""
        return self._hosts[host].failures >= MAX_FAILURES

    def response_counts(self) -> tuple[int, int]:
        """Return how many hosts have responded, and how many have only failed."""
        hosts = self._hosts.values()
        failed = sum(bool(state.failures) and not state.has_responded for state in hosts)
        return sum(state.has_responded for state in hosts), failed
