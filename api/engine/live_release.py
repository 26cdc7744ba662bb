"""Tracks which index the alias points at and caches the metadata of its release."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import math
from typing import TYPE_CHECKING, Any

from api.engine.release import Release
from api.errors import DeadlineError, EngineUnavailableError, InternalError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    ReadMappings = Callable[[str], Awaitable[Mapping[str, Any]]]

log = logging.getLogger("akg.engine")

NO_RELEASE = "No data has been published yet. This is on our side; please try again later."


class LiveRelease:
    """The live release of an alias. `read_mappings` returns index name → mapping; `clock` returns seconds.

    A release is confirmed if OpenSearch named it as live within the last `check_seconds`.
    """

    def __init__(
        self, read_mappings: ReadMappings, alias: str, check_seconds: float, clock: Callable[[], float]
    ) -> None:
        self._read_mappings = read_mappings
        self._alias = alias
        self._check_seconds = check_seconds
        self._clock = clock
        self._checked_at = 0.0
        self._confirmed_at = -math.inf
        self._check: asyncio.Task[None] | None = None
        self.releases: dict[str, Release] = {}  # the live one and the one before, by index
        self.release: Release | None = None

    def close(self) -> None:
        """Cancel a check that is still running."""
        if self._check is not None:
            self._check.cancel()

    async def refresh(self) -> Release:
        """Read from OpenSearch which release is live."""
        started_at = self._clock()
        mappings = await self._read_mappings(self._alias)
        self._checked_at = self._clock()
        if len(mappings) != 1:
            log.error("the alias points at %d indices", len(mappings))
            raise EngineUnavailableError(NO_RELEASE)
        index, body = next(iter(mappings.items()))
        return self._set(index, body, started_at)

    def confirmed(self) -> Release | None:
        """Return the live release if it is confirmed."""
        if self._clock() - self._confirmed_at >= self._check_seconds:
            return None
        self._check_later(self._check_seconds / 2)  # before the confirmation expires
        return self.release

    def unconfirm(self) -> None:
        """Forget the confirmation: an unreachable node cannot confirm the live release."""
        self._confirmed_at = -math.inf

    async def release_of(self, index: str, started_at: float) -> Release:
        """Return the release of an index to which the alias led a request that started at `started_at`."""
        if index not in self.releases:
            mappings = await self._read_mappings(index)
            return self._set(index, mappings[index], started_at)
        if self.release and index == self.release.index:
            self._confirmed_at = max(started_at, self._confirmed_at)
        elif started_at > self._confirmed_at:
            self.unconfirm()  # another release went live, perhaps by a rollback
        self._check_later(self._check_seconds)
        return self.releases[index]

    def _set(self, index: str, body: Mapping[str, Any], started_at: float) -> Release:
        meta = body["mappings"].get("_meta", {})
        if not meta.get("complete"):
            log.error("the live index is not marked as complete")
            raise EngineUnavailableError(NO_RELEASE)
        previous = {self.release.index: self.release} if self.release else {}
        self.release = Release.of(index, meta)
        self.releases = {**previous, index: self.release}
        self._confirmed_at = started_at
        return self.release

    def _check_later(self, seconds: float) -> None:
        """Refresh in the background if the last check was more than `seconds` ago."""
        running = self._check is not None and not self._check.done()
        if not running and self._clock() - self._checked_at > seconds:
            self._checked_at = self._clock()
            no_deadline = contextvars.Context()  # without the deadline of the current request
            self._check = asyncio.create_task(self._refresh_and_log(), context=no_deadline)

    async def _refresh_and_log(self) -> None:
        try:
            await self.refresh()
        except (EngineUnavailableError, DeadlineError, InternalError) as error:
            log.warning("cannot read which release is live: %s", type(error).__name__)
