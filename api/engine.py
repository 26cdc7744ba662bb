"""The only file of the service that reads from OpenSearch: deadlines, breaker, one retry, errors, the live release.

Text that a caller sent travels in bodies only, never in an address: the client logs addresses.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import math
import random
import time
from typing import TYPE_CHECKING, Any

import orjson
from opensearchpy.exceptions import ConnectionError as EngineConnectionError
from opensearchpy.exceptions import ConnectionTimeout, SerializationError, TransportError

from api.breaker import Breaker
from api.connection import opened, others
from api.deadline import seconds_left
from api.errors import DeadlineError, EngineAwayError, InternalError
from api.gathering import Gathering
from api.prepared import for_release, older
from api.release import Answer, Release

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from api.settings import Settings

    Wait = Mapping[str, Any]  # how long the client waits, as it takes it

log = logging.getLogger("akg.engine")

BUSY = frozenset({429, 502, 503, 504})
REFUSED = frozenset({401, 403})
NO_INDEX = 404
MOST_SHARED = 10_000  # documents of one release that are kept
FIRST_SHARE = 0.4  # of the time left, for the first of several nodes to answer; the rest is for another one
NEAR = {"preference": "_local"}  # a node that holds a copy asks no other, which might hang
LOCAL = {"local": "true"}  # as the node that is asked knows it, whether or not anybody leads the cluster just now
LEAST_SECONDS = 0.001  # that a call is given; none would mean the client's own
JITTER_SECONDS = 0.05  # full jitter before the one retry
AWAY = "The search engine does not answer. This is on our side; please try again shortly."
EMPTY = "No data has been published yet. This is on our side; please try again later."
SLOW = "The search engine took longer than this service waits. Please try again."


class Engine:
    """OpenSearch as the service sees it. One per process; `close` it at the end.

    Every method raises EngineAwayError, DeadlineError or InternalError, and nothing else.
    """

    def __init__(self, settings: Settings, urls: Sequence[str]) -> None:
        self._client = opened(settings, urls, settings.engine_connections, settings.deadline_seconds)
        self._alias = settings.alias
        self._usage = settings.usage_index
        self._deadline = settings.deadline_seconds
        self._breaker = Breaker()
        self._reads = Gathering(self._documents)
        self._check_seconds = settings.release_check_seconds
        self._checked = 0.0
        self._confirmed = -math.inf  # when the engine was last asked and named `release` as live
        self._check: asyncio.Task[None] | None = None
        self._releases: dict[str, Release] = {}
        self._shared: dict[str, dict[str, Mapping[str, Any] | None]] = {}
        self.release: Release | None = None

    async def close(self) -> None:
        """Close all connections."""
        if self._check is not None:
            self._check.cancel()
        await self._client.close()

    async def search(self, body: Mapping[str, Any], of: Release | None = None) -> Answer:
        """Run one search on the live release, or on the one that an earlier part of the same answer came from.

        Nothing found says not where it was sought, so it is sought again in a release by its name. To ask what is live
        would not tell: the nodes of a cluster learn of a swap at different moments, and another one may be asked.
        """
        if of is None and (found := await self.hits(body)):
            return found
        return await self.by_name(body, of)

    async def hits(self, body: Mapping[str, Any]) -> Answer | None:
        """Run one search on the live release; None where it finds nothing, for then it is not known which that was."""
        began, expected = time.monotonic(), self.release
        asked = for_release(body, expected)
        answer = await self._ask(lambda wait: self._searched(self._alias, asked, wait))
        _complete(answer)
        if (index := _hit_index(answer)) is None:
            return None
        release = await self._release_of(index, began)
        if older(release) != older(expected):  # it was asked in words of the other kind
            return await self.by_name(body)
        return Answer(answer, release)

    async def by_name(self, body: Mapping[str, Any], of: Release | None = None) -> Answer:
        """Run one search on a release by the name of its index: the given one, else the live one."""
        answer, release = await self._of_one(of, lambda a, wait: self._searched(a.index, for_release(body, a), wait))
        _complete(answer)
        return Answer(answer, release)

    async def _searched(self, place: str, body: Mapping[str, Any], wait: Wait) -> Mapping[str, Any]:
        """One `_search`."""
        bounded = {**body, "timeout": self._patience()}
        params = {"allow_partial_search_results": "false", **NEAR, **wait}
        answer: Mapping[str, Any] = await self._client.search(index=place, body=bounded, params=params)
        return answer

    async def search_all(self, bodies: Sequence[Mapping[str, Any]], of: Release | None = None) -> list[Answer]:
        """Run several searches in one round trip."""
        if len(bodies) == 1:
            return [await self.search(bodies[0], of)]
        responses, release = await self._of_one(of, lambda release, wait: self._several(release, bodies, wait))
        for response in responses:
            _complete(response)
        return [Answer(response, release) for response in responses]

    async def _several(
        self, release: Release, bodies: Sequence[Mapping[str, Any]], wait: Wait
    ) -> list[Mapping[str, Any]]:
        """One `_msearch`; an error of any part is raised as the error of a single search would be."""
        patience = self._patience()
        asked = [{**for_release(body, release), "timeout": patience} for body in bodies]
        lines = [line for body in asked for line in (NEAR, body)]
        payload = (b"\n".join(orjson.dumps(line) for line in lines) + b"\n").decode()
        answer = await self._client.msearch(index=release.index, body=payload, params=dict(wait))
        responses: list[Mapping[str, Any]] = answer["responses"]
        for response in responses:
            if "error" in response:
                raise TransportError(response["status"], str(response["error"].get("type")), {})
        return responses

    async def fetch(
        self, ids: Sequence[str], of: Release | None = None
    ) -> tuple[list[Mapping[str, Any] | None], Release]:
        """Get documents by `_id`, in the order asked; None where there is none."""
        began = time.monotonic()
        seconds = seconds_left(began, self._deadline)
        try:
            documents = await self._reads.get(self._place(of), ids, began + seconds, seconds)
        except TimeoutError:
            raise DeadlineError(SLOW) from None
        for document in documents:
            if "error" in document:
                raise _translated(NO_INDEX, str(document["error"].get("type")))
        release = of or await self._release_of(documents[0]["_index"], began)  # told of missing ones too
        return [document["_source"] if document.get("found") else None for document in documents], release

    async def _documents(self, place: str, ids: Sequence[str]) -> list[Mapping[str, Any]]:
        """One `_mget`."""
        asked = {"ids": list(ids)}
        answer = await self._ask(lambda wait: self._client.mget(index=place, body=asked, params={**NEAR, **wait}))
        documents: list[Mapping[str, Any]] = answer["docs"]
        return documents

    async def fetch_shared(self, ids: Sequence[str], of: Release) -> list[Mapping[str, Any] | None]:
        """Get small documents that many answers to different questions need; they are kept while their release is."""
        kept = self._shared.setdefault(of.index, {})
        known = {one: kept[one] for one in ids if one in kept}
        if wanted := [one for one in ids if one not in known]:
            found, _ = await self.fetch(wanted, of)
            known |= zip(wanted, found, strict=True)
            if len(kept) + len(wanted) > MOST_SHARED:
                kept.clear()
            kept.update(known)
            self._shared = {index: shared for index, shared in self._shared.items() if index in self._releases}
        return [known[one] for one in ids]

    def _place(self, release: Release | None) -> str:
        return self._alias if release is None else release.index

    async def _of_one(self, of: Release | None, call: Callable[[Release, Wait], Awaitable[Any]]) -> tuple[Any, Release]:
        """Ask one release by the name of its index: the given one, else the live one.

        Where that one was deleted since, the one that is live now is asked; never in place of a given one, because the
        parts of an answer must come from one release.
        """
        if of is not None:
            return await self._ask(lambda wait: call(of, wait)), of
        release = self.confirmed() or await self.look()
        try:
            return await self._ask(lambda wait: call(release, wait)), release
        except EngineAwayError:
            live = await self.look()
            if live.index == release.index:
                raise
        return await self._ask(lambda wait: call(live, wait)), live

    async def usage(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run one search on the counts of usage; without hits or sums where there are none yet."""
        params = {"ignore_unavailable": "true", "allow_no_indices": "true"}
        found: Mapping[str, Any] = await self._ask(
            lambda wait: self._client.search(index=f"{self._usage}-*", body=body, params={**params, **wait})
        )
        return found

    async def look(self) -> Release:
        """Ask which release is live, now; remember it."""
        began = time.monotonic()
        answer = await self._ask(
            lambda wait: self._client.indices.get_mapping(index=self._alias, params={**LOCAL, **wait})
        )
        self._checked = time.monotonic()
        if len(answer) != 1:
            log.error("the alias points at %d indices", len(answer))
            raise EngineAwayError(EMPTY)
        index, body = next(iter(answer.items()))
        self.release = self._known(index, body["mappings"].get("_meta", {}))
        self._confirmed = began
        return self.release

    def _known(self, index: str, meta: Mapping[str, Any]) -> Release:
        if not meta.get("complete"):
            log.error("the live index has no complete stamp")
            raise EngineAwayError(EMPTY)
        found = Release.of(index, meta)
        self._releases = {index: found, **{name: old for name, old in self._releases.items() if name == self._live}}
        return found

    @property
    def _live(self) -> str | None:
        return self.release.index if self.release else None

    def confirmed(self) -> Release | None:
        """The live release, if the engine named it within the last `release_check_seconds`."""
        if time.monotonic() - self._confirmed >= self._check_seconds:
            return None
        self._look_soon(self._check_seconds / 2)  # so that it is asked again before the word is too old
        return self.release

    async def _release_of(self, index: str, began: float) -> Release:
        """The release of an index that an answer came from. The question was asked at `began`."""
        if index in self._releases:
            if index == self._live:
                self._confirmed = max(began, self._confirmed)
            elif began > self._confirmed:
                self._confirmed = -math.inf  # another one went live, perhaps back
            self._look_soon()
            return self._releases[index]
        answer = await self._ask(lambda wait: self._client.indices.get_mapping(index=index, params={**LOCAL, **wait}))
        self.release = self._known(index, answer[index]["mappings"].get("_meta", {}))
        self._confirmed = began
        return self.release

    def _look_soon(self, after: float | None = None) -> None:
        """See whether another release went live, `after` seconds since the last look, and keep nobody waiting."""
        running = self._check is not None and not self._check.done()
        if not running and time.monotonic() - self._checked > (self._check_seconds if after is None else after):
            self._checked = time.monotonic()
            fresh = contextvars.Context()  # it has its own deadline, not that of this request
            self._check = asyncio.create_task(self._look_quietly(), context=fresh)

    async def _look_quietly(self) -> None:
        try:
            await self.look()
        except (EngineAwayError, DeadlineError, InternalError) as error:
            log.warning("cannot see which release is live: %s", type(error).__name__)

    @property
    def away(self) -> bool:
        """Whether the engine failed so often that only a probe is let through now and then."""
        return self._breaker.open

    def _patience(self) -> str:
        """How long the engine itself may search: what is left of the request's time."""
        seconds = seconds_left(time.monotonic(), self._deadline)
        return f"{max(1, round(seconds * 1000))}ms"

    async def _ask(self, call: Callable[[Wait], Awaitable[Any]]) -> Any:  # noqa: ANN401 - whatever the engine answers
        """Call the engine inside the deadline, unless it is known to be away; tell the breaker how that went."""
        began = time.monotonic()
        seconds = seconds_left(began, self._deadline)
        if seconds <= 0:
            raise DeadlineError(SLOW)
        if not self._breaker.allows(began):
            raise EngineAwayError(AWAY)
        try:
            async with asyncio.timeout(seconds):
                answer = await self._twice(call, began + seconds)
        except (TimeoutError, ConnectionTimeout):
            if seconds > self._deadline / 2:  # what had hardly any time left says nothing of the engine
                self._breaker.failed(time.monotonic())
            raise DeadlineError(SLOW) from None
        except (EngineConnectionError, SerializationError):  # what answers without sense is no engine
            self._confirmed = -math.inf  # who does not answer vouches for nothing
            self._breaker.failed(time.monotonic())
            raise EngineAwayError(AWAY) from None
        except TransportError as error:
            if error.status_code in BUSY:
                self._breaker.failed(time.monotonic())
            else:
                self._breaker.succeeded()
            raise _translated(error.status_code, str(error.error)) from None
        self._breaker.succeeded()
        return answer

    async def _twice(self, call: Callable[[Wait], Awaitable[Any]], ends: float) -> Any:  # noqa: ANN401 - as above
        """Call once more, after a short random pause, if the connection failed or the engine was busy.

        Of several nodes the first gets only a part of the time, so that another can be asked where it keeps silent. Not
        so when all have kept silent lately: then the engine is slow, and must not be asked for everything twice.
        """
        left = ends - time.monotonic()
        try:
            return await call({"request_timeout": left * FIRST_SHARE if others(self._client) else left})
        except TransportError as error:
            if not self._worth_a_retry(error):
                raise
        await asyncio.sleep(random.uniform(0, JITTER_SECONDS))  # noqa: S311 - jitter keeps no secret
        return await call({"request_timeout": max(LEAST_SECONDS, ends - time.monotonic())})

    def _worth_a_retry(self, error: TransportError) -> bool:
        if isinstance(error, ConnectionTimeout):
            return others(self._client)
        return isinstance(error, EngineConnectionError) or error.status_code in BUSY


def _translated(status: int | str, kind: str) -> EngineAwayError | InternalError:
    """The error for a status of the engine. `kind` is the engine's name for it, free of user text."""
    if status == NO_INDEX or kind == "index_not_found_exception":
        return EngineAwayError(EMPTY)
    if status in BUSY or status in REFUSED:
        log.error("the engine answered %s", status)
        return EngineAwayError(AWAY)
    log.error("the engine refused a request of ours: %s", status)
    return InternalError()


def _complete(answer: Mapping[str, Any]) -> None:
    if answer["timed_out"]:
        raise DeadlineError(SLOW)
    if answer["_shards"]["failed"]:
        raise EngineAwayError(AWAY)


def _hit_index(answer: Mapping[str, Any]) -> str | None:
    hits = answer["hits"]["hits"]
    return hits[0]["_index"] if hits else None
