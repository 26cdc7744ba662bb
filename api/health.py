"""Liveness and readiness probes, cached for a moment because their routes are not rate-limited."""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from functools import partial

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.errors import DeadlineError, EngineUnavailableError, NoReleaseError, ServiceError
from api.service import GraphService

CACHE_SECONDS = 0.25


class Health:
    """The state of OpenSearch as this process sees it. `clock` returns seconds."""

    def __init__(self, engine: SearchEngine, service: GraphService, clock: Callable[[], float]) -> None:
        self._live_release = _CachedProbe(engine.refresh_live_release, clock)
        self._query = _CachedProbe(partial(_query, engine, service), clock)

    async def engine_is_up(self) -> bool:
        """Return whether OpenSearch names the live release."""
        return not isinstance(await self._live_release.outcome(), ServiceError)

    async def ready(self) -> Release:
        """Return the live release if a real query on it works; raise EngineUnavailableError or InternalError."""
        outcome = await self._query.outcome()
        if isinstance(outcome, DeadlineError):
            raise EngineUnavailableError(outcome.detail)
        if isinstance(outcome, ServiceError):
            raise outcome
        return outcome


async def _query(engine: SearchEngine, service: GraphService) -> Release:
    try:
        return await service.ready()
    except NoReleaseError:
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
