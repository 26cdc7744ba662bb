"""Liveness and readiness probes, cached for a moment because their routes are not rate-limited.

A process that keeps stale responses stays ready while OpenSearch is unavailable, as long as one of them can be young
enough. Otherwise every replica would leave the load balancer at once, and the stale responses with them.
"""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from api.engine.release import NO_RELEASE, Release
from api.engine.search_engine import SearchEngine
from api.errors import DeadlineError, EngineUnavailableError, NoReleaseError, ServiceError
from api.service import GraphService

CACHE_SECONDS = 0.25


class Readiness(NamedTuple):
    """The last known live release, and whether only stale responses of it are left."""

    release: Release
    is_degraded: bool


class Health:
    """The state of OpenSearch as this process sees it.

    `clock` returns the seconds of `time.monotonic`. `stale_seconds` is the maximum age of stale responses; 0: none.
    """

    def __init__(
        self, engine: SearchEngine, service: GraphService, clock: Callable[[], float], stale_seconds: float = 0
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._stale_seconds = stale_seconds
        self._live_release = _CachedProbe(engine.refresh_live_release, clock)
        self._query = _CachedProbe(partial(_query, engine, service), clock)

    async def engine_is_up(self) -> bool:
        """Return whether OpenSearch names the live release."""
        return not isinstance(await self._live_release.outcome(), ServiceError)

    async def ready(self) -> Readiness:
        """Return the live release if a real query on it works, or if this process has stale responses of it.

        Raise EngineUnavailableError or InternalError otherwise.
        """
        outcome = await self._query.outcome()
        if isinstance(outcome, Release):
            return Readiness(outcome, is_degraded=False)
        if _is_outage(outcome) and (release := self._engine.release) and self._has_stale_responses():
            return Readiness(release, is_degraded=True)
        if isinstance(outcome, DeadlineError):
            raise EngineUnavailableError(outcome.detail)
        raise outcome

    def _has_stale_responses(self) -> bool:
        return self._clock() - self._engine.searched_at < self._stale_seconds


def _is_outage(error: ServiceError) -> bool:
    """Return whether OpenSearch does not respond; one without a release does, and nothing is served from it."""
    return isinstance(error, DeadlineError | EngineUnavailableError) and not isinstance(error, NoReleaseError)


async def _query(engine: SearchEngine, service: GraphService) -> Release:
    try:
        return await service.ready()
    except NoReleaseError as error:
        if error.detail != NO_RELEASE:  # the live release has no entities
            raise
        raise NoReleaseError(await engine.missing_release_message()) from None


class _CachedProbe:
    """A request to OpenSearch whose outcome all callers share for CACHE_SECONDS."""

    def __init__(self, probe: Callable[[], Awaitable[Release]], clock: Callable[[], float]) -> None:
        self._probe = probe
        self._clock = clock
        self._started_at = 0.0
        self._task: asyncio.Task[Release | ServiceError] | None = None

    async def outcome(self) -> Release | ServiceError:
        """Return the release or the error."""
        now = self._clock()
        if self._task is None or (self._task.done() and now - self._started_at > CACHE_SECONDS):
            self._started_at = now
            self._task = asyncio.create_task(self._run(), context=contextvars.Context())
        return await asyncio.shield(self._task)

    async def _run(self) -> Release | ServiceError:
        try:
            return await self._probe()
        except ServiceError as error:
            return error
