"""Reads of documents that are asked for at the same time go together, as one request.

What is asked for in one turn of the loop goes together when it is over. Of each place up to AT_ONCE requests are under
way; what is asked for meanwhile goes when one of them has ended, or after PATIENCE, so that nobody waits for a node
that hangs.
"""

from __future__ import annotations

import asyncio
import contextvars
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from api.deadline import until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    Documents = Sequence[Mapping[str, Any]]

AT_ONCE = 2
PATIENCE = 0.05  # seconds
MOST = 100  # documents in one request; with more it is sent at once


class _Batch:
    """Ids that are asked for together, who waits for which of them, and until when."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.waiting: list[tuple[asyncio.Future[Documents], int, int]] = []
        self.ends = -math.inf
        self.goes: asyncio.Handle
        self.sent: asyncio.Task[Documents] | None = None  # the loop alone would let go of it

    def left(self) -> None:
        """Somebody has gone; what nobody waits for any more is not waited for.

        Nobody goes because it is too late: the request ends by its own deadline, and tells the breaker.
        """
        if self.sent is not None and not self.wanted:
            self.sent.cancel()

    @property
    def wanted(self) -> bool:
        """Whether anybody still waits for it."""
        return not all(waiter.done() for waiter, _, _ in self.waiting)

    def told(self, sent: asyncio.Task[Documents]) -> None:
        """Hand everybody what they asked for, or why they do not get it."""
        why = None if sent.cancelled() else sent.exception()
        for waiter, first, last in self.waiting:
            if waiter.done():  # who asked has gone
                continue
            if sent.cancelled():
                waiter.cancel()
            elif why is not None:
                waiter.set_exception(why)
            else:
                waiter.set_result(sent.result()[first:last])


class Gathering:
    """`ask` sends one request for documents of a place, in the order asked, within the deadline of its context."""

    def __init__(self, ask: Callable[[str, Sequence[str]], Awaitable[Documents]]) -> None:
        self._ask = ask
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, _Batch] = {}

    async def get(self, place: str, ids: Sequence[str], ends: float, seconds: float) -> Documents:
        """These documents, before `ends`, which is in so many `seconds`; TimeoutError then. Else what `ask` raises."""
        loop = asyncio.get_running_loop()
        batch = self._waiting.get(place) or self._gather(place, loop)
        waiter: asyncio.Future[Documents] = loop.create_future()
        first = len(batch.ids)
        batch.ids += ids
        batch.waiting.append((waiter, first, len(batch.ids)))
        batch.ends = max(batch.ends, ends)
        if len(batch.ids) >= MOST:
            self._send(place)
        timer = loop.call_later(max(0.0, seconds), _late, waiter)
        try:
            return await waiter  # who leaves takes nothing from the others
        except asyncio.CancelledError:
            batch.left()
            raise
        finally:
            timer.cancel()

    def _gather(self, place: str, loop: asyncio.AbstractEventLoop) -> _Batch:
        batch = self._waiting[place] = _Batch()
        free = self._running[place] < AT_ONCE
        batch.goes = loop.call_soon(self._send, place) if free else loop.call_later(PATIENCE, self._send, place)
        return batch

    def _send(self, place: str) -> None:
        """Let what waits go."""
        batch = self._waiting.pop(place)
        batch.goes.cancel()
        if not batch.wanted:
            return
        self._running[place] += 1
        fresh = contextvars.Context()  # it has its own deadline, not that of the first who waits
        batch.sent = asyncio.create_task(self._sent(place, batch), context=fresh)
        batch.sent.add_done_callback(batch.told)
        batch.sent.add_done_callback(lambda _: self._over(place))  # also of a task that is cancelled before it begins

    async def _sent(self, place: str, batch: _Batch) -> Documents:
        with until(batch.ends):
            return await self._ask(place, batch.ids)

    def _over(self, place: str) -> None:
        """One request has ended: what waits may go."""
        self._running[place] -= 1
        if place in self._waiting and self._running[place] < AT_ONCE:
            self._send(place)
        if not self._running[place]:
            del self._running[place]


def _late(waiter: asyncio.Future[Any]) -> None:
    if not waiter.done():
        waiter.set_exception(TimeoutError())
