"""Turns at each host: one request at a time, with a pause after it, and none at all after three without an answer."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

GIVEN_UP = 3  # addresses of one host in a row that got no answer


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that only go forward, and a way to wait for some of them."""

    seconds: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class _Host:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pause: float = 0.0
    free_at: float = 0.0
    silent: int = 0
    answered: bool = False


class Hosts:
    """What is known of each host in this run. `pause` is in seconds; a host's own wish may make it longer."""

    def __init__(self, clock: Clock, pause: float) -> None:
        self._clock = clock
        self._pause = pause
        self._hosts: defaultdict[str, _Host] = defaultdict(_Host)

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait until the host may be asked; nobody else asks it meanwhile."""
        known = self._hosts[host]
        async with known.lock:
            await self._clock.sleep(max(0.0, known.free_at - self._clock.seconds()))
            try:
                yield
            finally:
                self.rest(host, max(self._pause, known.pause))

    def rest(self, host: str, seconds: float) -> None:
        """Leave the host alone for so long from now."""
        known = self._hosts[host]
        known.free_at = max(known.free_at, self._clock.seconds() + seconds)

    def slow_down(self, host: str, pause: float) -> None:
        """Keep the pause that the host asks for, if it is longer than ours."""
        self._hosts[host].pause = max(self._hosts[host].pause, pause)

    def heard(self, host: str, *, answered: bool) -> None:
        """Take down whether an address of the host got an answer in the end."""
        known = self._hosts[host]
        known.silent = 0 if answered else known.silent + 1
        known.answered = known.answered or answered

    def is_silent(self, host: str) -> bool:
        """Whether the host has given no answer so often that it is left alone."""
        return self._hosts[host].silent >= GIVEN_UP

    def answers(self) -> tuple[int, int]:
        """How many hosts have answered, and how many have only been silent."""
        known = self._hosts.values()
        return sum(one.answered for one in known), sum(bool(one.silent) and not one.answered for one in known)
