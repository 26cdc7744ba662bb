"""Limits that two workers share through a real Redis, while it is there and while it is not."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import redis
from redis_server import free_port, redis_on

from api.gate import LocalLimits, quotas
from api.gcra import SECOND
from api.settings import Settings
from api.shared_limits import PAUSE, SharedLimits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pytest

TEN = quotas(Settings(rate_limit=10, rate_limit_mcp=4))


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        """Nanoseconds."""
        return self.now


@asynccontextmanager
async def worker(port: int, clock: Clock) -> AsyncIterator[SharedLimits]:
    limits = SharedLimits(LocalLimits(TEN, clock), f"redis://127.0.0.1:{port}/0", "akg-test", clock)
    yield limits
    await limits.close()


async def test_two_workers_count_as_one() -> None:
    port, clock = free_port(), Clock()
    with redis_on(port):
        async with worker(port, clock) as one, worker(port, clock) as other:
            verdicts = [await limits.ask("default", 7) for _ in range(8) for limits in (one, other)]
            assert [verdict.allowed for verdict in verdicts] == [True] * 10 + [False] * 6
            assert [verdict.remaining for verdict in verdicts[:10]] == list(range(9, -1, -1))
            assert 0 < verdicts[-1].retry_after <= 6 * SECOND
            assert 54 * SECOND < verdicts[-1].reset_after <= 60 * SECOND
            assert (await other.ask("default", 8)).remaining == 9  # another client
            assert (await one.ask("mcp", 7)).remaining == 3  # another account
        with redis.Redis(port=port) as looked_at:
            kept = [key.decode() for key in looked_at.scan_iter()]
            assert sorted(key.rpartition(":")[2] for key in kept) == ["7", "7", "8"]
            assert all(0 < looked_at.ttl(key) <= 60 for key in kept)


async def test_many_requests_at_the_same_time_are_counted_exactly() -> None:
    port, clock = free_port(), Clock()
    with redis_on(port):
        async with worker(port, clock) as one, worker(port, clock) as other:
            await one.ask("default", 1)  # both are connected
            await other.ask("default", 1)
            asked = [limits.ask("default", 2) for _ in range(15) for limits in (one, other)]
            verdicts = await asyncio.gather(*asked)
            assert sum(verdict.allowed for verdict in verdicts) == 10


async def test_while_redis_is_away_each_worker_counts_for_itself_and_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    port, clock = free_port(), Clock()
    with caplog.at_level(logging.WARNING, "akg.limits"):
        async with worker(port, clock) as limits:
            with redis_on(port):
                assert [(await limits.ask("default", 7)).allowed for _ in range(11)] == [True] * 10 + [False]
            assert [(await limits.ask("default", 7)).allowed for _ in range(11)] == [True] * 10 + [False]
            clock.now = PAUSE - 1
            with redis_on(port):  # back, and not asked yet
                assert (await limits.ask("default", 8)).allowed
                clock.now = PAUSE
                assert [(await limits.ask("default", 7)).allowed for _ in range(11)] == [True] * 10 + [False]
    assert [record.getMessage().partition(" (")[0] for record in caplog.records] == [
        "Redis does not answer",
        "Redis answers again: limits are shared",
    ]
