"""Limits that several workers or machines share through Redis. While Redis is away, each counts for itself.

Nothing about Redis can fail a request or keep it waiting for long: a call that does not answer at once is given up,
and Redis is left alone for a while. Redis holds a number per client that runs out within the burst's window.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from redis.exceptions import RedisError
from throttled.asyncio import RateLimiterType, Throttled
from throttled.asyncio.rate_limiter import per_duration
from throttled.asyncio.store import RedisStore
from throttled.exceptions import BaseThrottledError

from api.gcra import SECOND, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from throttled.asyncio.rate_limiter import RateLimitResult

    from api.gate import LocalLimits

log = logging.getLogger("akg.limits")

PATIENCE = 0.1  # seconds; more than a thousand times what Redis needs on one machine
PAUSE = 5 * SECOND  # until Redis is tried again
TROUBLE = (RedisError, BaseThrottledError, TimeoutError, OSError)


class SharedLimits:
    """The limits as Redis counts them for everyone, else as `local` does. `close` at the end."""

    def __init__(self, local: LocalLimits, url: str, prefix: str, clock: Callable[[], int]) -> None:
        self.quotas = local.quotas
        self._local = local
        self._clock = clock
        self._tried_again_at = 0
        self._away = False
        self._store = RedisStore(server=url)
        self._throttles = {
            name: Throttled(
                using=RateLimiterType.GCRA.value,
                quota=per_duration(timedelta(minutes=1), quota.per_minute, quota.burst),
                store=self._store,
                key_prefix=f"{prefix}:limit:{name}",
            )
            for name, quota in local.quotas.items()
        }

    async def ask(self, name: str, client: int) -> Verdict:
        """Count one request of a client in a class that has a quota."""
        if self._away and self._clock() < self._tried_again_at:
            return await self._local.ask(name, client)
        try:
            async with asyncio.timeout(PATIENCE):
                found = await self._throttles[name].limit(f"{client:x}")
        except TROUBLE as error:
            self._lost(type(error).__name__)
            return await self._local.ask(name, client)
        if self._away:
            self._away = False
            log.warning("Redis answers again: limits are shared")
        return _verdict(found)

    async def close(self) -> None:
        """Give the connections back."""
        client = self._store._backend.get_client()  # noqa: SLF001 - the library has no way to close
        await client.aclose(close_connection_pool=True)  # type: ignore[attr-defined]

    def _lost(self, kind: str) -> None:
        self._tried_again_at = self._clock() + PAUSE
        if not self._away:
            self._away = True
            log.warning("Redis does not answer (%s): each worker limits for itself", kind)


def _verdict(found: RateLimitResult) -> Verdict:
    state = found.state
    wait, reset = round(float(state.retry_after) * SECOND), round(float(state.reset_after) * SECOND)
    return Verdict(not found.limited, int(state.remaining), wait, reset)
