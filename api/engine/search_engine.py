"""Reads from OpenSearch: deadlines, circuit breaker, one retry and error translation.

The only module of the service that does. User input is only sent in bodies, never in URLs: the client logs URLs.

While the circuit breaker is open, one request at a time is the probe, and those that arrive meanwhile wait for a probe
that began after them. When they were rejected, the first request after an outage got 503.
"""

import asyncio
import logging
import math
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from opensearchpy.exceptions import ConnectionError as EngineConnectionError
from opensearchpy.exceptions import ConnectionTimeout, SerializationError, TransportError

from api.deadline import seconds_left
from api.engine.batching import MgetBatcher
from api.engine.circuit_breaker import CircuitBreaker, Probe
from api.engine.client import UNAVAILABLE_STATUSES, close_client, create_client, has_alternative
from api.engine.release import COMPLETE, NO_RELEASE, EngineResponse, LiveRelease, Release, missing_release_message
from api.engine.request_metrics import Operation, Params, RequestMetrics
from api.errors import DeadlineError, EngineUnavailableError, InternalError, NoReleaseError
from api.settings import Settings

Body = Mapping[str, Any]  # of a request or a response
Document = Mapping[str, Any]  # as the index stores it


T = TypeVar("T")
log = logging.getLogger("akg.engine")

UNAUTHORIZED_STATUSES = frozenset({401, 403})
NOT_FOUND = 404
FIRST_ATTEMPT_SHARE = 0.4  # of the remaining time, for the first of several nodes; the rest is for another node
LOCAL_SHARDS = {"preference": "_local"}  # a node with a copy queries no other node, which might hang
LOCAL_METADATA = {"local": "true"}  # from the node's own cluster state, also while the cluster has no manager
MIN_TIMEOUT_SECONDS = 0.001  # zero would mean the client's default
JITTER_SECONDS = 0.05  # full jitter before the one retry
PROBE_SHARE = 0.5  # of the deadline: a request waits so long for a probe, as one to a node that hangs takes all of it
UNAVAILABLE = "The search engine does not respond. This is on our side; please try again shortly."
TOO_SLOW = "The search engine exceeded the time limit of this service. Please try again."


