"""What `/healthz` and `/readyz` say. They are not limited, so the engine is asked seldom, however often they are."""

from __future__ import annotations

import asyncio
import contextvars
from typing import TYPE_CHECKING

from api.errors import DeadlineError, EngineAwayError, ServiceError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from api.answers import Answers
    from api.engine import Engine
    from api.release import Release

RECENT = 0.25  # seconds for which an answer of the engine counts


class Health:
    """The engine's state as this process sees it. `clock` gives seconds."""

    def __init__(self, engine: Engine, answers: Answers, clock: Callable[[], float]) -> None:
        self._looked = _Lately(engine.look, clock)
        self._asked = _Lately(answers.ready, clock)

    async def engine_is_up(self) -> bool:
        """Whether the engine knows which release is live."""
        return not isinstance(await self._looked.outcome(), ServiceError)

    async def ready(self) -> Release:
        """The live release if a real query on it works, else EngineAwayError or InternalError."""
        found = await self._asked.outcome()
        if isinstance(found, DeadlineError):
            raise EngineAwayError(found.detail)
        if isinstance(found, ServiceError):
            raise found
        return found


class _Lately:
    """One question to the engine, asked at most once in a while for all who want to know."""

    def __init__(self, ask: Callable[[], Awaitable[Release]], clock: Callable[[], float]) -> None:
        self._ask = ask
        self._clock = clock
        self._asked_at = 0.0
        self._task: asyncio.Task[Release | ServiceError] | None = None

    async def outcome(self) -> Release | ServiceError:
        """The engine's answer, or the error that it was."""
        now = self._clock()
        if self._task is None or (self._task.done() and now - self._asked_at > RECENT):
            self._asked_at = now
            self._task = asyncio.create_task(self._once(), context=contextvars.Context())
        return await asyncio.shield(self._task)

    async def _once(self) -> Release | ServiceError:
        try:
            return await self._ask()
        except ServiceError as error:
            return error
