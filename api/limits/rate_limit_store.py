"""Rate limits by throttled-py's generic cell rate algorithm, counted in memory or in a Redis that workers share.

Redis never fails a request and delays it by at most `REDIS_TIMEOUT_SECONDS`: while it is down, each worker counts in
memory. Either store holds one number per client and class of routes.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import throttled
from redis.exceptions import RedisError
from throttled.asyncio import RedisStore, Throttled
from throttled.exceptions import BaseThrottledError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from throttled import Quota, RateLimitResult

log = logging.getLogger("akg.limits")

GCRA = throttled.RateLimiterType.GCRA.value
MAX_COUNTERS = 65_536  # in memory; beyond that, the least recently used counter is dropped
REDIS_TIMEOUT_SECONDS = 0.1  # more than a thousand times what Redis needs on one machine
REDIS_PAUSE_SECONDS = 5.0  # until Redis is tried again
REDIS_ERRORS = (RedisError, BaseThrottledError, TimeoutError, OSError)


class RateLimits:
    """Count requests per client and class of routes. `clock` gives seconds. Call `close` at the end."""

    def __init__(
        self,
        quotas: Mapping[str, Quota],
        clock: Callable[[], float],
        redis_url: str = "",
        prefix: str = "akg",
        redis_timeout: float = REDIS_TIMEOUT_SECONDS,
    ) -> None:
        self.quotas = quotas
        self._clock = clock
        self._redis_timeout = redis_timeout
        memory = throttled.MemoryStore(options={"MAX_SIZE": MAX_COUNTERS})
        self._local = {
            name: throttled.Throttled(using=GCRA, quota=quota, store=memory, key_prefix=name)
            for name, quota in quotas.items()
        }
        self._redis = RedisStore(server=redis_url) if redis_url and quotas else None
        self._shared = {
            name: Throttled(using=GCRA, quota=quota, store=self._redis, key_prefix=f"{prefix}:limit:{name}")
            for name, quota in quotas.items()
        }
        self._redis_is_down = False
        self._retry_at = 0.0

    @property
    def in_memory(self) -> bool:
        """Whether this process counts for itself."""
        return self._redis is None

    def count_in_memory(self, name: str, client: int) -> RateLimitResult:
        """Count one request of a client in a class that has a quota. A rejected request does not count."""
        return self._local[name].limit(f"{client:x}")

    async def count(self, name: str, client: int) -> RateLimitResult:
        """Do the same in Redis, if it is configured and up."""
        if self._redis is None or (self._redis_is_down and self._clock() < self._retry_at):
            return self.count_in_memory(name, client)
        try:
            async with asyncio.timeout(self._redis_timeout):
                result = await self._shared[name].limit(f"{client:x}")
        except REDIS_ERRORS as error:
            self._pause_redis(type(error).__name__)
            return self.count_in_memory(name, client)
        if self._redis_is_down:
            self._redis_is_down = False
            log.warning("Redis answers again: limits are shared")
        return result

    async def close(self) -> None:
        """Close the connections to Redis."""
        if self._redis is not None:
            client = self._redis._backend.get_client()  # noqa: SLF001 - the library has no way to close
            await client.aclose(close_connection_pool=True)  # type: ignore[attr-defined]

    def _pause_redis(self, error: str) -> None:
        self._retry_at = self._clock() + REDIS_PAUSE_SECONDS
        if not self._redis_is_down:
            self._redis_is_down = True
            log.warning("Redis does not answer (%s): each worker limits for itself", error)
