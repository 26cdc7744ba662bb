"""The only file of the service that writes to OpenSearch, and only to the usage indices: one for each month.

Once a minute what was counted goes into a bounded queue, and from there to the engine, on a connection of its own.
Nothing waits for it. What cannot be written stays in the queue; when that is full, the oldest goes.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from opensearchpy.exceptions import OpenSearchException, RequestError

from api.connection import opened
from api.usage import document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from api.settings import Settings
    from api.usage import Cell, Usage

log = logging.getLogger("akg.usage")

MINUTE = 60.0  # seconds
MOST_WAITING = 20_000  # cells; some hours of a busy service
AT_ONCE = 2_000  # cells in one request
PATIENCE = 5.0  # seconds for one request
AT_THE_END = 1.5  # seconds to write what is left when the process ends
WRITTEN = frozenset((200, 201, 409))  # 409: an earlier try got through after all


@dataclass(frozen=True, slots=True)
class Waiting:
    """One cell of one minute that is not written yet. `place` makes its id."""

    minute: datetime
    place: int
    cell: Cell
    count: int
    live: Mapping[str, Any]


class UsageStore:
    """Writes what `usage` counted. `now` is the time in UTC; `live` tells the versions that answer right now."""

    def __init__(  # noqa: PLR0913, PLR0917 - everything that it may not look up itself
        self,
        settings: Settings,
        urls: Sequence[str],
        usage: Usage,
        body: Mapping[str, Any],
        now: Callable[[], datetime],
        live: Callable[[], Mapping[str, Any]],
        worker: str,
    ) -> None:
        self._client = opened(settings, urls, connections=1, seconds=PATIENCE)
        self._prefix = settings.usage_index
        self._months = settings.usage_months
        self._usage = usage
        self._body = body
        self._now = now
        self._live = live
        self._worker = worker
        self._index = ""
        self._failing = False
        self._task: asyncio.Task[None] | None = None
        self.queue: deque[Waiting] = deque(maxlen=MOST_WAITING)
        self.dropped = 0

    def start(self) -> None:
        """Write every minute from now on, if usage is kept at all."""
        if self._months:
            self._task = asyncio.create_task(self._every_minute())

    async def close(self) -> None:
        """Write what is left, for a moment, and give the connection back."""
        if self._task is not None:
            self._task.cancel()
            self.collect()
            try:
                async with asyncio.timeout(AT_THE_END):
                    await self.flush()
            except TimeoutError:
                log.warning("usage of the last minute was lost")
        await self._client.close()

    def collect(self) -> None:
        """Put what was counted since the last time into the queue."""
        minute, live = self._now().replace(second=0, microsecond=0), dict(self._live())
        cells = self._usage.take()
        self.dropped += max(0, len(self.queue) + len(cells) - MOST_WAITING)
        stamp = int(self._now().timestamp() * 1000)
        for place, (cell, count) in enumerate(cells.items(), start=stamp):
            self.queue.append(Waiting(minute, place, cell, count, live))

    async def flush(self) -> None:
        """Write the queue, oldest first, as far as the engine takes it. Raises nothing."""
        self._index = ""  # somebody may have deleted it
        try:
            while self.queue:
                await self._write([self.queue[place] for place in range(min(AT_ONCE, len(self.queue)))])
        except (OpenSearchException, OSError) as error:
            if not self._failing:
                log.warning("usage cannot be written now (%s)", type(error).__name__)
            self._failing = True
        else:
            self._failing = False

    async def _every_minute(self) -> None:
        while True:
            await asyncio.sleep(MINUTE)
            self.collect()
            await self.flush()

    async def _write(self, some: Sequence[Waiting]) -> None:
        """Write cells of one month, and take them off the queue."""
        index = self._index_of(some[0].minute)
        some = [one for one in some if self._index_of(one.minute) == index]
        await self._ready(index)
        lines = [line for one in some for line in (self._action(one), self._document(one))]
        answer = await self._client.bulk(index=index, body=b"\n".join([*lines, b""]).decode())
        lost = [item["create"]["status"] for item in answer["items"] if item["create"]["status"] not in WRITTEN]
        if lost:
            self.dropped += len(lost)
            log.error("the engine refused %d counts of usage with %s", len(lost), lost[0])
        for _ in some:
            self.queue.popleft()

    def _action(self, one: Waiting) -> bytes:
        return orjson.dumps({"create": {"_id": f"{self._worker}-{one.place}"}})

    def _document(self, one: Waiting) -> bytes:
        more = {"minute": one.minute.isoformat(), "worker": self._worker, **one.live}
        return orjson.dumps(document(one.cell, one.count, more))

    def _index_of(self, minute: datetime) -> str:
        return f"{self._prefix}-{minute:%Y.%m}"

    async def _ready(self, index: str) -> None:
        """See to it that the month's index is there, and that none is older than it may be."""
        if index == self._index:
            return
        if not await self._client.indices.exists(index=index):
            await self._create(index)
        for old in expired(await self._indices(), self._prefix, self._now(), self._months):
            await self._client.indices.delete(index=old, params={"ignore_unavailable": "true"})
            log.info("usage of a past month was deleted", extra={"fields": {"index": old}})
        self._index = index

    async def _create(self, index: str) -> None:
        try:
            await self._client.indices.create(index=index, body=dict(self._body))
        except RequestError as error:
            if error.error != "resource_already_exists_exception":  # another process was faster
                raise

    async def _indices(self) -> list[str]:
        return list(await self._client.indices.get_alias(index=f"{self._prefix}-*"))


def usage_body(mappings: Path) -> dict[str, Any]:
    """Settings and fields of the indices, from the mappings folder."""
    body: dict[str, Any] = orjson.loads((mappings / "usage.json").read_bytes())
    return body


def expired(indices: Sequence[str], prefix: str, now: datetime, months: int) -> list[str]:
    """The monthly indices that are older than so many months, the present one included."""
    oldest = now.year * 12 + now.month - months
    found = []
    for index in indices:
        name = re.fullmatch(re.escape(prefix) + r"-(\d{4})\.(\d{2})", index)
        if name and int(name[1]) * 12 + int(name[2]) <= oldest:
            found.append(index)
    return sorted(found)
