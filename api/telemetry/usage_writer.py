"""Writes usage counts to one OpenSearch index per month. The only module of the service that writes to OpenSearch.

Once a minute, the counts go into a bounded queue and from there to OpenSearch, over a connection of their own. No
request waits for it. Counts that cannot be written stay in the queue of at most `MAX_QUEUE_LENGTH`; a full queue drops
the oldest, and the log says how many. The index of an older version gets the fields that it lacks.
"""

import asyncio
import logging
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
from opensearchpy.exceptions import OpenSearchException, RequestError

from api.engine.client import close_client, create_client
from api.settings import Settings
from api.telemetry.usage_counters import UsageCounters, UsageKey, usage_document

log = logging.getLogger("akg.usage")

INTERVAL_SECONDS = 60.0
MAX_QUEUE_LENGTH = 20_000  # counts; some hours of a busy service
BATCH_SIZE = 2_000  # counts per request
TIMEOUT_SECONDS = 5.0  # per request
SHUTDOWN_SECONDS = 1.5  # to write the queue when the process ends
WRITTEN = frozenset((200, 201, 409))  # 409: an earlier attempt succeeded after all
STRICT = "strict_dynamic_mapping_exception"  # the mapping lacks a field
INVALID = 400  # status of a count that the mapping rejects; any other may be accepted later, such as 429 of a full disk


@dataclass(frozen=True, slots=True)
class PendingCount:
    """A count of one minute that is not written yet. `number` makes its id."""

    minute: datetime
    number: int
    key: UsageKey
    count: int
    versions: Mapping[str, Any]


