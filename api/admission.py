"""How many requests are worked on at once. A few more wait a moment; all others are told at once to come back later.

A request leaves its place when its answer begins to go out, so that slow readers hold none.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from api.deadline import until
from api.errors import OverloadedError
from api.gate import UNCOUNTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from api.settings import Settings

FULL = "This service has more requests than it can answer. Please try again in a moment."


class Admission:
    """Wraps the application. `clock` gives seconds, as the engine's does. Raises OverloadedError."""

    def __init__(self, app: ASGIApp, settings: Settings, clock: Callable[[], float]) -> None:
        self._app = app
        self._places = asyncio.Semaphore(settings.concurrency)
        self._most_waiting = settings.queue
        self._patience = min(settings.queue_seconds, settings.deadline_seconds)
        self._deadline = settings.deadline_seconds
        self._clock = clock
        self.running = 0
        self.waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request within its deadline, once there is a place."""
        if scope["type"] != "http" or scope["path"] in UNCOUNTED:
            await self._app(scope, receive, send)
            return
        ends = self._clock() + self._deadline
        await self._enter()
        inside = True

        def leave() -> None:
            nonlocal inside
            if inside:
                inside = False
                self.running -= 1
                self._places.release()

        async def leaving(message: Message) -> None:
            leave()
            await send(message)

        try:
            with until(ends):
                await self._app(scope, receive, leaving)
        finally:
            leave()

    async def _enter(self) -> None:
        if self._places.locked():
            await self._wait()
        else:
            await self._places.acquire()  # there is one: this does not wait
        self.running += 1

    async def _wait(self) -> None:
        if self.waiting >= self._most_waiting:
            raise OverloadedError(FULL)
        self.waiting += 1
        try:
            async with asyncio.timeout(self._patience):
                await self._places.acquire()
        except TimeoutError:
            raise OverloadedError(FULL) from None
        finally:
            self.waiting -= 1
