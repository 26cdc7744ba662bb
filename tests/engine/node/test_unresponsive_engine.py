"""The service with an OpenSearch that hangs, closes connections or has too little time."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from api.app import create_app
from api.deadline import until
from api.engine.circuit_breaker import MAX_FAILURES, PAUSE_SECONDS
from api.engine.search_engine import SearchEngine
from api.errors import DeadlineError, EngineUnavailableError
from api.settings import Settings
from tests.support.fixture_graphs import running
from tests.support.misbehaving_servers import peer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

BRIEF = Settings(deadline_seconds=0.05, rate_limit=0, usage_months=0)
ANYTHING: dict[str, Any] = {"query": {"match_all": {}}}


@asynccontextmanager
async def engine_at(url: str, settings: Settings = BRIEF) -> AsyncIterator[SearchEngine]:
    engine = SearchEngine(settings, [url])
    yield engine
    await engine.close()


async def test_a_closed_connection_is_retried_once() -> None:
    async with peer(hangs_up=True) as there, engine_at(there.url, Settings()) as engine:
        with pytest.raises(EngineUnavailableError):
            await engine.search(ANYTHING)
        assert there.calls == 2


async def test_a_hanging_request_is_not_retried_and_ends_at_the_deadline() -> None:
    async with peer(hangs_up=False) as there, engine_at(there.url) as engine:
        with pytest.raises(DeadlineError):
            await engine.search(ANYTHING)
        assert there.calls == 1


async def test_after_several_timeouts_only_a_probe_is_sent() -> None:
    async with peer(hangs_up=False) as there, engine_at(there.url) as engine:
        for _ in range(MAX_FAILURES):
            with pytest.raises(DeadlineError):
                await engine.search(ANYTHING)
        assert engine.is_unavailable
        for _ in range(20):
            with pytest.raises(EngineUnavailableError):
                await engine.fetch(["a"])
        assert there.calls == MAX_FAILURES
        await asyncio.sleep(PAUSE_SECONDS)
        results = await asyncio.gather(*(engine.search(ANYTHING) for _ in range(5)), return_exceptions=True)
        assert sorted(type(one).__name__ for one in results) == ["DeadlineError"] + ["EngineUnavailableError"] * 4
        assert there.calls == MAX_FAILURES + 1


async def test_a_request_without_time_left_is_not_a_failure_of_opensearch() -> None:
    async with peer(hangs_up=False) as there, engine_at(there.url) as engine:
        for seconds in (-1.0, 0.0, 0.01):
            for _ in range(MAX_FAILURES):
                with until(time.monotonic() + seconds), pytest.raises(DeadlineError):
                    await engine.search(ANYTHING)
        assert there.calls <= MAX_FAILURES
        assert not engine.is_unavailable


async def test_many_health_requests_cause_few_requests_to_opensearch() -> None:
    async with peer(hangs_up=True) as there:
        app = create_app(Settings(rate_limit=0, usage_months=0), [there.url])
        transport = httpx.ASGITransport(app=app)
        async with running(app), httpx.AsyncClient(transport=transport, base_url="http://service") as service:
            requests = [service.get(path) for path in ("/healthz", "/readyz") for _ in range(100)]
            answers = await asyncio.gather(*requests)
        assert {answer.status_code for answer in answers} == {200, 503}
        assert there.calls <= 20
