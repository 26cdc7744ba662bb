"""Counters in memory: exact bursts, separate clients, a bounded number. throttled-py reads the real clock."""

from __future__ import annotations

import asyncio

import pytest
from throttled import per_min

from api.limits.rate_limit_store import MAX_COUNTERS, RateLimits


def in_memory(per_minute: int, burst: int) -> RateLimits:
    quota = per_min(per_minute, burst)
    return RateLimits({"default": quota, "mcp": quota}, lambda: 0.0)


def allowed(limits: RateLimits, client: int, requests: int) -> int:
    """Count how many requests at once are allowed."""
    return sum(not limits.count_in_memory("default", client).limited for _ in range(requests))


@pytest.mark.parametrize(("per_minute", "burst"), [(100, 100), (100, 20), (100, 1), (1, 1), (7, 3)])
def test_allows_exactly_one_burst(per_minute: int, burst: int) -> None:
    assert allowed(in_memory(per_minute, burst), 1, burst + 5) == burst


async def test_allows_one_more_request_per_interval() -> None:
    limits = in_memory(300, 2)
    assert allowed(limits, 1, 3) == 2
    await asyncio.sleep(0.21)
    assert allowed(limits, 1, 2) == 1


async def test_a_result_has_the_remaining_quota_and_the_waiting_time() -> None:
    limits = in_memory(3, 3)
    states = [(await limits.count("default", 1)).state for _ in range(4)]
    assert [state.remaining for state in states] == [2, 1, 0, 0]
    assert [state.reset_after for state in states] == pytest.approx([20, 40, 60, 60], abs=1)
    assert [state.retry_after for state in states] == pytest.approx([0, 0, 0, 20], abs=1)


def test_a_rejected_request_does_not_count() -> None:
    limits = in_memory(100, 100)
    allowed(limits, 1, 1000)
    assert limits.count_in_memory("default", 1).state.reset_after <= 60


def test_clients_and_buckets_are_counted_separately() -> None:
    limits = in_memory(1, 1)
    assert [allowed(limits, client, 2) for client in range(50)] == [1] * 50
    assert not limits.count_in_memory("mcp", 1).limited


def test_memory_holds_so_many_counters_and_drops_the_least_recently_used() -> None:
    limits = in_memory(1, 1)
    assert allowed(limits, 0, 1) == 1
    for client in range(1, MAX_COUNTERS):
        limits.count_in_memory("default", client)
    assert limits.count_in_memory("default", 0).limited  # all fit; client 1 is now the least recently used
    assert not limits.count_in_memory("default", MAX_COUNTERS).limited
    assert not limits.count_in_memory("default", 1).limited  # dropped
    assert limits.count_in_memory("default", 0).limited
