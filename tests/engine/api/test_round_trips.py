"""The number of requests to OpenSearch per client request."""

import asyncio

import pytest

from tests.support.fixture_graphs import WatchedService

ADHD = "attention-deficit-hyperactivity-disorder"


@pytest.mark.parametrize(
    ("path", "status", "trips"),
    [
        (f"/disability/{ADHD}", 200, 1),
        ("/disability/relapsing-remitting-multiple-sclerosis", 200, 1),
        ("/occupation/15-1252.00", 200, 1),
        ("/occupation/software-developers", 200, 2),
        ("/disability/add", 301, 2),
        ("/disability/nope", 404, 2),
        (f"/disability/{ADHD}/neighbors?edge=recommends", 200, 1),
        (f"/disability/{ADHD}/neighbors?edge=recommends&limit=500&offset=450", 200, 1),
        ("/occupation/software-developers/neighbors?edge=requires", 200, 2),
        ("/limitation/blind/neighbors?edge=recommends", 200, 2),
        ("/limitation/blind/neighbors?edge=sells", 200, 2),
        ("/limitation/blind/neighbors?edge=sell", 422, 2),
        ("/disability/relapsing-remitting-multiple-sclerosis/neighbors?edge=recommends", 200, 2),
        ("/disability/relapsing-remitting-multiple-sclerosis/neighbors?edge=recommends&sort=name", 200, 1),
        ("/disability/relapsing-remitting-multiple-sclerosis/neighbors?edge=recommends&query=lamp", 200, 2),
        (f"/disability/{ADHD}/neighbors?edge=recommends&min_weight=0.1", 200, 1),
        ("/occupation/software-developers/neighbors?edge=requires&sort=name", 200, 2),
        (f"/solution?linked_to=disability:{ADHD}&linked_to=memory-loss", 200, 2),
        ("/solution/working-from-home/neighbors?edge=recommended_for", 301, 2),
        ("/solution/nope/neighbors?edge=recommended_for", 404, 2),
        ("/disability?ids=low-vision,nope,crohns-disease", 200, 1),
        ("/disability?ids=low-vision,add", 200, 1),
        ("/search?query=adhd", 200, 1),
        ("/search?query=adhd&scope=solution", 200, 3),  # for all types, in the scope, and what follows few hits
        ("/search?query=qqzzqq&spelling=off", 200, 3),
        ("/search?query=qqzzqq", 200, 3),
        ("/search?query=headset%20zebra", 200, 3),  # a response without hits is repeated on its release by name
        ("/search?query=blue%20headset%20zebra", 200, 3),
        ("/search?query=low%20visoin", 200, 4),
        ("/search?query=low%20visoin&offset=20", 200, 4),
        ("/search?query=low%20visoin&offset=20&spelling=off", 200, 3),
        ("/connections?from=adhd&to=quiet%20works", 200, 3),
        ("/connections?from=15-1252.00&to=1.A.3.b.1&limit=20", 200, 3),
        ("/connections?from=brightline-access&to=quiet-works", 200, 2),
        ("/connections?from=adhd&to=adhd", 200, 1),
        ("/connections?from=add&to=adhd", 200, 1),
        ("/connections?from=nope&to=nil", 422, 2),
        ("/export", 200, 1),
        ("/export/edges.csv", 200, 2),
        ("/export/nope.csv", 404, 1),
        ("/related_conditions/multiple-sclerosis", 200, 2),
        ("/related_conditions/Multiple-Sclerosis", 200, 2),
        ("/related_conditions/relapsing-remitting-multiple-sclerosis", 200, 2),
        ("/related_conditions/adhd", 200, 2),
        ("/related_conditions/nope", 404, 2),
    ],
)
async def test_a_request_needs_few_requests_to_opensearch(
    watched: WatchedService, path: str, status: int, trips: int
) -> None:
    # What many responses share is read on first use. Another parameter bypasses the cache of responses.
    await watched.client.get(f"{path}{'&' if '?' in path else '?'}first=use")
    before = watched.reads
    assert (await watched.client.get(path)).status_code == status
    assert watched.reads - before == trips


async def test_concurrent_requests_share_requests_to_opensearch(watched: WatchedService) -> None:
    service = watched.client
    paths = [f"/disability/{ADHD}", "/disability/add", f"/disability/{ADHD}/neighbors?edge=recommends"]
    paths += [f"/disability/{name}" for name in ("nope", "low-vision", "crohns-disease", "multiple-sclerosis")]
    alone = [await service.get(path) for path in paths]
    before = len(watched.calls)
    together = await asyncio.gather(*(service.get(f"{path}{'&' if '?' in path else '?'}n=1") for path in paths))
    assert [found.status_code for found in together] == [found.status_code for found in alone]
    differing = {"warnings", "location"}  # of the parameter that makes the requests different from the first ones
    alone_bodies, bodies = (
        [{name: value for name, value in found.json().items() if name not in differing} for found in responses]
        for responses in (alone, together)
    )
    assert bodies == alone_bodies
    assert sum(call.endswith("_mget") for call in watched.calls[before:]) < len(paths)
