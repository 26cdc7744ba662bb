"""Metrics of the requests to OpenSearch: each attempt by operation, status and duration, and the retries.

A retry is an attempt of its own. The labels have fixed values, so that nothing of a client can be in them.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeVar

from opensearchpy.exceptions import ConnectionError as EngineConnectionError
from opensearchpy.exceptions import ConnectionTimeout, OpenSearchException, SerializationError, TransportError
from prometheus_client import Counter, Histogram

Operation = Literal["search", "msearch", "mget", "get_mapping", "search_usage"]
Params = Mapping[str, Any]
T = TypeVar("T")

SUCCESS, TOO_MANY_REQUESTS = "2xx", "429"
TIMEOUT, CANCELLED, UNREACHABLE, INVALID = "timeout", "cancelled", "unreachable", "invalid"
BOUNDS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0)
TIMEOUT_SHARE = 0.9  # of its time, after which a cancelled attempt counts as timed out: two timers end at once


class RequestMetrics:
    """Durations of attempts, and retries; `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.durations = Histogram(
            "akg_opensearch_request_duration_seconds",
            "Duration of requests to OpenSearch, by operation and status (a class, 429, "
            f"{TIMEOUT}, {UNREACHABLE}, {INVALID} JSON, {CANCELLED} by the client). Each retry is a request.",
            ("operation", "status"),
            buckets=BOUNDS_SECONDS,
            registry=None,
        )
        self.retries = Counter("akg_opensearch_retries", "Second attempts of requests to OpenSearch.", registry=None)

    def timed(
        self, operation: Operation, request: Callable[[Params], Awaitable[T]]
    ) -> Callable[[Params], Awaitable[T]]:
        """Return the request, which records each attempt."""

        async def attempt(params: Params) -> T:
            began, status = self._clock(), SUCCESS
            try:
                return await request(params)
            except asyncio.CancelledError:
                is_late = self._clock() - began >= TIMEOUT_SHARE * params["request_timeout"]
                status = TIMEOUT if is_late else CANCELLED
                raise
            except OpenSearchException as error:
                status = status_of(error)
                raise
            finally:
                self.durations.labels(operation, status).observe(self._clock() - began)

        return attempt


def status_of(error: OpenSearchException) -> str:
    """Return the label of an error: the class of its status, 429 by itself, or why there was no response."""
    if isinstance(error, ConnectionTimeout):
        return TIMEOUT
    if isinstance(error, EngineConnectionError):
        return UNREACHABLE
    if isinstance(error, SerializationError) or not isinstance(error, TransportError):
        return INVALID
    status = str(error.status_code)
    return status if status == TOO_MANY_REQUESTS else f"{status[0]}xx"
