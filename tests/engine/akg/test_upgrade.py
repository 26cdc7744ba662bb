"""Services of two formats answer side by side, without a failed request, while one replaces the other."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import httpx
from opensearchpy import OpenSearch

from api.settings import Settings
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from tests.support.fixture_graphs import TEST_SETTINGS, WORLD, plan_of, serving, serving_with

ALIAS = "akg-upgrade"
START = datetime(2026, 1, 1, tzinfo=UTC)
EARLIER, LATER = "earlier", "later"
PATHS = (
    "/search?query=telework",
    "/solution/telework",
    "/related_conditions/multiple-sclerosis",
    "/export/edges.csv",
    "/graph",
)
ROUNDS = 3  # to wait for after each step


class EarlierSettings(Settings):
    """The settings of a version that reads another format."""

    format_version: ClassVar[int] = 0


EARLIER_SETTINGS = EarlierSettings(**TEST_SETTINGS, alias=ALIAS, allowed_hosts=("service",), rate_limit=0)


@dataclass(slots=True)
class LoadBalancer:
    """Sends every path to every service in rotation, round after round, and counts the responses by status."""

    rotation: dict[str, httpx.AsyncClient] = field(default_factory=dict)
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    rounds: int = 0

    async def send_requests(self) -> None:
        """Send requests until the task is cancelled."""
        while True:
            for path in PATHS:
                for name, service in tuple(self.rotation.items()):
                    response = await service.get(path)
                    self.statuses[name, response.status_code] += 1
            self.rounds += 1
            await asyncio.sleep(0.01)

    async def wait_for_rounds(self) -> None:
        """Wait until the services in rotation, and no others, have answered some more rounds."""
        enough = self.rounds + ROUNDS
        while self.rounds < enough:  # noqa: ASYNC110 - some seconds of real load
            await asyncio.sleep(0.01)


@asynccontextmanager
async def load_balancer() -> AsyncIterator[LoadBalancer]:
    balancer = LoadBalancer()
    async with asyncio.TaskGroup() as group:  # an exception of a request ends the test
        requests = group.create_task(balancer.send_requests())
        yield balancer
        requests.cancel()


async def publish(releases: Releases, hours: int) -> str:
    moment = START + timedelta(hours=hours)
    return await asyncio.to_thread(lambda: publish_release(releases, plan_of(WORLD), moment, lambda _: None))


async def released(service: httpx.AsyncClient) -> str:
    response = await service.get("/readyz")
    assert response.status_code == httpx.codes.OK, response.text
    return str(response.json()["provenance"]["released"])


async def operate(releases: Releases, service: httpx.AsyncClient, hours: int) -> None:
    """Publish two releases, roll back and prune; the service follows."""
    second, third = await publish(releases, hours), await publish(releases, hours + 1)
    assert await asyncio.to_thread(releases.rollback, second) == second
    assert await released(service) == releases.metadata(second)["released"]
    assert await asyncio.to_thread(releases.prune) == [third]  # it equals the live release, as the first did
    assert releases.live_indices() == [second]


async def test_an_upgrade_and_its_rollback_lose_no_request(client: OpenSearch, node_url: str) -> None:
    earlier, later = Releases(client, ALIAS, format_version=0), Releases(client, ALIAS)
    await publish(earlier, 0)
    async with load_balancer() as balancer, serving(node_url, ALIAS) as new:
        async with serving_with(EARLIER_SETTINGS, node_url) as old:
            balancer.rotation[EARLIER] = old
            waiting = await new.get("/readyz")
            assert waiting.status_code == httpx.codes.SERVICE_UNAVAILABLE
            assert (
                "reads releases of format 5, and OpenSearch has only releases of format 0" in waiting.json()["detail"]
            )
            await balancer.wait_for_rounds()

            await publish(later, 10)
            assert await released(new) == "2026-01-01T10:00:00Z"
            assert await released(old) == "2026-01-01T00:00:00Z"
            balancer.rotation[LATER] = new
            await balancer.wait_for_rounds()

            await operate(later, new, 11)
            assert await released(old) == "2026-01-01T00:00:00Z"
            await operate(earlier, old, 1)
            assert await released(new) == "2026-01-01T11:00:00Z"
            await balancer.wait_for_rounds()

            del balancer.rotation[EARLIER]  # the roll of the service ends
            await balancer.wait_for_rounds()
        async with serving_with(EARLIER_SETTINGS, node_url) as old:  # and is rolled back
            assert await released(old) == "2026-01-01T01:00:00Z"
            balancer.rotation[EARLIER] = old
            await balancer.wait_for_rounds()
            del balancer.rotation[LATER]
            await balancer.wait_for_rounds()
            balancer.rotation.clear()
            await balancer.wait_for_rounds()
    assert set(balancer.statuses) == {(EARLIER, httpx.codes.OK), (LATER, httpx.codes.OK)}
    client.indices.delete(index=f"{ALIAS}-*")
