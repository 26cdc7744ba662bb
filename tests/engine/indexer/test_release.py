"""A release is published completely or not at all, whatever interrupts the build."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from opensearchpy import ConnectionTimeout, OpenSearch

from indexer.content.rows import Content, Entity, Link, Source
from indexer.release.plan import ReleasePlan, make_plan
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from indexer.release.stored_releases import ReleaseError
from indexer.release.verify import Expected, verify
from indexer.release.writer_lease import writer_lease
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import CHECKOUT, MAPPINGS, WORLD, index_body, plan_of, serving

START = datetime(2026, 1, 1, tzinfo=UTC)
LATER = START + timedelta(seconds=1)
HUB = 25_000  # far more than the 10,000 nested objects that one document may hold


def ignore_progress(_: int) -> None:
    pass


@pytest.fixture
def releases(client: OpenSearch, request: pytest.FixtureRequest) -> Iterator[Releases]:
    releases = Releases(client, f"akg-{abs(hash(request.node.name)) % 10**9}")
    publish_release(releases, plan_of(WORLD), START, ignore_progress)
    yield releases
    client.indices.delete(index=f"{releases.alias}-*")


def indices(releases: Releases) -> list[str]:
    return sorted(releases.client.indices.get(index=f"{releases.alias}-*"))


def test_a_release_is_write_protected_and_the_only_index_of_its_alias(releases: Releases) -> None:
    (live,) = releases.live_indices()
    assert live == f"{releases.index_alias}-20260101t000000z"
    meta = releases.live_metadata()
    assert meta is not None
    assert meta["complete"] is True
    assert meta["counts"]["types"]["disability"] > 0
    settings = releases.client.indices.get_settings(index=live)[live]["settings"]["index"]
    assert settings["blocks"]["write"] == "true"


def test_never_publishes_an_index_that_fails_verification(releases: Releases) -> None:
    before = releases.live_indices(), indices(releases)
    plan = plan_of(WORLD)
    more = {**plan.expected.types, "disability": 99}
    wrong = replace(plan, expected=replace(plan.expected, types=more))
    with pytest.raises(ReleaseError, match="disability: 8 entities in the index, 99 in the graph"):
        publish_release(releases, wrong, LATER, ignore_progress)
    assert (releases.live_indices(), indices(releases)) == before


def test_detects_a_missing_entity(releases: Releases) -> None:
    plan = plan_of(WORLD)
    documents = [document for document in plan.documents if document[0] != "solution:telework"]
    count = plan.expected.types["solution"]
    with pytest.raises(ReleaseError, match=f"solution: {count - 1} entities in the index, {count} in the graph"):
        publish_release(releases, replace(plan, documents=documents), LATER, ignore_progress)


def test_a_release_is_one_segment_without_deleted_documents(releases: Releases) -> None:
    (live,) = releases.live_indices()
    (shard,) = releases.client.indices.segments(index=live)["indices"][live]["shards"]["0"]
    assert [segment["deleted_docs"] for segment in shard["segments"].values()] == [0]


def test_detects_an_edge_without_its_inverse(releases: Releases) -> None:
    plan = plan_of(WORLD)

    def truncated_pages() -> Iterator[tuple[str, dict[str, Any]]]:
        for key, body in plan.documents:
            yield key, {**body, "edges": body["edges"][:-1]} if body.get("edge") == "sells" else body

    with pytest.raises(ReleaseError, match="sold_by: some edges have no inverse sells"):
        publish_release(releases, replace(plan, documents=truncated_pages()), LATER, ignore_progress)


def test_a_rejected_document_stops_the_build(releases: Releases) -> None:
    before = releases.live_indices(), indices(releases)
    plan = replace(plan_of(WORLD), documents=iter([("x", {"doc": "entity", "surprise": 1})]))
    with pytest.raises(ReleaseError, match="OpenSearch rejected a document"):
        publish_release(releases, plan, LATER, ignore_progress)
    assert (releases.live_indices(), indices(releases)) == before


def test_an_interrupted_build_leaves_no_index(releases: Releases) -> None:
    before = releases.live_indices(), indices(releases)

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish_release(releases, plan_of(WORLD), LATER, interrupt)
    assert (releases.live_indices(), indices(releases)) == before


KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from opensearchpy import OpenSearch
from indexer.release.writer_lease import writer_lease
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
sys.path.insert(0, ".")
from tests.support.fixture_graphs import WORLD, plan_of
releases = Releases(OpenSearch(hosts=[sys.argv[1]]), sys.argv[2])
with writer_lease(releases.client, releases.index_alias, print):
    kill = lambda _: os.kill(os.getpid(), signal.SIGKILL)
    publish_release(releases, plan_of(WORLD), datetime(2026, 1, 2, tzinfo=UTC), kill)
"""


