"""Limits concurrent requests: a short queue waits, further requests get 503 at once.

A request frees its slot when its response starts, so that slow readers hold none.
"""

import asyncio
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.deadline import until
from api.errors import OverloadedError
from api.limits.rate_limit import UNLIMITED_PATHS
from api.settings import Settings

OVERLOADED = "The service is overloaded. Please try again in a moment."


class ConcurrencyLimit:
    """Wraps the application. `clock` returns the same seconds as that of `api.deadline`. Raises OverloadedError."""

    def __init__(self, app: ASGIApp, settings: Settings, clock: Callable[[], float]) -> None:
        self._app = app
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._queue_size = settings.queue_size
        self._queue_seconds = min(settings.queue_seconds, settings.deadline_seconds)
        self._deadline_seconds = settings.deadline_seconds
        self._clock = clock
        self.running = 0
        self.waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request within its deadline, once a slot is free."""
        if scope["type"] != "http" or scope["path"] in UNLIMITED_PATHS:
            await self._app(scope, receive, send)
            return
        ends = self._clock() + self._deadline_seconds
        await self._acquire()
        has_slot = True

        def release() -> None:
            nonlocal has_slot
            if has_slot:
                has_slot = False
                self.running -= 1
                self._slots.release()

        async def release_at_start(message: Message) -> None:
            release()
            await send(message)

        try:
            with until(ends):
                await self._app(scope, receive, release_at_start)
        finally:
            release()

    async def _acquire(self) -> None:
        if self._slots.locked():
            await self._wait()
        else:
            await self._slots.acquire()  # a slot is free, so this does not wait
        self.running += 1

    async def _wait(self) -> None:
        if self.waiting >= self._queue_size:
            raise OverloadedError(OVERLOADED)
        self.waiting += 1
        try:
            async with asyncio.timeout(self._queue_seconds):
                await self._slots.acquire()
        except TimeoutError:
            raise OverloadedError(OVERLOADED) from None
        finally:
            self.waiting -= 1
