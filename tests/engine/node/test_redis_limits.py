"""Two workers share limits in a real Redis, while it is up and while it is down."""

import asyncio
import logging
import os
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager

import pytest
import redis

from api.limits.rate_limit import REDIS_PAUSE_SECONDS, RateLimits, quotas
from api.limits.sliding_window import COUNTED_SLOTS, Quota, WindowState
from api.settings import Settings
from tests.support.serving import free_port

TIMEOUT_SECONDS = 10.0  # so that Redis does not seem down on a busy machine
TEN = quotas(Settings(rate_limit=10, rate_limit_mcp=4))


class Clock:
    """A clock that advances only when it is set."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return seconds."""
        return self.now


@contextmanager
def redis_on(port: int) -> Iterator[None]:
    """Run a redis-server on this port, without files. If it is not installed, skip the test; fail in CI."""
    program = shutil.which("redis-server")
    if program is None and os.environ.get("CI") == "true":
        pytest.fail("redis-server is not installed; .ci/run installs it")
    if program is None:
        pytest.skip("redis-server is not installed; on Debian: apt-get install redis-server")
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:  # noqa: S603
        try:
            deadline = time.monotonic() + TIMEOUT_SECONDS
            while not is_listening(port):
                assert time.monotonic() < deadline, "redis-server does not respond"
                time.sleep(0.02)
            yield
        finally:
            server.kill()


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@asynccontextmanager
async def worker(port: int, clock: Clock, quotas: Mapping[str, Quota] = TEN) -> AsyncIterator[RateLimits]:
    limits = RateLimits(quotas, clock, f"redis://127.0.0.1:{port}/0", "akg-test", TIMEOUT_SECONDS)
    try:
        yield limits
    finally:
        await limits.close()


async def allowed(limits: RateLimits, client: int, requests: int) -> list[bool]:
    return [not (await limits.count("default", client)).limited for _ in range(requests)]


async def first_limited(limits: RateLimits, client: int) -> WindowState:
    """Send requests until one is over quota. On a busy machine, the window moves on while they are sent."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not (state := await limits.count("default", client)).limited:
            pass
    return state


async def test_two_workers_count_as_one() -> None:
    port, clock = free_port(), Clock()
    with redis_on(port):
        async with worker(port, clock) as first, worker(port, clock) as second:
            results = [await limits.count("default", 7) for _ in range(8) for limits in (first, second)]
            assert [result.limited for result in results] == [False] * 10 + [True] * 6
            assert [result.remaining for result in results[:10]] == list(range(9, -1, -1))
            assert 59 < results[-1].retry_after <= results[-1].reset_after <= 61
            assert (await second.count("default", 8)).remaining == 9  # another client
            assert (await first.count("mcp", 7)).remaining == 3  # another bucket
        with redis.Redis(port=port) as client:
            keys = [key.decode() for key in client.scan_iter()]
            assert sorted(key.rpartition(":")[2] for key in keys) == ["7", "7", "8"]
            assert all(0 < client.ttl(key) <= 61 for key in keys)


async def test_many_requests_at_the_same_time_are_counted_exactly() -> None:
    port, clock = free_port(), Clock()
    with redis_on(port):
        async with worker(port, clock) as first, worker(port, clock) as second:
            await first.count("default", 1)  # both are connected
            await second.count("default", 1)
            requests = [limits.count("default", 2) for _ in range(15) for limits in (first, second)]
            results = await asyncio.gather(*requests)
            assert sum(not result.limited for result in results) == 10


async def test_workers_allow_at_most_the_quota_in_any_window() -> None:
    quota, allowed_at = Quota(20, 0.5), []
    port, clock = free_port(), Clock()
    with redis_on(port):
        async with worker(port, clock, {"default": quota}) as first, worker(port, clock, {"default": quota}) as second:
            started = time.monotonic()
            while time.monotonic() < started + 2.5:
                for limits in (first, second):
                    sent = time.monotonic()
                    state = await limits.count("default", 1)
                    if not state.limited:
                        allowed_at.append((sent, time.monotonic()))
        with redis.Redis(port=port) as client:
            (key,) = client.scan_iter()
            assert 1 <= client.hlen(key) <= COUNTED_SLOTS
    # Redis counted each request between the two times, so these windows are at most as long as the quota's.
    for sent, _ in allowed_at:
        inside = [received for begun, received in allowed_at if begun >= sent and received < sent + 0.5]
        assert len(inside) <= quota.limit
    assert len(allowed_at) >= 4 * quota.limit


async def test_a_client_that_waits_as_long_as_redis_says_is_allowed() -> None:
    port, clock = free_port(), Clock()
    with redis_on(port):
        async with worker(port, clock, {"default": Quota(5, 0.5)}) as limits:
            for _ in range(3):
                await asyncio.sleep((await first_limited(limits, 1)).retry_after)
                assert await allowed(limits, 1, 1) == [True]


async def test_each_worker_counts_by_itself_while_redis_is_down_and_logs_it_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    port, clock = free_port(), Clock()
    with caplog.at_level(logging.WARNING, "akg.limits"):
        async with worker(port, clock) as limits:
            with redis_on(port):
                assert await allowed(limits, 7, 11) == [True] * 10 + [False]
            assert await allowed(limits, 7, 11) == [True] * 10 + [False]
            clock.now = REDIS_PAUSE_SECONDS - 1
            with redis_on(port):  # up again, but not tried yet
                assert await allowed(limits, 8, 1) == [True]
                clock.now = REDIS_PAUSE_SECONDS
                assert await allowed(limits, 7, 11) == [True] * 10 + [False]
    assert [record.getMessage().partition(" (")[0] for record in caplog.records] == [
        "Redis does not respond",
        "Redis responds again: limits are shared",
    ]


async def test_does_not_wait_for_a_redis_that_hangs() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        limits = RateLimits(TEN, Clock(), f"redis://127.0.0.1:{silent.getsockname()[1]}/0", redis_timeout=0.05)
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                assert await allowed(limits, 7, 11) == [True] * 10 + [False]
        finally:
            await limits.close()
