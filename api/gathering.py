"""Reads of documents that are asked for while others are under way go together, as one request.

Of each place up to AT_ONCE requests are under way. As long as there are fewer, a read is sent at once, alone. What is
asked for meanwhile goes when one of them has ended, or after PATIENCE, so that nobody waits for a node that hangs.
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
    """Ids that are asked for together, and until when somebody waits for them."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.ends = -math.inf
        self.goes = asyncio.Event()
        self.documents: asyncio.Task[Documents]


class Gathering:
    """`ask` sends one request for documents of a place, in the order asked, within the deadline of its context."""

    def __init__(self, ask: Callable[[str, Sequence[str]], Awaitable[Documents]]) -> None:
        self._ask = ask
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, _Batch] = {}

    async def get(self, place: str, ids: Sequence[str], ends: float, seconds: float) -> Documents:
        """These documents, before `ends`, which is in so many `seconds`; TimeoutError then. Else what `ask` raises."""
        if self._running[place] < AT_ONCE:
            self._running[place] += 1
            return await self._sent(place, ids)
        batch = self._waiting.get(place) or self._gather(place)
        first = len(batch.ids)
        batch.ids += ids
        batch.ends = max(batch.ends, ends)
        if len(batch.ids) >= MOST:
            self._send(place)
        async with asyncio.timeout(seconds):
            documents = await asyncio.shield(batch.documents)  # who leaves takes nothing from the others
        return documents[first : first + len(ids)]

    def _gather(self, place: str) -> _Batch:
        batch = self._waiting[place] = _Batch()
        fresh = contextvars.Context()  # it has its own deadline, not that of the first who waits
        batch.documents = asyncio.create_task(self._together(place, batch), context=fresh)
        batch.documents.add_done_callback(_seen)
        return batch

    async def _together(self, place: str, batch: _Batch) -> Documents:
        try:
            async with asyncio.timeout(PATIENCE):
                await batch.goes.wait()
        except TimeoutError:
            if not batch.goes.is_set():
                self._send(place)
        with until(batch.ends):
            return await self._sent(place, batch.ids)

    def _send(self, place: str) -> None:
        """Let what waits go."""
        self._running[place] += 1
        self._waiting.pop(place).goes.set()

    async def _sent(self, place: str, ids: Sequence[str]) -> Documents:
        try:
            return await self._ask(place, ids)
        finally:
            self._running[place] -= 1
            if place in self._waiting and self._running[place] < AT_ONCE:
                self._send(place)
            elif not self._running[place]:
                del self._running[place]


def _seen(documents: asyncio.Task[Documents]) -> None:
    """Nobody may be left to whom it matters that they could not be had."""
    if not documents.cancelled():
        documents.exception()
