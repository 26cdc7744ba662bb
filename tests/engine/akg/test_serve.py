"""`akg serve` at SIGTERM, with requests in flight: /readyz reports it, no request is lost, the process ends."""

import asyncio
import signal

import httpx
import pytest

from api.models import Problem
from tests.support.load import Outcome, send_until_refused
from tests.support.misbehaving_servers import peer
from tests.support.serving import SHUTDOWN_SECONDS, process

SETTINGS = {"AKG_DRAIN_SECONDS": "1", "AKG_RATE_LIMIT": "0", "AKG_USAGE_MONTHS": "0", "AKG_DEADLINE_SECONDS": "1.5"}
ROUNDS, CLIENTS = 2, 12


async def test_finishes_accepted_requests_before_it_exits() -> None:
    async with peer(hangs_up=False) as silent:
        with process({**SETTINGS, "AKG_OPENSEARCH_URL": silent.url}) as served:
            async with httpx.AsyncClient(base_url=served.url, timeout=SHUTDOWN_SECONDS) as client:
                await client.get("/openapi.json")
                in_flight = [asyncio.create_task(client.get(f"/disability/{number}")) for number in range(5)]
                async with asyncio.timeout(SHUTDOWN_SECONDS):
                    while not silent.calls:  # noqa: ASYNC110 - until the first requests arrive
                        await asyncio.sleep(0.01)
                served.process.send_signal(signal.SIGTERM)
                ready = await client.get("/readyz")
                assert ready.status_code == 503
                assert "shutting down" in Problem.model_validate_json(ready.content).detail
                still = await client.get("/openapi.json")
                assert (still.status_code, still.headers["connection"]) == (200, "close")
                responses = await asyncio.gather(*in_flight)
                assert [response.status_code for response in responses] == [504] * 5
            assert await asyncio.to_thread(served.process.wait, SHUTDOWN_SECONDS) == 0


@pytest.mark.parametrize("round_", range(ROUNDS))
async def test_loses_no_accepted_request_under_load(node_url: str, service: httpx.AsyncClient, round_: int) -> None:
    assert service  # the world is published
    busy = {**SETTINGS, "AKG_OPENSEARCH_URL": node_url, "AKG_ALIAS": "akg-world", "AKG_DEADLINE_SECONDS": "10"}
    with process(busy) as served:
        outcome = Outcome()
        sending = asyncio.create_task(send_until_refused(served.port, CLIENTS, outcome))
        await asyncio.wait_for(outcome.wait_for_responses(20 + 20 * round_), SHUTDOWN_SECONDS)
        served.process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(sending, SHUTDOWN_SECONDS)
        assert await asyncio.to_thread(served.process.wait, SHUTDOWN_SECONDS) == 0
    assert outcome.lost == []
    assert outcome.statuses.keys() <= {200, 503}
    assert outcome.statuses[200]


@pytest.mark.parametrize(
    ("settings", "warnings"),
    [
        ({}, [False, False]),
        ({"AKG_HOST": "localhost", "AKG_RATE_LIMIT": "0"}, [False, True]),
        ({"AKG_HOST": "0.0.0.0"}, [True, False]),  # noqa: S104 - it must be reachable to say so
    ],
)
def test_warns_of_an_address_without_a_proxy_and_of_no_rate_limit(
    settings: dict[str, str], warnings: list[bool]
) -> None:
    with process({"AKG_OPENSEARCH_URL": "http://127.0.0.1:9", "AKG_USAGE_MONTHS": "0", **settings}) as served:
        assert httpx.get(f"http://127.0.0.1:{served.port}/openapi.json", timeout=SHUTDOWN_SECONDS).status_code == 200
        output = " ".join(served.log.read_text("utf-8").split())
    assert ["Put a reverse proxy in front" in output, "AKG_RATE_LIMIT is 0" in output] == warnings