def test_a_build_deletes_the_remains_of_a_killed_one(releases: Releases, node_url: str) -> None:
    live = releases.live_indices()
    command = [sys.executable, "-c", KILLED, node_url, releases.alias]
    process = subprocess.run(command, cwd=CHECKOUT, check=False, timeout=120)  # noqa: S603 - this Python, this text
    assert process.returncode == -signal.SIGKILL
    leftover = f"{releases.index_alias}-20260102t000000z"
    assert releases.live_indices() == live
    assert leftover in indices(releases)
    assert leftover not in {release.index for release in releases.complete_releases()}
    with writer_lease(releases.client, releases.index_alias, print):  # the lease of a dead process is free
        newer = publish_release(releases, plan_of(WORLD), START + timedelta(days=2), ignore_progress)
    assert indices(releases) == [*live, newer]
    assert releases.live_indices() == [newer]


def test_a_slow_clock_keeps_the_order_of_releases(releases: Releases) -> None:
    (first,) = releases.live_indices()
    second = publish_release(releases, plan_with_version(2), START - timedelta(hours=1), ignore_progress)
    assert second == f"{releases.index_alias}-20260101t000001z"
    assert [release.index for release in releases.complete_releases()] == [second, first]
    assert releases.complete_releases()[0].released == "2025-12-31T23:00:00Z"
    assert releases.rollback() == first


def plan_with_version(number: int) -> ReleasePlan:
    """Return the plan of the test world as if its tables were of another version."""
    plan = plan_of(WORLD)
    return replace(plan, meta={**plan.meta, "data_version": f"2026.01.0{number}-x"})


def test_rolls_back_and_prunes(releases: Releases) -> None:
    built = releases.live_indices()
    for hours in (1, 2, 3):
        built.append(
            publish_release(releases, plan_with_version(hours), START + timedelta(hours=hours), ignore_progress)
        )
    assert indices(releases) == built[1:]  # keeps the live one and two more
    assert releases.rollback() == built[2]
    assert releases.live_indices() == [built[2]]
    assert releases.rollback(built[3]) == built[3]
    with pytest.raises(
        ReleaseError, match=f"not a complete release. Nearest: .* Complete releases: {built[3]}, {built[2]}"
    ):
        releases.rollback("akg-entities-nope")
    equal = publish_release(releases, plan_with_version(3), START + timedelta(hours=4), ignore_progress)
    assert indices(releases) == [*built[1:], equal]  # the one that it replaced does not count
    assert releases.prune(keep=0) == [built[3], built[1]]
    assert releases.rollback() == built[2]
    assert releases.prune() == []
    releases.rollback(equal)
    assert indices(releases) == [built[2], equal]


def test_a_release_that_equals_the_live_one_is_no_earlier_release(releases: Releases) -> None:
    first, second = releases.live_indices()[0], publish_release(releases, plan_of(WORLD), LATER, ignore_progress)
    with pytest.raises(ReleaseError, match="no earlier complete release"):
        releases.rollback()
    assert releases.live_indices() == [second]
    assert releases.prune() == [first]


