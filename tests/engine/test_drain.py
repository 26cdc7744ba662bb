"""SIGTERM while requests are under way: said at once, nothing lost, and then gone."""

from __future__ import annotations

import asyncio
import signal

import httpx
import pytest
from load import Outcome, ask_until_refused
from peers import peer
from serving import ENDS, process

from api.models import Problem

SETTINGS = {"AKG_DRAIN_SECONDS": "1", "AKG_RATE_LIMIT": "0", "AKG_USAGE_MONTHS": "0", "AKG_DEADLINE_SECONDS": "1.5"}
ROUNDS, CLIENTS = 2, 12


async def test_what_was_taken_is_answered_and_then_the_process_ends() -> None:
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
                assert "about to end" in Problem.model_validate_json(ready.content).detail
                still = await client.get("/openapi.json")
                assert (still.status_code, still.headers["connection"]) == (200, "close")
                answers = await asyncio.gather(*under_way)
                assert [answer.status_code for answer in answers] == [504] * 5
            assert await asyncio.to_thread(served.process.wait, ENDS) == 0


@pytest.mark.parametrize("round_", range(ROUNDS))
async def test_under_load_no_request_that_was_taken_is_lost(
    node_url: str, service: httpx.AsyncClient, round_: int
) -> None:
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