class UsageWriter:
    """Writes the counts of `usage`. `now` returns the time in UTC, `versions` those of the service and the release."""

    def __init__(  # noqa: PLR0913, PLR0917 - clock, versions and worker id are passed in
        self,
        settings: Settings,
        urls: Sequence[str],
        usage: UsageCounters,
        body: Mapping[str, Any],
        now: Callable[[], datetime],
        versions: Callable[[], Mapping[str, Any]],
        worker: str,
    ) -> None:
        self._client = create_client(settings, urls, connections=1, seconds=TIMEOUT_SECONDS)
        self._prefix = settings.usage_index
        self._months = settings.usage_months
        self._usage = usage
        self._body = body
        self._now = now
        self._versions = versions
        self._worker = worker
        self._index = ""
        self._failing = False
        self._task: asyncio.Task[None] | None = None
        self.queue: deque[PendingCount] = deque(maxlen=MAX_QUEUE_LENGTH)
        self.dropped = 0

    def start(self) -> None:
        """Start to write every minute, unless the settings turn usage off."""
        if self._months:
            self._task = asyncio.create_task(self._write_periodically())

    async def close(self) -> None:
        """Write the rest of the counts, within a short time, and close the connection."""
        if self._task is not None:
            self._task.cancel()
            self.collect()
            with suppress(TimeoutError):
                async with asyncio.timeout(SHUTDOWN_SECONDS):
                    await self.flush()
            if self.queue:
                self._drop(len(self.queue), "the process ends")
        await close_client(self._client)

    def collect(self) -> None:
        """Queue the counts since the last call."""
        minute, versions = self._now().replace(second=0, microsecond=0), dict(self._versions())
        counts = self._usage.take()
        if (excess := len(self.queue) + len(counts) - MAX_QUEUE_LENGTH) > 0:
            self._drop(excess, "the queue is full")
        milliseconds = int(self._now().timestamp() * 1000)
        for number, (key, count) in enumerate(counts.items(), start=milliseconds):
            self.queue.append(PendingCount(minute, number, key, count, versions))

    async def flush(self) -> None:
        """Write the queue, oldest first, until it is empty or a request fails. Log errors of OpenSearch."""
        self._index = ""  # an operator may have deleted it
        try:
            while self.queue:
                if not await self._write(list(islice(self.queue, BATCH_SIZE))):
                    self._failing = True
                    return
        except (OpenSearchException, OSError) as error:
            if not self._failing:
                log.warning("usage counts cannot be written (%s)", type(error).__name__)
            self._failing = True
        else:
            self._failing = False

    async def _write_periodically(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL_SECONDS)
            self.collect()
            await self.flush()

    async def _write(self, batch: Sequence[PendingCount]) -> bool:
        """Write the counts of the first one's month and remove them from the queue. Return whether none is left over.

        Counts that OpenSearch may accept later go back to the start of the queue.
        """
        index = self._index_name(batch[0].minute)
        batch = [pending for pending in batch if self._index_name(pending.minute) == index]
        await self._prepare(index)
        statuses, unknown_field = await self._send(index, batch)
        if unknown_field:
            with suppress(RequestError):  # a field of another type: the counts are dropped below
                fields = {"properties": self._body["mappings"]["properties"]}
                await self._client.indices.put_mapping(index=index, body=fields)
            statuses, _ = await self._send(index, batch)
        if invalid := statuses.count(INVALID):
            self._drop(invalid, f"OpenSearch rejected them with status {INVALID}")
        delayed = [
            pending for pending, status in zip(batch, statuses, strict=True) if status not in {*WRITTEN, INVALID}
        ]
        if delayed and not self._failing:
            log.warning("usage counts cannot be written (status %d)", max({*statuses} - WRITTEN - {INVALID}))
        for _ in batch:
            self.queue.popleft()
        self.queue.extendleft(reversed(delayed))
        return not delayed

    async def _send(self, index: str, batch: Sequence[PendingCount]) -> tuple[list[int], bool]:
        """Return the status of each count, and whether the index lacks a field, as one of an older version does."""
        body = b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in self._bulk_lines(batch))
        response = await self._client.bulk(index=index, body=body.decode())
        items = [item["create"] for item in response["items"]]
        return [item["status"] for item in items], any(item.get("error", {}).get("type") == STRICT for item in items)

    def _drop(self, count: int, reason: str) -> None:
        self.dropped += count
        log.error("dropped %d usage counts, %d since the start: %s", count, self.dropped, reason)

    def _bulk_lines(self, batch: Sequence[PendingCount]) -> Iterator[dict[str, Any]]:
        for pending in batch:
            yield {"create": {"_id": f"{self._worker}-{pending.number}"}}
            common = {"minute": pending.minute.isoformat(), "worker": self._worker, **pending.versions}
            yield usage_document(pending.key, pending.count, common)

    def _index_name(self, minute: datetime) -> str:
        return f"{self._prefix}-{minute:%Y.%m}"

    async def _prepare(self, index: str) -> None:
        """Create the month's index if it is missing, and delete expired ones."""
        if index == self._index:
            return
        if not await self._client.indices.exists(index=index):
            try:
                await self._client.indices.create(index=index, body=dict(self._body))
            except RequestError as error:
                if error.error != "resource_already_exists_exception":  # by another process
                    raise
        indices = await self._client.indices.get_alias(index=f"{self._prefix}-*")
        for old in expired_indices(list(indices), self._prefix, self._now(), self._months):
            await self._client.indices.delete(index=old, params={"ignore_unavailable": "true"})
            log.info("deleted the usage counts of an expired month", extra={"fields": {"index": old}})
        self._index = index


def usage_index_body(mappings: Path) -> dict[str, Any]:
    """Return the settings and fields of the usage indices, from the mappings folder."""
    body: dict[str, Any] = orjson.loads((mappings / "usage.json").read_bytes())
    return body


def expired_indices(indices: Sequence[str], prefix: str, now: datetime, months: int) -> list[str]:
    """Return the monthly indices that are not among those of the last `months` months, including the current one."""
    last_expired = now.year * 12 + now.month - months
    names = [re.fullmatch(re.escape(prefix) + r"-(\d{4})\.(\d{2})", index) for index in indices]
    return sorted(name[0] for name in names if name and int(name[1]) * 12 + int(name[2]) <= last_expired)