class SearchEngine:
    """The service's access to OpenSearch, one per process: to the live release, or to the given index.

    Every method raises EngineUnavailableError, DeadlineError or InternalError, and nothing else.
    """

    def __init__(self, settings: Settings, urls: Sequence[str], index: str | None = None) -> None:
        self._client = create_client(settings, urls, settings.engine_connections, settings.deadline_seconds)
        self._alias = index or settings.index_alias
        self._releases = settings.alias, settings.format_version
        self._usage_index = settings.usage_index
        self._deadline = settings.deadline_seconds
        self._breaker = CircuitBreaker()
        self._probe: Probe | None = None  # in flight
        self.metrics = RequestMetrics()
        self.searched_at = -math.inf  # when the last search succeeded, by `time.monotonic`
        self._batcher = MgetBatcher(self._mget)
        self._live = LiveRelease(self._read_mappings, self._alias, settings.release_check_seconds, time.monotonic)
        self.confirmed_release = self._live.confirmed
        self.refresh_live_release = self._live.refresh

    async def close(self) -> None:
        """Close all connections."""
        self._live.close()
        await close_client(self._client)

    @property
    def release(self) -> Release | None:
        """The last known live release."""
        return self._live.release

    async def known_release(self) -> Release:
        """Return the last known live release; before there is one, read it from OpenSearch."""
        return self.release or await self.refresh_live_release()

    async def live_release(self) -> Release:
        """Return the live release; ask OpenSearch unless it was confirmed just now."""
        return self.confirmed_release() or await self.refresh_live_release()

    @property
    def is_unavailable(self) -> bool:
        """Whether the circuit breaker is open."""
        return self._breaker.open

    async def search(self, body: Body, of: Release | None = None) -> EngineResponse:
        """Search the live release, or the release that an earlier part of the same response is from.

        A response without hits does not name its index, so the search is repeated on a release by its index. Reading
        the alias instead would not do: the nodes of a cluster apply an alias swap at different moments.
        """
        if of is None and (response := await self.search_alias(body)):
            return response
        return await self.search_index(body, of)

    async def search_alias(self, body: Body) -> EngineResponse | None:
        """Search the live release; return None without hits, because then the release is unknown."""
        started_at = time.monotonic()
        response = await self._call("search", lambda params: self._search(self._alias, body, params))
        self._require_complete(response)
        if not (hits := response["hits"]["hits"]):
            return None
        return EngineResponse.parse(response, await self._live.release_of(hits[0]["_index"], started_at))

    async def search_index(self, body: Body, of: Release | None = None) -> EngineResponse:
        """Search a release by the name of its index: the given release, else the live one."""
        response, release = await self._on_release(
            of, "search", lambda release, params: self._search(release.index, body, params)
        )
        self._require_complete(response)
        return EngineResponse.parse(response, release)

    async def search_all(self, bodies: Sequence[Body], of: Release | None = None) -> list[EngineResponse]:
        """Run several searches on one release in one request."""
        if len(bodies) == 1:
            return [await self.search(bodies[0], of)]
        responses, release = await self._on_release(
            of, "msearch", lambda release, params: self._msearch(release, bodies, params)
        )
        for response in responses:
            self._require_complete(response)
        return [EngineResponse.parse(response, release) for response in responses]

    async def fetch(self, ids: Sequence[str], of: Release | None = None) -> tuple[list[Document | None], Release]:
        """Get documents by `_id`, in that order, and their release; None for a missing document."""
        started_at = time.monotonic()
        seconds = seconds_left(started_at, self._deadline)
        index = self._alias if of is None else of.index
        try:
            documents = await self._batcher.get(index, ids, started_at + seconds, seconds)
        except TimeoutError:
            raise DeadlineError(TOO_SLOW) from None
        for document in documents:
            if "error" in document:
                raise _translated(NOT_FOUND, str(document["error"].get("type")))
        release = of or await self._live.release_of(documents[0]["_index"], started_at)  # missing documents have it too
        return [document["_source"] if document.get("found") else None for document in documents], release

    async def search_usage(self, body: Body) -> Body:
        """Search the usage indices; without any, the response has neither hits nor sums."""
        options = {"ignore_unavailable": "true", "allow_no_indices": "true"}
        return await self._call(
            "search_usage",
            lambda params: self._client.search(index=f"{self._usage_index}-*", body=body, params={**options, **params}),
        )

    async def _search(self, index: str, body: Body, params: Params) -> Body:
        params = {"allow_partial_search_results": "false", **LOCAL_SHARDS, **params}
        with_timeout = {**body, "timeout": self._search_timeout()}
        response: Body = await self._client.search(index=index, body=with_timeout, params=params)
        return response

    async def _msearch(self, release: Release, bodies: Sequence[Body], params: Params) -> list[Body]:
        """Send one `_msearch`; raise an error of any part as that of a single search."""
        timeout = self._search_timeout()
        with_timeout = [{**body, "timeout": timeout} for body in bodies]
        lines = [line for body in with_timeout for line in (LOCAL_SHARDS, body)]
        response = await self._client.msearch(index=release.index, body=lines, params=dict(params))
        responses: list[Body] = response["responses"]
        for part in responses:
            if "error" in part:
                raise TransportError(part["status"], str(part["error"].get("type")), {})
        return responses

    async def _mget(self, index: str, ids: Sequence[str]) -> list[Body]:
        body = {"ids": list(ids)}
        response: Mapping[str, list[Body]] = await self._call(
            "mget", lambda params: self._client.mget(index=index, body=body, params={**LOCAL_SHARDS, **params})
        )
        return response["docs"]

    async def missing_release_message(self) -> str:
        """Return why there is no release: none is published, or only some of other formats, which is also logged."""
        alias, format_version = self._releases
        mappings = await self._read_mappings(f"{alias}-*", COMPLETE)
        message = missing_release_message(alias, format_version, mappings)
        if message != NO_RELEASE:
            log.warning(message)
        return message

    async def _read_mappings(self, index: str, filters: Params) -> Body:
        return await self._call(
            "get_mapping",
            lambda params: self._client.indices.get_mapping(
                index=index, params={**LOCAL_METADATA, **filters, **params}
            ),
        )

    async def _on_release(
        self, of: Release | None, operation: Operation, request: Callable[[Release, Params], Awaitable[T]]
    ) -> tuple[T, Release]:
        """Send a request to one release by the name of its index: the given release, else the live one.

        If the live release was deleted since, the request goes to its successor. A given release has no substitute,
        because the parts of a response must be from one release.
        """
        if of is not None:
            return await self._call(operation, lambda params: request(of, params)), of
        release = await self.live_release()
        try:
            return await self._call(operation, lambda params: request(release, params)), release
        except EngineUnavailableError:
            live = await self.refresh_live_release()
            if live.index == release.index:
                raise
        return await self._call(operation, lambda params: request(live, params)), live

    def _require_complete(self, response: Body) -> None:
        if response["timed_out"]:
            raise DeadlineError(TOO_SLOW)
        if response["_shards"]["failed"]:
            raise EngineUnavailableError(UNAVAILABLE)
        self.searched_at = time.monotonic()

    def _search_timeout(self) -> str:
        """Return the remaining time of the request as OpenSearch's search timeout."""
        seconds = seconds_left(time.monotonic(), self._deadline)
        return f"{max(1, round(seconds * 1000))}ms"

    async def _call(self, operation: Operation, request: Callable[[Params], Awaitable[T]]) -> T:
        """Send a request within the deadline; while the circuit breaker is open, as its probe or after one."""
        started_at = time.monotonic()
        seconds = seconds_left(started_at, self._deadline)
        if seconds <= 0:
            raise DeadlineError(TOO_SLOW)
        request = self.metrics.timed(operation, request)
        while self._breaker.open:
            if self._probe is not None:
                await self._wait_for(self._probe, started_at, seconds)
            elif self._breaker.allows_probe(time.monotonic()):
                return await self._send_probe(request, started_at + seconds)
            else:
                raise EngineUnavailableError(UNAVAILABLE)
        return await self._send(request, started_at + seconds)

    async def _wait_for(self, probe: Probe, started_at: float, seconds: float) -> None:
        """Wait for the probe; raise EngineUnavailableError if it fails or takes too long.

        The failure of a probe that began before the request says nothing: OpenSearch may have returned meanwhile.
        """
        with suppress(TimeoutError):
            ends_at = started_at + min(seconds, self._deadline * PROBE_SHARE)
            async with asyncio.timeout(ends_at - time.monotonic()):
                await probe.ended.wait()
            if probe.began_at < started_at:
                return
        if self._breaker.open:
            raise EngineUnavailableError(UNAVAILABLE)

    async def _send_probe(self, request: Callable[[Params], Awaitable[T]], ends_at: float) -> T:
        """Send a request while the breaker is open; those that wait for it go on when it ends, also by cancellation."""
        probe = self._probe = Probe(time.monotonic())
        try:
            return await self._send(request, ends_at)
        finally:
            self._probe = None
            probe.ended.set()

    async def _send(self, request: Callable[[Params], Awaitable[T]], ends_at: float) -> T:
        """Send a request that must end at `ends_at`, and record the outcome in the circuit breaker."""
        began_at = time.monotonic()
        seconds = ends_at - began_at
        try:
            async with asyncio.timeout(seconds):
                response = await self._with_retry(request, ends_at)
        except (TimeoutError, ConnectionTimeout):
            if seconds > self._deadline / 2:  # with hardly any time left, a timeout is not a failure of OpenSearch
                self._breaker.failed(time.monotonic(), is_slow=True)
            raise DeadlineError(TOO_SLOW) from None
        except (EngineConnectionError, SerializationError):  # whatever sends invalid JSON is not OpenSearch
            self._live.unconfirm()
            self._record_failure(began_at, seconds)
            raise EngineUnavailableError(UNAVAILABLE) from None
        except TransportError as error:
            if error.status_code in UNAVAILABLE_STATUSES:
                self._record_failure(began_at, seconds)
            else:
                self._breaker.succeeded()
            raise _translated(error.status_code, str(error.error)) from None
        self._breaker.succeeded()
        return response

    def _record_failure(self, began_at: float, seconds: float) -> None:
        """Record a failure of a request that had so many seconds; it is slow if one of two attempts timed out."""
        now = time.monotonic()
        self._breaker.failed(now, is_slow=now - began_at >= seconds * FIRST_ATTEMPT_SHARE)

    async def _with_retry(self, request: Callable[[Params], Awaitable[T]], ends_at: float) -> T:
        """Retry once, after a short random pause, if the connection failed or OpenSearch was overloaded.

        A probe has no such pause, because it is alone, and others wait for it.

        With several nodes, the first attempt gets only a part of the time, so that another node can be tried if the
        first hangs. If no node has responded lately, OpenSearch is slow and must not get every request twice.
        """
        seconds = ends_at - time.monotonic()
        try:
            share = FIRST_ATTEMPT_SHARE if has_alternative(self._client) else 1.0
            return await request({"request_timeout": seconds * share})
        except ConnectionTimeout:
            if not has_alternative(self._client):
                raise
        except TransportError as error:
            if not isinstance(error, EngineConnectionError) and error.status_code not in UNAVAILABLE_STATUSES:
                raise
        if not self._breaker.open:
            await asyncio.sleep(random.uniform(0, JITTER_SECONDS))  # noqa: S311 - jitter is not a secret
        self.metrics.retries.inc()
        return await request({"request_timeout": max(MIN_TIMEOUT_SECONDS, ends_at - time.monotonic())})


def _translated(status: int | str, error_type: str) -> EngineUnavailableError | InternalError:
    """Return the service error for an error of OpenSearch. `error_type` holds no user input."""
    if status == NOT_FOUND or error_type == "index_not_found_exception":
        return NoReleaseError(NO_RELEASE)
    if status in UNAVAILABLE_STATUSES or status in UNAUTHORIZED_STATUSES:
        log.error("OpenSearch returned status %s", status)
        return EngineUnavailableError(UNAVAILABLE)
    log.error("OpenSearch rejected a request of the service: %s", status)
    return InternalError()
