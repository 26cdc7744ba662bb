"""A snapshot restores its release exactly, and a failed restore changes nothing."""

import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from opensearchpy import OpenSearch, TransportError, Urllib3HttpConnection

from indexer.release.live_alias import PublishedInterrupt
from indexer.release.plan import placement, with_placement
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from indexer.release.stored_releases import ReleaseError
from indexer.snapshots.repository import NO_S3
from indexer.snapshots.restore import Restore
from indexer.snapshots.snapshots import Snapshots
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS, WORLD, plan_of, serving

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = datetime(2026, 1, 2, tzinfo=UTC)
ALIAS = "akg-snapshots"
DEADLINE_SECONDS = 30  # the first search of a new index is slow on a busy machine
PLACEMENT = placement(2, "0-1")
INVERSES = read_vocabulary(MAPPINGS).forward
PATHS = (
    *("/search?query=deaf", "/disability", "/solution?limit=5", "/graph", "/vendor", "/export"),
    *("/search?query=keyboard&scope=product", "/occupation"),
)


REPOSITORY = "akg-test"


def wait_briefly(*_: object) -> None:
    time.sleep(0.1)


@pytest.fixture
def releases(client: OpenSearch) -> Iterator[Releases]:
    releases = Releases(client, ALIAS)
    publish_release(releases, with_placement(plan_of(WORLD), PLACEMENT), NOW, lambda _: None)
    yield releases
    client.indices.delete(index=f"{ALIAS}-*")
    for name in [*client.snapshot.get_repository()]:
        if name.startswith(REPOSITORY):  # the others are those of other tests, which may have no folder
            for snapshot in client.snapshot.get(repository=name, snapshot="_all")["snapshots"]:
                client.snapshot.delete(repository=name, snapshot=snapshot["snapshot"])
            client.snapshot.delete_repository(repository=name)


@pytest.fixture
def snapshots(releases: Releases) -> Snapshots:
    return Snapshots(releases.client, ALIAS, REPOSITORY, "snapshots")


def restore(snapshots: Snapshots, name: str | None = None, on_progress: Any = wait_briefly) -> str:  # noqa: ANN401 - any callable
    settings = {name: value for name, value in PLACEMENT.items() if name != "number_of_shards"}
    return Restore(snapshots, INVERSES, settings, on_progress).run(name, LATER)


def indices(releases: Releases) -> list[str]:
    return sorted(releases.client.indices.get(index=f"{ALIAS}-*"))


async def responses(service: httpx.AsyncClient) -> dict[str, tuple[str, bytes]]:
    by_path = {}
    for path in PATHS:
        response = await service.get(path)
        assert response.status_code == 200, response.text
        by_path[path] = (response.headers["etag"], response.content)
    return by_path


async def test_a_cluster_that_lost_all_indices_serves_the_same_release(
    releases: Releases, snapshots: Snapshots, node_url: str
) -> None:
    async with serving(node_url, ALIAS, deadline_seconds=DEADLINE_SECONDS) as service:
        before = await responses(service)
    made = snapshots.create(wait_briefly)
    (live,) = releases.live_indices()
    assert (made.name, made.state, snapshots.list_snapshots()) == (live, "SUCCESS", [made])
    assert snapshots.create(wait_briefly) == made  # returns the existing one
    meta = releases.live_metadata()
    settings = releases.client.indices.get_settings(index=live)[live]["settings"]["index"]

    releases.client.indices.delete(index=f"{ALIAS}-*")
    assert restore(snapshots) == live
    assert (releases.live_indices(), indices(releases), releases.live_metadata()) == ([live], [live], meta)
    restored = releases.client.indices.get_settings(index=live)[live]["settings"]["index"]
    for name in ("number_of_shards", "auto_expand_replicas", "blocks", "refresh_interval", "analysis"):
        assert restored[name] == settings[name], name
    async with serving(node_url, ALIAS, deadline_seconds=DEADLINE_SECONDS) as service:
        assert await responses(service) == before


def test_an_unused_repository_lists_no_snapshots(releases: Releases) -> None:
    new = Snapshots(releases.client, ALIAS, "akg-test", "never-used")
    for _ in range(2):  # the second time the repository is registered
        assert new.list_snapshots() == []
    with pytest.raises(ReleaseError, match="There is no snapshot of akg-snapshots-f5 in the repository akg-test"):
        restore(new)
    assert new.create(wait_briefly) in new.list_snapshots()


def test_publishes_an_intact_release_without_a_restore(releases: Releases, snapshots: Snapshots) -> None:
    first = snapshots.create(wait_briefly).name
    second = publish_release(releases, plan_of(WORLD), LATER, lambda _: None)
    uuid = releases.client.indices.get_settings(index=first)[first]["settings"]["index"]["uuid"]
    assert releases.live_indices() == [second]
    assert restore(snapshots) == first
    assert releases.live_indices() == [first]
    assert releases.client.indices.get_settings(index=first)[first]["settings"]["index"]["uuid"] == uuid


