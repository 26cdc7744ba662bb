"""A release is published whole or not at all, whatever happens on the way."""

from __future__ import annotations

import dataclasses
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from worlds import CHECKOUT, MAPPINGS, WORLD, index_body, plan_of, serving

from indexer.lock import LockedError, writer
from indexer.plan import make_plan
from indexer.release import ReleaseError, Releases
from indexer.rows import Content, Entity, Link, Source
from indexer.verify import Expected
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opensearchpy import OpenSearch

START = datetime(2026, 1, 1, tzinfo=UTC)
HUB = 25_000  # far more than the 10,000 nested objects that one document may hold


def nothing(_: int) -> None:
    """Note no progress."""


@pytest.fixture
def desk(client: OpenSearch, request: pytest.FixtureRequest) -> Iterator[Releases]:
    """Releases behind an alias of this test's own, with one published."""
    releases = Releases(client, f"akg-{abs(hash(request.node.name)) % 10**9}")
    releases.build(plan_of(WORLD), START, nothing)
    yield releases
    client.indices.delete(index=f"{releases.alias}-*")


def indices(desk: Releases) -> list[str]:
    return sorted(desk.client.indices.get(index=f"{desk.alias}-*"))


def test_a_release_is_stamped_protected_and_alone_behind_the_alias(desk: Releases) -> None:
    (live,) = desk.live_indices()
    assert live == f"{desk.alias}-20260101t000000z"
    meta = desk.live_meta()
    assert meta is not None
    assert meta["complete"] is True
    assert meta["counts"]["types"]["disability"] > 0
    settings = desk.client.indices.get_settings(index=live)[live]["settings"]["index"]
    assert settings["blocks"]["write"] == "true"


def test_an_index_that_is_not_what_was_meant_is_never_published(desk: Releases) -> None:
    before = desk.live_indices(), indices(desk)
    plan = plan_of(WORLD)
    more = {**plan.expected.types, "disability": 99}
    wrong = dataclasses.replace(plan, expected=dataclasses.replace(plan.expected, types=more))
    with pytest.raises(ReleaseError, match="disability: 8 entities in the index, 99 in the graph"):
        desk.build(wrong, START + timedelta(seconds=1), nothing)
    assert (desk.live_indices(), indices(desk)) == before


def test_an_entity_without_its_record_is_found(desk: Releases) -> None:
    plan = plan_of(WORLD)
    written = [one for one in plan.documents if one[0] != "solution:telework/record"]
    entities = sum(plan.expected.types.values())
    with pytest.raises(ReleaseError, match=f"{entities - 1} records in the index, {entities} entities in the graph"):
        desk.build(dataclasses.replace(plan, documents=written), START + timedelta(seconds=1), nothing)


def test_a_release_is_one_segment_without_what_was_deleted(desk: Releases) -> None:
    (live,) = desk.live_indices()
    (shard,) = desk.client.indices.segments(index=live)["indices"][live]["shards"]["0"]
    assert [segment["deleted_docs"] for segment in shard["segments"].values()] == [0]


def test_an_edge_without_its_other_end_is_found(desk: Releases) -> None:
    plan = plan_of(WORLD)

    def torn() -> Iterator[tuple[str, dict[str, Any]]]:
        for key, body in plan.documents:
            yield key, {**body, "targets": body["targets"][:-1]} if body.get("edge") == "sells" else body

    with pytest.raises(ReleaseError, match="sold_by: not every edge has its inverse sells"):
        desk.build(dataclasses.replace(plan, documents=torn()), START + timedelta(seconds=1), nothing)


def test_a_refused_document_stops_the_build(desk: Releases) -> None:
    before = desk.live_indices(), indices(desk)
    plan = dataclasses.replace(plan_of(WORLD), documents=iter([("x", {"doc": "entity", "surprise": 1})]))
    with pytest.raises(ReleaseError, match="refused a document"):
        desk.build(plan, START + timedelta(seconds=1), nothing)
    assert (desk.live_indices(), indices(desk)) == before


def test_an_interrupted_build_leaves_nothing(desk: Releases) -> None:
    before = desk.live_indices(), indices(desk)

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        desk.build(plan_of(WORLD), START + timedelta(seconds=1), interrupt)
    assert (desk.live_indices(), indices(desk)) == before


KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from opensearchpy import OpenSearch
from indexer.lock import writer
from indexer.release import Releases
sys.path.insert(0, "tests/engine")
from worlds import WORLD, plan_of
desk = Releases(OpenSearch(hosts=[sys.argv[1]]), sys.argv[2])
with writer(desk.client, desk.alias):
    desk.build(plan_of(WORLD), datetime(2026, 1, 2, tzinfo=UTC), lambda _: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_a_killed_build_is_cleared_by_the_next_one(desk: Releases, node_url: str) -> None:
    live = desk.live_indices()
    command = [sys.executable, "-c", KILLED, node_url, desk.alias]
    ended = subprocess.run(command, cwd=CHECKOUT, check=False, timeout=120)  # noqa: S603 - this Python, this text
    assert ended.returncode == -signal.SIGKILL
    remains = f"{desk.alias}-20260102t000000z"
    assert desk.live_indices() == live
    assert remains in indices(desk)
    assert remains not in {release.index for release in desk.complete()}
    with writer(desk.client, desk.alias):  # the dead process's claim does not stand in the way
        newer = desk.build(plan_of(WORLD), START + timedelta(days=2), nothing)
    assert indices(desk) == [*live, newer]
    assert desk.live_indices() == [newer]


def test_of_two_builds_at_once_the_second_refuses(client: OpenSearch) -> None:
    with writer(client, "akg-twice"):
        with pytest.raises(LockedError, match="Another build is running: process"), writer(client, "akg-twice"):
            pass
        with writer(client, "akg-elsewhere"):
            pass
    with writer(client, "akg-twice"):
        pass


def test_a_claim_from_another_machine_ends_by_itself(client: OpenSearch) -> None:
    now = datetime.now(UTC).timestamp()
    far = {"host": "elsewhere", "pid": 1, "started": 0.0, "taken": 1, "expires": now + 60}
    client.index(index="akg-control", id="writer-akg-far", body={"holder": far})
    with pytest.raises(LockedError, match="process 1 on elsewhere"), writer(client, "akg-far"):
        pass
    with writer(client, "akg-far", clock=lambda: now + 61):
        pass


def test_a_slow_clock_does_not_change_the_order_of_releases(desk: Releases) -> None:
    (first,) = desk.live_indices()
    second = desk.build(plan_of(WORLD), START - timedelta(hours=1), nothing)
    assert second == f"{desk.alias}-20260101t000001z"
    assert [one.index for one in desk.complete()] == [second, first]
    assert desk.complete()[0].released == "2025-12-31T23:00:00Z"
    assert desk.rollback() == first


def test_rollback_and_prune(desk: Releases) -> None:
    built = [*desk.live_indices()]
    built += [desk.build(plan_of(WORLD), START + timedelta(hours=hour), nothing) for hour in (1, 2, 3)]
    assert indices(desk) == built[1:]  # the live one and two more are kept
    assert desk.rollback() == built[2]
    assert desk.live_indices() == [built[2]]
    assert desk.rollback(built[3]) == built[3]
    with pytest.raises(ReleaseError, match=f"not a complete release. Complete releases: {built[3]}, {built[2]}"):
        desk.rollback("akg-entities-nope")
    assert desk.prune(keep=0) == [built[2], built[1]]
    with pytest.raises(ReleaseError, match="no earlier complete release"):
        desk.rollback()
    assert desk.live_indices() == [built[3]]


def hub_content() -> tuple[Content, list[str]]:
    """One solution with more products than one document may hold nested, and their ids in the order of its edges."""
    source = ("s",)
    products = [
        Entity(f"product:p-{n}", "product", f"p-{n}", f"P {n % 5_000}", "", "", "", source, {"family": "assistive"})
        for n in range(HUB)  # each name five times
    ]
    weights = {product.id: (1 + n % 7) / 10 for n, product in enumerate(products)}
    solution = Entity("solution:hub", "solution", "hub", "Hub", "A hub.", "", "", source)
    content = Content(
        sources=(Source("s", "S", "S", "", "CC0-1.0", "From S.", ""),),
        entities=(solution, *products),
        aliases=(),
        links=tuple(Link("implemented_by", solution.id, one.id, "source", source, weights[one.id]) for one in products),
        recommendations=(),
        ratings=(),
        related_occupations=(),
        redirects={},
        version="1+0",
    )
    ordered = sorted(products, key=lambda one: (-weights[one.id], one.name.casefold(), one.id))
    return content, [one.id for one in ordered]


async def test_a_hub_of_any_size_pages_completely(client: OpenSearch, node_url: str) -> None:
    content, ordered = hub_content()
    plan, _ = make_plan(content, read_vocabulary(MAPPINGS), index_body(), [])
    told = ("solution:", "export")  # the documents of the 25,000 others say nothing
    hub = ((key, body) for key, body in plan.documents if key.startswith(told))
    expected = Expected({"solution": 1}, {"implemented_by": HUB}, {"solution:hub": "Hub"}, {})
    Releases(client, "akg-hub").build(dataclasses.replace(plan, documents=hub, expected=expected), START, nothing)
    seen: list[str] = []
    async with serving(node_url, "akg-hub") as service:
        link: str | None = "/solution/hub/neighbors?edge=implemented_by&limit=499"
        while link:
            page = (await service.get(link)).json()
            seen += [item["id"] for item in page["results"]]
            assert page["total"] == HUB
            link = page["next"]
        record = (await service.get("/solution/hub")).json()
        across = (await service.get("/solution/hub/neighbors?edge=implemented_by&limit=3&offset=24998")).json()
    assert seen == ordered
    assert [item["id"] for item in across["results"]] == ordered[-2:]
    assert (across["next"], record["edges"][0]["total"]) == (None, HUB)
    client.indices.delete(index="akg-hub-*")
