"""The sliding window on a simulated clock: no window has more requests than the quota, and waiting times are true."""

import gc
import tracemalloc
from bisect import bisect_left
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.limits.sliding_window import COUNTED_SLOTS, MAX_CLIENTS, MemoryWindow, Quota, RedisWindow, WindowState

QUOTAS = (Quota(100, 60), Quota(1200, 60), Quota(20, 12), Quota(3, 60), Quota(1, 1), Quota(7, 3600))
MAX_BYTES_PER_CLIENT = 700


class Client:
    """One client and the limiter, on a clock that the test sets."""

    def __init__(self, quota: Quota, start: float = 0.0) -> None:
        self.now = start
        self.quota = quota
        self.window = MemoryWindow({"default": quota}, lambda: self.now)
        self.allowed: list[float] = []

    def send(self, requests: int = 1) -> WindowState:
        """Send requests at this moment, and return the state after the last one."""
        for _ in range(requests):
            state = self.window.count("default", 1)
            if not state.limited:
                self.allowed.append(self.now)
        return state

    def most_in_a_window(self) -> int:
        """Return how many requests were allowed in the fullest window that starts with one of them."""
        return max(
            bisect_left(self.allowed, start + self.quota.window_seconds) - bisect_left(self.allowed, start)
            for start in set(self.allowed)
        )


quotas = st.sampled_from(QUOTAS)
starts = st.floats(0, 1e7)
# Shares of a window between two bursts, and shares of the quota in each.
bursts = st.lists(st.tuples(st.floats(0, 1.2), st.floats(0, 1.5)), min_size=1, max_size=12)


@given(quotas, starts, bursts)
@settings(max_examples=150, deadline=None)
def test_no_window_has_more_requests_than_the_quota(
    quota: Quota, start: float, bursts: list[tuple[float, float]]
) -> None:
    client = Client(quota, start)
    for pause, share in bursts:
        client.now += pause * quota.window_seconds
        client.send(1 + round(share * quota.limit))
    assert client.most_in_a_window() <= quota.limit


@given(quotas, starts, bursts)
@settings(max_examples=150, deadline=None)
def test_a_client_that_waits_as_long_as_retry_after_is_allowed(
    quota: Quota, start: float, bursts: list[tuple[float, float]]
) -> None:
    client = Client(quota, start)
    for pause, share in bursts:
        client.now += pause * quota.window_seconds
        state = client.send(1 + round(share * quota.limit))
        if state.limited:
            client.now += ceil(state.retry_after)
            assert not client.send().limited
    client.now += ceil(client.send().reset_after)
    assert client.send().remaining == quota.limit - 1


@given(quotas, starts)
@settings(max_examples=30, deadline=None)
def test_a_burst_of_the_quota_is_allowed_and_one_more_is_not(quota: Quota, start: float) -> None:
    client = Client(quota, start)
    for _ in range(3):  # as often as all counted seconds have passed
        assert not client.send(quota.limit).limited
        state = client.send()
        assert state.limited
        assert 0 < state.retry_after == state.reset_after <= quota.counted_seconds + 1e-6
        client.now += ceil(state.reset_after)


@given(quotas, starts, st.floats(0, 1))
@settings(max_examples=30, deadline=None)
def test_a_client_that_keeps_to_the_policy_is_never_limited(quota: Quota, start: float, offset: float) -> None:
    client = Client(quota, start + offset)
    for _ in range(3 * min(quota.limit, 100)):
        assert not client.send(max(1, quota.limit // 100)).limited
        client.now += quota.counted_seconds / min(quota.limit, 100) * 1.000001


@pytest.mark.parametrize("quota", QUOTAS, ids=str)
def test_a_state_has_what_is_left_and_when_it_returns(quota: Quota) -> None:
    client = Client(quota)
    slot = quota.slot_seconds
    assert [client.send().remaining for _ in range(quota.limit)] == [*range(quota.limit - 1, -1, -1)]
    client.now = 10 * slot
    assert tuple(client.send()) == pytest.approx((True, 0, 51 * slot, 51 * slot))
    client.now = COUNTED_SLOTS * slot
    assert tuple(client.send()) == pytest.approx((False, quota.limit - 1, 0, COUNTED_SLOTS * slot))


def test_a_rejected_request_does_not_count() -> None:
    client = Client(Quota(100, 60))
    client.send(1000)
    for second in range(60):
        client.now = second + 0.5
        assert client.send(100).limited
    client.now = 61
    assert client.send() == (False, 99, 0, 61)


def test_clients_and_classes_are_counted_separately() -> None:
    window = MemoryWindow({"default": Quota(1, 60), "mcp": Quota(1, 60)}, lambda: 0.0)
    for _ in range(2):
        states = [window.count(name, client).limited for name in ("default", "mcp") for client in range(50)]
    assert states == [True] * 100
    assert not window.count("mcp", 51).limited


def test_memory_has_a_maximum_of_clients_and_drops_the_least_recently_used() -> None:
    window = MemoryWindow({"default": Quota(1, 60)}, lambda: 0.0)
    for client in range(MAX_CLIENTS):
        window.count("default", client)
    assert window.count("default", 0).limited  # all fit; client 1 is now the least recently used
    assert not window.count("default", MAX_CLIENTS).limited
    assert not window.count("default", 1).limited  # dropped
    assert window.count("default", 0).limited


def test_a_client_takes_a_fixed_amount_of_memory() -> None:
    clients = 200
    now = 0.0
    window = MemoryWindow({"default": Quota(100, 60)}, lambda: now)
    gc.collect()
    tracemalloc.start()
    try:
        for second in range(3 * COUNTED_SLOTS):
            now = float(second)
            for client in range(1 << 40, (1 << 40) + clients):
                window.count("default", client)
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used / clients < MAX_BYTES_PER_CLIENT


@pytest.mark.parametrize("scheme", ["redis", "rediss", "redis+sentinel", "redis+cluster"])
async def test_every_kind_of_redis_can_be_closed(scheme: str) -> None:
    await RedisWindow({"default": QUOTAS[0]}, f"{scheme}://127.0.0.1:9/0", "akg").close()
