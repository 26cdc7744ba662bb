"""The metrics of requests to OpenSearch: one series per operation and way in which an attempt can end."""

import asyncio
from typing import Any

import pytest
from opensearchpy.exceptions import ConnectionError as EngineConnectionError
from opensearchpy.exceptions import ConnectionTimeout, NotFoundError, SerializationError, TransportError

from api.engine.request_metrics import Params, RequestMetrics
from tests.support.metric_samples import samples_of

ENDINGS: list[tuple[BaseException | None, float, str]] = [
    (None, 0.1, "2xx"),
    (NotFoundError(404, "index_not_found_exception", {}), 0.1, "4xx"),
    (TransportError(429, "es_rejected_execution_exception", {}), 0.1, "429"),
    (TransportError(503, "", {}), 0.1, "5xx"),
    (EngineConnectionError("N/A", "refused", OSError()), 0.1, "unreachable"),
    (ConnectionTimeout("TIMEOUT", "slow", TimeoutError()), 2.0, "timeout"),
    (SerializationError("not JSON"), 0.1, "invalid"),
    (asyncio.CancelledError(), 2.0, "timeout"),  # by the deadline of the request
    (asyncio.CancelledError(), 0.5, "cancelled"),  # by a client that disconnected
]


@pytest.mark.parametrize(("error", "seconds", "status"), ENDINGS)
async def test_an_attempt_counts_under_how_it_ended(error: BaseException | None, seconds: float, status: str) -> None:
    now = 0.0
    metrics = RequestMetrics(lambda: now)

    async def request(_: Params) -> dict[str, Any]:
        nonlocal now
        now += seconds
        if error is not None:
            raise error
        return {}

    attempt = metrics.timed("search", request)
    if error is None:
        await attempt({"request_timeout": 2.0})
    else:
        with pytest.raises(type(error)):
            await attempt({"request_timeout": 2.0})
    sums = samples_of([metrics.durations], "akg_opensearch_request_duration_seconds_sum")
    assert sums == {("search", status): pytest.approx(seconds)}
