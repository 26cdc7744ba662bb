"""Concurrent, queued and rejected requests. No test waits for a clock."""

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from api.deadline import seconds_left
from api.errors import OverloadedError
from api.limits.concurrency import ConcurrencyLimit
from api.settings import Settings

SEARCH: Any = {"type": "http", "path": "/search"}
START: Message = {"type": "http.response.start", "status": 200, "headers": []}
BODY: Message = {"type": "http.response.body", "body": b""}
LONG = 60.0  # seconds; longer than any test


def clock() -> float:
    return 100.0


async def receive() -> Message:
    return {"type": "http.request"}


class Work:
    """An application that starts and ends its responses only on demand."""

    def __init__(self) -> None:
        self.inside = 0
        self.may_begin = asyncio.Event()
        self.may_end = asyncio.Event()
        self.times_left: list[float] = []

    def finish(self) -> None:
        """Let all responses start and end."""
        self.may_begin.set()
        self.may_end.set()

    async def __call__(self, _: Scope, __: Receive, send: Send) -> None:
        """Handle one request."""
        self.inside += 1
        self.times_left.append(seconds_left(101.5, LONG))
        await self.may_begin.wait()
        await send(START)
        await self.may_end.wait()
        await send(BODY)
        self.inside -= 1


def limited(at_once: int, queue: int, queue_seconds: float = LONG) -> tuple[Work, ConcurrencyLimit]:
    work = Work()
    settings = Settings(concurrency=at_once, queue_size=queue, queue_seconds=queue_seconds, deadline_seconds=LONG)
    return work, ConcurrencyLimit(work, settings, clock)


async def send(_: Message) -> None: ...


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_limits_concurrency_queues_some_and_rejects_the_rest() -> None:
    work, limit = limited(at_once=3, queue=2)
    tasks = [asyncio.create_task(limit(SEARCH, receive, send)) for _ in range(8)]
    await settled()
    assert (work.inside, limit.running, limit.waiting) == (3, 3, 2)
    rejected = [task for task in tasks if task.done()]
    assert [type(task.exception()) for task in rejected] == [OverloadedError] * 3
    work.finish()
    await asyncio.gather(*(task for task in tasks if task not in rejected))
    assert (work.inside, limit.running, limit.waiting) == (0, 0, 0)


async def test_a_slot_is_free_when_the_response_starts() -> None:
    work, limit = limited(at_once=1, queue=5)
    tasks = [asyncio.create_task(limit(SEARCH, receive, send)) for _ in range(4)]
    await settled()
    assert work.inside == 1
    work.may_begin.set()  # no client reads its response completely
    await settled()
    assert (work.inside, limit.running, limit.waiting) == (4, 0, 0)
    work.may_end.set()
    await asyncio.gather(*tasks)


async def test_rejects_a_request_that_waits_too_long_and_keeps_its_slot_free() -> None:
    work, limit = limited(at_once=1, queue=5, queue_seconds=0.001)
    first = asyncio.create_task(limit(SEARCH, receive, send))
    await settled()
    with pytest.raises(OverloadedError):
        await limit(SEARCH, receive, send)
    work.finish()
    await first
    await limit(SEARCH, receive, send)
    assert (limit.running, limit.waiting) == (0, 0)


async def test_a_cancelled_request_frees_its_slot() -> None:
    work, limit = limited(at_once=1, queue=5)
    tasks = [asyncio.create_task(limit(SEARCH, receive, send)) for _ in range(3)]
    await settled()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (limit.running, limit.waiting) == (0, 0)
    work.finish()
    await limit(SEARCH, receive, send)


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
async def test_health_routes_never_wait(path: str) -> None:
    work, limit = limited(at_once=1, queue=0)
    tasks = [asyncio.create_task(limit({**SEARCH, "path": path}, receive, send)) for _ in range(5)]
    await settled()
    assert (work.inside, limit.running) == (5, 0)
    work.finish()
    await asyncio.gather(*tasks)


async def test_a_request_has_a_deadline() -> None:
    work = Work()
    work.finish()
    settings = Settings(deadline_seconds=2)
    await ConcurrencyLimit(work, settings, clock)(SEARCH, receive, send)  # started at 100, read at 101.5
    assert work.times_left == [0.5]
    assert seconds_left(101.5, LONG) == LONG