def failing(
    client: OpenSearch,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    *,
    after: str = "",
    lost: bool = False,
    times: int = 1_000,
) -> None:
    """Let each request whose path ends like this time out: unsent, or executed with its response `lost`.

    `after` is the end of the path of a request that comes first.
    """
    perform = client.transport.perform_request
    begun, failures = not after, 0

    def perform_request(method: str, url: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passed on
        nonlocal begun, failures
        begun = begun or url.endswith(after)
        if not begun or not url.endswith(path) or failures == times:
            return perform(method, url, *args, **kwargs)
        failures += 1
        if lost:
            perform(method, url, *args, **kwargs)
        raise ConnectionTimeout("TIMEOUT", path, TimeoutError())

    monkeypatch.setattr(client.transport, "perform_request", perform_request)


def test_a_build_that_fails_at_the_alias_leaves_no_index(releases: Releases, monkeypatch: pytest.MonkeyPatch) -> None:
    before = releases.live_indices(), indices(releases)
    with monkeypatch.context() as patch:
        failing(releases.client, patch, "/_aliases", times=1)  # deletions are requests of this path, too
        with pytest.raises(ConnectionTimeout):
            publish_release(releases, plan_with_version(2), LATER, ignore_progress)
    assert (releases.live_indices(), indices(releases)) == before


def test_a_build_is_published_if_only_the_response_is_lost(releases: Releases, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        failing(releases.client, patch, "/_aliases", lost=True)
        index = publish_release(releases, plan_with_version(2), LATER, ignore_progress)
    assert releases.live_indices() == [index]
    meta = releases.live_metadata()
    assert meta is not None
    assert meta["was_live"] is True


@pytest.mark.parametrize("lost", [False, True])
def test_a_deletion_is_sent_again_if_it_got_no_response(
    releases: Releases, monkeypatch: pytest.MonkeyPatch, *, lost: bool
) -> None:
    (first,) = releases.live_indices()
    second = publish_release(releases, plan_of(WORLD), LATER, ignore_progress)
    with monkeypatch.context() as patch:
        failing(releases.client, patch, "/_aliases", times=1, lost=lost)
        assert releases.prune(0) == [first]
    assert indices(releases) == [second]


def test_a_release_is_deleted_later_while_a_snapshot_copies_it(
    releases: Releases, caplog: pytest.LogCaptureFixture
) -> None:
    client, (first,) = releases.client, releases.live_indices()
    second = publish_release(releases, plan_of(WORLD), LATER, ignore_progress)
    slow = {"type": "fs", "settings": {"location": "slow", "max_snapshot_bytes_per_sec": "1kb"}}
    client.snapshot.create_repository(repository="slow", body=slow)
    client.snapshot.create(repository="slow", snapshot="copy", body={"indices": first})
    assert releases.prune(0) == []
    assert "is not deleted, because a snapshot of it is being taken" in caplog.text
    client.snapshot.delete(repository="slow", snapshot="copy")
    assert releases.prune(0) == [first]
    assert indices(releases) == [second]


def test_a_release_that_never_was_live_is_no_earlier_release(
    releases: Releases, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = releases.live_indices()
    with monkeypatch.context() as patch:
        failing(releases.client, patch, "/_aliases")
        failing(releases.client, patch, "/_cluster/health", after="/_aliases")
        with pytest.raises(ConnectionTimeout):  # and nobody knows whether the alias will still move
            publish_release(releases, plan_with_version(2), LATER, ignore_progress)
    assert len(indices(releases)) == 1 + 1
    third = publish_release(releases, plan_with_version(3), START + timedelta(hours=1), ignore_progress)
    assert indices(releases) == [first, third]
    assert releases.rollback() == first


def test_what_fails_after_the_publication_is_a_warning(
    releases: Releases, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as patch:
        failing(releases.client, patch, "/_stats/store")
        index = publish_release(releases, plan_with_version(2), LATER, ignore_progress)
    assert releases.live_indices() == [index]
    assert "The new release is live. Old ones were not deleted: run `akg index prune`." in caplog.text


def test_deletes_no_release_of_a_graph_that_is_named_like_staging_indices(
    client: OpenSearch, releases: Releases
) -> None:
    other = f"{releases.index_alias}-aside-{START:%Y%m%dt%H%M%Sz}"
    further = f"{releases.index_alias}-aside-f5-{START:%Y%m%dt%H%M%Sz}"
    client.indices.create(index=other, body={"aliases": {f"{releases.index_alias}-aside": {}}})
    client.indices.create(index=further)
    before = indices(releases)
    assert releases.delete_leftovers() == []
    assert indices(releases) == before


def test_an_index_with_an_impossible_time_stops_no_build(releases: Releases) -> None:
    releases.client.indices.create(index=f"{releases.index_alias}-99999999t999999z")
    assert releases.new_name(LATER) == f"{releases.index_alias}-20260101t000001z"


def hub_content() -> tuple[Content, list[str]]:
    """Return a solution with more products than a document may have nested objects, and their ids in edge order."""
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
        links=tuple(
            Link("implemented_by", solution.id, product.id, "source", source, weights[product.id])
            for product in products
        ),
        recommendations=(),
        ratings=(),
        related_occupations=(),
        redirects={},
        version="1+0",
    )
    ordered = sorted(products, key=lambda product: (-weights[product.id], product.name.casefold(), product.id))
    return content, [product.id for product in ordered]


def test_entities_may_share_a_name_or_have_one_without_words(client: OpenSearch) -> None:
    content, _ = hub_content()
    solution, *products = content.entities[:14]
    twins = tuple(product._replace(name="Twin Lens" if number else "+++") for number, product in enumerate(products))
    linked = {product.id for product in twins}
    links = tuple(link for link in content.links if link.target in linked)
    nameless = solution._replace(name="+++")  # the only one of its type, so a search for its name must find it
    small = replace(content, entities=(nameless, *twins), links=links)
    plan, _ = make_plan(small, read_vocabulary(MAPPINGS), index_body(), ())
    releases = Releases(client, "akg-twins")
    index = publish_release(releases, plan, START, ignore_progress)
    assert releases.live_indices() == [index]
    wrong = replace(plan.expected, golden={"product:p-1": "Single Lens", "product:p-2": "Twin Lens"})
    assert [problem for problem in verify(client, index, wrong) if "Lens" in problem] == [
        "product:p-1 is not found by its name 'Single Lens'"
    ]
    client.indices.delete(index="akg-twins-*")


async def test_a_hub_of_any_size_pages_completely(client: OpenSearch, node_url: str) -> None:
    content, ordered = hub_content()
    plan, _ = make_plan(content, read_vocabulary(MAPPINGS), index_body(), [])
    prefixes = ("solution:", "export")  # without the documents of the 25,000 products
    hub = ((key, body) for key, body in plan.documents if key.startswith(prefixes))
    expected = Expected({"solution": 1}, {"implemented_by": HUB}, {"solution:hub": "Hub"}, {})
    plan = replace(plan, documents=hub, expected=expected)
    publish_release(Releases(client, "akg-hub"), plan, START, ignore_progress)
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