def test_restores_a_broken_release_while_another_stays_live(releases: Releases, snapshots: Snapshots) -> None:
    first = snapshots.create(wait_briefly).name
    second = publish_release(releases, plan_of(WORLD), LATER, lambda _: None)
    releases.client.indices.put_settings(index=first, body={"index.blocks.write": False})
    query = {"query": {"term": {"doc": "edges"}}}
    releases.client.delete_by_query(index=first, body=query, params={"refresh": "true"})
    seen: list[list[str]] = []
    assert restore(snapshots, first, lambda *_: seen.append(releases.live_indices())) == first
    assert [live for live in seen if live != [second]] == []
    assert releases.live_indices() == [first]


def interrupted_after(step: str) -> type[Urllib3HttpConnection]:
    """Return a connection class that raises KeyboardInterrupt after the response to this request."""

    class Interrupted(Urllib3HttpConnection):
        def perform_request(self, method: str, url: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passed on
            response = super().perform_request(method, url, *args, **kwargs)
            if url.endswith(step):
                raise KeyboardInterrupt
            return response

    return Interrupted


def test_an_interrupted_restore_changes_nothing(releases: Releases, snapshots: Snapshots, node_url: str) -> None:
    first = snapshots.create(wait_briefly).name
    second = publish_release(releases, plan_of(WORLD), LATER, lambda _: None)
    releases.client.indices.delete(index=first)
    meta = releases.live_metadata()
    for step in ("_restore", f"_clone/{first}"):
        interrupted = OpenSearch([node_url], connection_class=interrupted_after(step), timeout=60)
        with interrupted, pytest.raises(KeyboardInterrupt):
            restore(Snapshots(interrupted, ALIAS, "akg-test", "snapshots"), first)
        assert (releases.live_indices(), indices(releases), releases.live_metadata()) == ([second], [second], meta)


def test_an_interrupt_before_the_response_leaves_no_snapshot(releases: Releases, node_url: str) -> None:
    slow = {"location": "slow", "max_snapshot_bytes_per_sec": "5kb"}
    repository = f"{REPOSITORY}-slow"
    releases.client.snapshot.create_repository(repository=repository, body={"type": "fs", "settings": slow})
    connection = interrupted_after(f"{repository}/{releases.live_index()}")
    with OpenSearch([node_url], connection_class=connection, timeout=60) as client, pytest.raises(KeyboardInterrupt):
        Snapshots(client, ALIAS, repository).create(wait_briefly)
    assert Snapshots(releases.client, ALIAS, repository).list_snapshots() == []


def rejecting_once(client: OpenSearch, monkeypatch: pytest.MonkeyPatch, path: str, status: int) -> None:
    """Let the first request whose path ends like this fail with this status."""
    perform, failures = client.transport.perform_request, [TransportError(status, "circuit_breaking_exception", {})]

    def perform_request(method: str, url: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passed on
        if url.endswith(path) and failures:
            raise failures.pop()
        return perform(method, url, *args, **kwargs)

    monkeypatch.setattr(client.transport, "perform_request", perform_request)


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_cluster_is_no_reason_to_restore_an_intact_release(
    releases: Releases, snapshots: Snapshots, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    live = snapshots.create(wait_briefly).name
    uuid = releases.client.indices.get_settings(index=live)[live]["settings"]["index"]["uuid"]
    with monkeypatch.context() as patch:
        rejecting_once(releases.client, patch, f"{live}/_search", status)
        with pytest.raises(TransportError, match=str(status)):
            restore(snapshots)
    assert (releases.live_indices(), indices(releases)) == ([live], [live])
    assert restore(snapshots) == live
    assert releases.client.indices.get_settings(index=live)[live]["settings"]["index"]["uuid"] == uuid


def break_release(releases: Releases, index: str) -> None:
    releases.client.indices.put_settings(index=index, body={"index.blocks.write": False})
    query = {"query": {"term": {"doc": "edges"}}}
    releases.client.delete_by_query(index=index, body=query, params={"refresh": "true"})


def test_a_broken_live_release_stays_live_until_the_restored_one_is(releases: Releases, snapshots: Snapshots) -> None:
    broken = snapshots.create(wait_briefly).name
    break_release(releases, broken)
    seen: list[list[str]] = []
    restored = restore(snapshots, broken, lambda *_: seen.append(releases.live_indices()))
    assert seen
    assert [live for live in seen if live != [broken]] == []
    assert (releases.live_indices(), indices(releases)) == ([restored], [restored])
    meta = releases.metadata(restored)
    assert (meta["index"], meta["was_live"], meta["complete"]) == (restored, True, True)
    assert snapshots.create(wait_briefly).name == restored
    assert restore(snapshots, restored) == restored


def test_an_interrupted_restore_of_the_live_release_keeps_it(
    releases: Releases, snapshots: Snapshots, node_url: str
) -> None:
    live = snapshots.create(wait_briefly).name
    break_release(releases, live)
    for step in ("_restore", f"_clone/{releases.new_name(LATER)}", "_aliases"):
        interrupted = OpenSearch([node_url], connection_class=interrupted_after(step), timeout=60)
        with interrupted, pytest.raises(PublishedInterrupt if step == "_aliases" else KeyboardInterrupt):
            restore(Snapshots(interrupted, ALIAS, "akg-test", "snapshots"), live)
        if step != "_aliases":
            assert (releases.live_indices(), indices(releases)) == ([live], [live])
    assert live not in releases.live_indices()  # the alias had moved
    assert len(releases.live_indices()) == 1


def test_a_restore_that_loses_much_stops_first(releases: Releases, snapshots: Snapshots, tmp_path: Path) -> None:
    first = snapshots.create(wait_briefly).name
    larger = Path(shutil.copytree(WORLD, tmp_path / "tables"))
    with (larger / "vendors.csv").open("a", encoding="utf-8") as table:
        table.write("far-works,Far Works,Makes tools.,https://fair.example.org/far-works,fair\n")
    second = publish_release(releases, plan_of(larger), LATER, lambda _: None)
    lost = "vendor: 3 entities in the live release, 2 of them in the new one"
    for _ in range(2):  # as it is, and after its index is gone
        with pytest.raises(ReleaseError, match=lost):
            Restore(snapshots, INVERSES, {}, wait_briefly, max_loss=0.1).run(first, LATER)
        assert releases.live_indices() == [second]
        releases.client.indices.delete(index=first, params={"ignore_unavailable": "true"})
    assert indices(releases) == [second]
    assert Restore(snapshots, INVERSES, {}, wait_briefly, max_loss=0.5).run(first, LATER) == first


def test_restores_a_closed_release(releases: Releases, snapshots: Snapshots) -> None:
    first = snapshots.create(wait_briefly).name
    publish_release(releases, plan_of(WORLD), LATER, lambda _: None)
    releases.client.indices.close(index=first)
    assert restore(snapshots, first) == first
    assert releases.live_indices() == [first]


def test_restores_a_red_release(releases: Releases, snapshots: Snapshots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.snapshots.restore.SHARD_SECONDS", 1)
    client, first = releases.client, snapshots.create(wait_briefly).name
    publish_release(releases, plan_of(WORLD), LATER, lambda _: None)
    client.indices.close(index=first)
    client.indices.put_settings(index=first, body={"index.routing.allocation.require._name": "none"})
    client.indices.open(index=first, params={"wait_for_active_shards": "0"})
    assert client.cluster.health(index=first)["status"] == "red"
    assert restore(snapshots, first) == first
    assert releases.live_indices() == [first]
    assert client.cluster.health(index=first)["status"] != "red"


def test_deletes_the_remains_of_a_killed_restore(releases: Releases) -> None:
    (live,) = releases.live_indices()
    releases.client.indices.clone(index=live, target=f"{releases.index_alias}-aside-20260103t000000z")
    assert [release.index for release in releases.complete_releases()] == [live]
    assert releases.delete_leftovers() == [f"{releases.index_alias}-aside-20260103t000000z"]
    assert indices(releases) == [live]


def test_deletes_one_snapshot_and_no_release(releases: Releases, snapshots: Snapshots) -> None:
    first = snapshots.create(wait_briefly).name
    second = publish_release(releases, plan_of(WORLD), LATER, lambda _: None)
    snapshots.create(wait_briefly)
    with pytest.raises(ReleaseError, match=rf"no snapshot {second}x of .* Nearest: {second}\."):
        snapshots.delete(f"{second}x")
    snapshots.delete(first)
    assert [snapshot.name for snapshot in snapshots.list_snapshots()] == [second]
    assert indices(releases) == [first, second]


def test_error_messages_name_the_problem(releases: Releases, snapshots: Snapshots) -> None:
    with pytest.raises(ReleaseError, match="There is no snapshot of akg-snapshots-f5 in the repository akg-test"):
        restore(snapshots)
    snapshots.create(wait_briefly)
    with pytest.raises(ReleaseError, match=f"no snapshot nope of .*Snapshots: {releases.live_indices()[0]}"):
        restore(snapshots, "nope")
    with pytest.raises(ReleaseError, match="No release is live"):
        Snapshots(releases.client, "akg-none", "akg-test", "snapshots").create(wait_briefly)
    with pytest.raises(ReleaseError) as raised:
        Snapshots(releases.client, ALIAS, "akg-far", "s3://bucket/path").create(wait_briefly)
    assert str(raised.value) == NO_S3
    with pytest.raises(ReleaseError, match=r"path\.repo"):
        Snapshots(releases.client, ALIAS, "akg-out", "/elsewhere").create(wait_briefly)
