"""SIGTERM with requests in flight: /readyz reports it at once, no request is lost, the process ends."""

from __future__ import annotations

import asyncio
import signal

import httpx
import pytest

from api.models import Problem
from tests.support.load import Outcome, ask_until_refused
from tests.support.misbehaving_servers import peer
from tests.support.serving import ENDS, process

SETTINGS = {"AKG_DRAIN_SECONDS": "1", "AKG_RATE_LIMIT": "0", "AKG_USAGE_MONTHS": "0", "AKG_DEADLINE_SECONDS": "1.5"}
ROUNDS, CLIENTS = 2, 12


async def test_finishes_accepted_requests_and_then_ends() -> None:
    async with peer(hangs_up=False) as silent:
        with process({**SETTINGS, "AKG_OPENSEARCH_URL": silent.url}) as served:
            async with httpx.AsyncClient(base_url=served.url, timeout=ENDS) as client:
                await client.get("/openapi.json")
                under_way = [asyncio.create_task(client.get(f"/disability/{number}")) for number in range(5)]
                async with asyncio.timeout(ENDS):
                    while not silent.calls:  # noqa: ASYNC110 - the first are taken
                        await asyncio.sleep(0.01)
                served.process.send_signal(signal.SIGTERM)
                ready = await client.get("/readyz")
                assert ready.status_code == 503
                assert "shutting down" in Problem.model_validate_json(ready.content).detail
                still = await client.get("/openapi.json")
                assert (still.status_code, still.headers["connection"]) == (200, "close")
                answers = await asyncio.gather(*under_way)
                assert [answer.status_code for answer in answers] == [504] * 5
            assert await asyncio.to_thread(served.process.wait, ENDS) == 0


@pytest.mark.parametrize("round_", range(ROUNDS))
async def test_loses_no_accepted_request_under_load(node_url: str, service: httpx.AsyncClient, round_: int) -> None:
    assert service  # the world is published
    busy = {**SETTINGS, "AKG_OPENSEARCH_URL": node_url, "AKG_ALIAS": "akg-world", "AKG_DEADLINE_SECONDS": "10"}
    with process(busy) as served:
        outcome = Outcome()
        asking = asyncio.create_task(ask_until_refused(served.port, CLIENTS, outcome))
        await asyncio.wait_for(outcome.reaches(20 + 20 * round_), ENDS)
        served.process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(asking, ENDS)
        assert await asyncio.to_thread(served.process.wait, ENDS) == 0
    assert outcome.lost == []
    assert outcome.statuses.keys() <= {200, 503}
    assert outcome.statuses[200]
