"""What the service does with an address where nothing answers well: silence, slammed doors, too little time."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from peers import peer
from worlds import running

from api.app import create_app
from api.breaker import FAILURES, PAUSE
from api.deadline import until
from api.engine import Engine
from api.errors import DeadlineError, EngineAwayError
from api.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

BRIEF = Settings(deadline_seconds=0.05, rate_limit=0, usage_months=0)
ANYTHING: dict[str, Any] = {"query": {"match_all": {}}}


@asynccontextmanager
async def engine_at(url: str, settings: Settings = BRIEF) -> AsyncIterator[Engine]:
    engine = Engine(settings, [url])
    yield engine
    await engine.close()


async def test_a_slammed_door_is_tried_once_more_and_no_further() -> None:
    async with peer(hangs_up=True) as there, engine_at(there.url, Settings()) as engine:
        with pytest.raises(EngineAwayError):
            await engine.search(ANYTHING)
        assert there.calls == 2


async def test_silence_is_waited_for_once_and_only_to_the_deadline() -> None:
    async with peer(hangs_up=False) as there, engine_at(there.url) as engine:
        with pytest.raises(DeadlineError):
            await engine.search(ANYTHING)
        assert there.calls == 1


async def test_after_some_silence_nothing_is_asked_but_a_probe() -> None:
    async with peer(hangs_up=False) as there, engine_at(there.url) as engine:
        for _ in range(FAILURES):
            with pytest.raises(DeadlineError):
                await engine.search(ANYTHING)
        assert engine.away
        for _ in range(20):
            with pytest.raises(EngineAwayError):
                await engine.fetch(["a"])
        assert there.calls == FAILURES
        await asyncio.sleep(PAUSE)
        results = await asyncio.gather(*(engine.search(ANYTHING) for _ in range(5)), return_exceptions=True)
        assert sorted(type(one).__name__ for one in results) == ["DeadlineError"] + ["EngineAwayError"] * 4
        assert there.calls == FAILURES + 1


async def test_a_request_without_time_left_asks_nothing_and_blames_nobody() -> None:
    async with peer(hangs_up=False) as there, engine_at(there.url) as engine:
        for seconds in (-1.0, 0.0, 0.01):
            for _ in range(FAILURES):
                with until(time.monotonic() + seconds), pytest.raises(DeadlineError):
                    await engine.search(ANYTHING)
        assert there.calls <= FAILURES
        assert not engine.away


async def test_however_often_its_health_is_asked_for_the_engine_is_asked_seldom() -> None:
    async with peer(hangs_up=True) as there:
        app = create_app(Settings(rate_limit=0, usage_months=0), [there.url])
        transport = httpx.ASGITransport(app=app)
        async with running(app), httpx.AsyncClient(transport=transport, base_url="http://service") as service:
            asked = [service.get(path) for path in ("/healthz", "/readyz") for _ in range(100)]
            answers = await asyncio.gather(*asked)
        assert {answer.status_code for answer in answers} == {200, 503}
        assert there.calls <= 20
