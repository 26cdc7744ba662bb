"""How often one request of a caller asks the engine, counted by a server that stands before it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.support.fixture_graphs import WORLD, counted, publish, serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx
    from opensearchpy import OpenSearch

ADHD = "attention-deficit-hyperactivity-disorder"
ASKING = ("_search", "_msearch", "_mget")  # beside these the service only looks which release is live


@pytest.fixture(scope="module")
async def watched(node_url: str, client: OpenSearch) -> AsyncIterator[tuple[httpx.AsyncClient, list[str]]]:
    """The service over a world of its own, and the calls it made to the engine so far."""
    publish(client, "akg-counted", WORLD)
    async with counted(node_url) as (address, calls), serving(address, "akg-counted") as service:
        yield service, calls
    client.indices.delete(index="akg-counted-*")


@pytest.mark.parametrize(
    ("path", "status", "trips"),
    [
        (f"/disability/{ADHD}", 200, 1),
        ("/occupation/15-1252.00", 200, 1),
        ("/occupation/software-developers", 200, 2),
        ("/disability/add", 301, 2),
        ("/disability/nope", 404, 2),
        (f"/disability/{ADHD}/neighbors?edge=recommends", 200, 1),
        (f"/disability/{ADHD}/neighbors?edge=recommends&limit=500&offset=450", 200, 1),
        ("/occupation/software-developers/neighbors?edge=requires", 200, 2),
        ("/limitation/blind/neighbors?edge=recommends", 200, 2),
        ("/limitation/blind/neighbors?edge=sells", 422, 2),
        ("/solution/working-from-home/neighbors?edge=recommended_for", 301, 2),
        ("/solution/nope/neighbors?edge=recommended_for", 404, 2),
        ("/disability?ids=low-vision,nope,crohns-disease", 200, 1),
        ("/disability?ids=low-vision,add", 200, 2),
        ("/search?query=adhd", 200, 1),
        ("/search?query=qqzzqq&spelling=off", 200, 2),
        ("/search?query=qqzzqq", 200, 3),
        ("/search?query=low%20visoin", 200, 3),
        ("/search?query=low%20visoin&offset=20", 200, 5),
        ("/search?query=low%20visoin&offset=20&spelling=off", 200, 2),
        ("/connections?from=adhd&to=quiet%20works", 200, 3),
        ("/connections?from=15-1252.00&to=1.A.3.b.1&limit=20", 200, 3),
        ("/connections?from=brightline-access&to=quiet-works", 200, 2),
        ("/connections?from=adhd&to=adhd", 200, 1),
        ("/connections?from=add&to=adhd", 301, 1),
        ("/connections?from=nope&to=nil", 422, 2),
        ("/export", 200, 1),
        ("/export/edges.csv", 200, 2),
        ("/export/nope.csv", 404, 1),
        ("/related_conditions/multiple-sclerosis", 200, 1),
        ("/related_conditions/Multiple-Sclerosis", 200, 2),
        ("/related_conditions/nope", 404, 2),
    ],
)
async def test_an_answer_costs_few_engine_requests(
    watched: tuple[httpx.AsyncClient, list[str]], path: str, status: int, trips: int
) -> None:
    service, calls = watched
    before = len(calls)
    answer = await service.get(path)
    assert answer.status_code == status
    assert sum(call.endswith(ASKING) for call in calls[before:]) == trips


async def test_who_asks_at_the_same_time_shares_engine_requests(
    watched: tuple[httpx.AsyncClient, list[str]],
) -> None:
    service, calls = watched
    paths = [f"/disability/{ADHD}", "/disability/add", f"/disability/{ADHD}/neighbors?edge=recommends"]
    paths += [f"/disability/{name}" for name in ("nope", "low-vision", "crohns-disease", "multiple-sclerosis")]
    alone = [await service.get(path) for path in paths]
    before = len(calls)
    together = await asyncio.gather(*(service.get(f"{path}{'&' if '?' in path else '?'}n=1") for path in paths))
    assert [found.status_code for found in together] == [found.status_code for found in alone]
    shown = [{name: value for name, value in found.json().items() if name != "warnings"} for found in together]
    assert shown == [found.json() for found in alone]
    assert sum(call.endswith("_mget") for call in calls[before:]) < len(paths)
