"""Counts the requests of each client in a sliding window, in memory or in a Redis that workers share.

A window has 60 slots, of a second each by default. Any time of that length touches at most 61 of them, and the sum
over 61 slots never exceeds the quota. So no window has more requests than the quota, wherever it begins, and a client
has at most 61 counters. Rejected requests do not count.
"""

from array import array
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple

from throttled.asyncio import RedisStore

WINDOW_SLOTS = 60
COUNTED_SLOTS = WINDOW_SLOTS + 1
ROUNDING = 1e-6  # of a slot: a client that waits until a slot starts is in it, in spite of floating point
MAX_CLIENTS = 65_536  # in memory, once per class of routes; beyond that, the least recently used one is dropped

# Redis runs a script atomically. Its clock is the one that all workers share.
COUNT_SCRIPT = """
local quota, slot_seconds, counted_slots, expiry = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local time = redis.call("TIME")
local now = time[1] + time[2] / 1000000
local slot = math.floor(now / slot_seconds + 1e-6)
local total, oldest, newest = 0, slot, 0
local counters = redis.call("HGETALL", KEYS[1])
for i = 1, #counters, 2 do
    local number = tonumber(counters[i])
    if number <= slot - counted_slots then
        redis.call("HDEL", KEYS[1], counters[i])
    else
        total = total + counters[i + 1]
        oldest, newest = math.min(oldest, number), math.max(newest, number)
    end
end
local limited = 1
if total < quota then
    limited, total, newest = 0, total + 1, math.max(newest, slot)
    redis.call("HINCRBY", KEYS[1], string.format("%d", slot), 1)
    redis.call("EXPIRE", KEYS[1], expiry)
end
return {limited, total, oldest, newest, string.format("%.6f", now)}
"""


class WindowState(NamedTuple):
    """Whether a request is over quota, how many are left, and in how many seconds one and all are allowed again."""

    limited: bool
    remaining: int
    retry_after: float
    reset_after: float


@dataclass(frozen=True, slots=True)
class Quota:
    """At most `limit` requests in any `window_seconds`."""

    limit: int
    window_seconds: float

    @property
    def slot_seconds(self) -> float:
        """Length of a slot."""
        return self.window_seconds / WINDOW_SLOTS

    @property
    def counted_seconds(self) -> float:
        """Length of all counted slots: a client that sends at most `limit` requests in it is never limited."""
        return self.slot_seconds * COUNTED_SLOTS

    def state(self, *, limited: bool, total: int, oldest: int, newest: int, now: float) -> WindowState:
        """Return the state of a client with `total` requests in the slots from `oldest` to `newest`."""
        retry_after = (oldest + COUNTED_SLOTS) * self.slot_seconds - now if limited else 0.0
        reset_after = (newest + COUNTED_SLOTS) * self.slot_seconds - now
        return WindowState(limited, max(0, self.limit - total), retry_after, reset_after)


class ClientCounters:
    """The counters of one client. That of slot number n is at index n modulo 61."""

    __slots__ = ("_counts", "_newest")

    def __init__(self, slot: int) -> None:
        self._counts = array("I", bytes(4 * COUNTED_SLOTS))
        self._newest = slot

    def count(self, quota: Quota, slot: int, now: float) -> WindowState:
        """Count a request in this slot, unless it is over quota."""
        for number in range(max(self._newest, slot - COUNTED_SLOTS) + 1, slot + 1):
            self._counts[number % COUNTED_SLOTS] = 0
        self._newest = slot
        total = sum(self._counts)
        if total < quota.limit:
            self._counts[slot % COUNTED_SLOTS] += 1
            return quota.state(limited=False, total=total + 1, oldest=slot, newest=slot, now=now)
        counted = range(slot - WINDOW_SLOTS, slot + 1)
        used = [number for number in counted if self._counts[number % COUNTED_SLOTS]]
        return quota.state(limited=True, total=total, oldest=used[0], newest=used[-1], now=now)


class MemoryWindow:
    """Counts in this process. `clock` returns seconds and never goes back."""

    def __init__(self, quotas: Mapping[str, Quota], clock: Callable[[], float]) -> None:
        self._quotas = quotas
        self._clock = clock
        self._clients: OrderedDict[tuple[str, int], ClientCounters] = OrderedDict()

    def count(self, name: str, client: int) -> WindowState:
        """Count one request of a client in a class of routes."""
        quota, now, key = self._quotas[name], self._clock(), (name, client)
        slot = int(now / quota.slot_seconds + ROUNDING)
        counters = self._clients.get(key)
        if counters is None:
            counters = self._clients[key] = ClientCounters(slot)
            if len(self._clients) > MAX_CLIENTS:
                self._clients.popitem(last=False)
        else:
            self._clients.move_to_end(key)
        return counters.count(quota, slot, now)


class RedisWindow:
    """Counts in Redis: the hash of a client has a field per slot, and expires with the last one."""

    def __init__(self, quotas: Mapping[str, Quota], url: str, prefix: str) -> None:
        self._quotas = quotas
        self._prefix = prefix
        # throttled-py reads URLs of single servers, sentinels and clusters, but has no public way to its client
        self._client: Any = RedisStore(server=url)._backend.get_client()  # noqa: SLF001
        self._count = self._client.register_script(COUNT_SCRIPT)

    async def count(self, name: str, client: int) -> WindowState:
        """Count one request of a client in a class of routes."""
        quota = self._quotas[name]
        arguments = (quota.limit, quota.slot_seconds, COUNTED_SLOTS, ceil(quota.counted_seconds))
        key = f"{self._prefix}:limit:{name}:{client:x}"
        limited, total, oldest, newest, now = await self._count([key], arguments)
        return quota.state(limited=bool(limited), total=total, oldest=oldest, newest=newest, now=float(now))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()
        pool = getattr(self._client, "connection_pool", None)  # a cluster has one per node, and has closed them
        if pool is not None:
            await pool.disconnect()
