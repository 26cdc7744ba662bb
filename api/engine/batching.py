"""Coalesces concurrent reads of documents into one `_mget`.

Reads of one event-loop iteration form a batch. Each index has at most MAX_IN_FLIGHT requests in flight; later reads
wait until one of them ends, but at most MAX_WAIT_SECONDS, so that no read waits for a node that hangs.
"""

import asyncio
import contextvars
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from api.deadline import until

Documents = Sequence[Mapping[str, Any]]


MAX_IN_FLIGHT = 2
MAX_WAIT_SECONDS = 0.05
BATCH_SIZE = 100  # documents; a batch of this size is sent at once


class _Batch:
    """The ids of one request, and the reads that wait for them with their slices."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.waiting: list[tuple[asyncio.Future[Documents], int, int]] = []
        self.ends_at = -math.inf
        self.timer: asyncio.Handle
        self.task: asyncio.Task[Documents] | None = None  # the event loop alone holds only a weak reference

    @property
    def is_needed(self) -> bool:
        """Whether a read still waits."""
        return not all(read.done() for read, _, _ in self.waiting)

    def set_results(self, task: asyncio.Task[Documents]) -> None:
        """Give each read its documents, or the error of the request."""
        error = None if task.cancelled() else task.exception()
        for read, first, last in self.waiting:
            if read.done():  # cancelled or timed out
                continue
            if task.cancelled():
                read.cancel()
            elif error is not None:
                read.set_exception(error)
            else:
                read.set_result(task.result()[first:last])


class MgetBatcher:
    """Batches reads. `mget` sends one request for documents of an index, within the deadline of its context."""

    def __init__(self, mget: Callable[[str, Sequence[str]], Awaitable[Documents]]) -> None:
        self._mget = mget
        self._in_flight: Counter[str] = Counter()
        self._batches: dict[str, _Batch] = {}

    async def get(self, index: str, ids: Sequence[str], ends_at: float, seconds: float) -> Documents:
        """Return the documents in the order of `ids`; raise TimeoutError at `ends_at`, which is in `seconds`."""
        loop = asyncio.get_running_loop()
        batch = self._batches.get(index) or self._new_batch(index, loop)
        read: asyncio.Future[Documents] = loop.create_future()
        first = len(batch.ids)
        batch.ids += ids
        batch.waiting.append((read, first, len(batch.ids)))
        batch.ends_at = max(batch.ends_at, ends_at)
        if len(batch.ids) >= BATCH_SIZE:
            self._send(index)
        try:
            async with asyncio.timeout(seconds):
                return await read  # cancelling one read does not affect the others
        except asyncio.CancelledError:  # after a timeout the request ends by its own deadline, which the breaker counts
            if batch.task is not None and not batch.is_needed:
                batch.task.cancel()
            raise

    def _new_batch(self, index: str, loop: asyncio.AbstractEventLoop) -> _Batch:
        batch = self._batches[index] = _Batch()
        if self._in_flight[index] < MAX_IN_FLIGHT:
            batch.timer = loop.call_soon(self._send, index)
        else:
            batch.timer = loop.call_later(MAX_WAIT_SECONDS, self._send, index)
        return batch

    def _send(self, index: str) -> None:
        batch = self._batches.pop(index)
        batch.timer.cancel()
        if not batch.is_needed:
            return
        self._in_flight[index] += 1
        own_deadline = contextvars.Context()  # not that of the first read
        batch.task = asyncio.create_task(self._request(index, batch), context=own_deadline)
        batch.task.add_done_callback(batch.set_results)
        batch.task.add_done_callback(lambda _: self._on_done(index))  # also if the task is cancelled before it starts

    async def _request(self, index: str, batch: _Batch) -> Documents:
        with until(batch.ends_at):
            return await self._mget(index, batch.ids)

    def _on_done(self, index: str) -> None:
        self._in_flight[index] -= 1
        if index in self._batches and self._in_flight[index] < MAX_IN_FLIGHT:
            self._send(index)
        if not self._in_flight[index]:
            del self._in_flight[index]
