"""A release that was put aside in a repository comes back as it was, and nothing else does."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from opensearchpy import OpenSearch, Urllib3HttpConnection
from worlds import MAPPINGS, WORLD, plan_of, serving

from indexer.plan import placed, placement
from indexer.release import ReleaseError, Releases
from indexer.snapshots import NO_S3, Snapshots
from indexer.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = datetime(2026, 1, 2, tzinfo=UTC)
ALIAS = "akg-kept"
PATIENCE = 30  # seconds; the first search of a new index takes long on a busy machine
HERE = placement(2, "0-1")
INVERSES = read_vocabulary(MAPPINGS).inverses
ASKED = (
    *("/search?query=deaf", "/disability", "/solution?limit=5", "/graph", "/vendor", "/export"),
    *("/search?query=keyboard&scope=product", "/occupation"),
)


def nothing(*_: object) -> None:
    """Wait a moment, and note no progress."""
    time.sleep(0.1)


@pytest.fixture
def desk(client: OpenSearch) -> Iterator[Releases]:
    """Releases behind an alias of this test's own, with one published, and no snapshot of it."""
    releases = Releases(client, ALIAS)
    releases.build(placed(plan_of(WORLD), HERE), NOW, lambda _: None)
    yield releases
    client.indices.delete(index=f"{ALIAS}-*")
    for name in [*client.snapshot.get_repository()]:
        for one in client.snapshot.get(repository=name, snapshot="_all")["snapshots"]:
            client.snapshot.delete(repository=name, snapshot=one["snapshot"])
        client.snapshot.delete_repository(repository=name)


@pytest.fixture
def kept(desk: Releases) -> Snapshots:
    """The snapshots of that alias."""
    return Snapshots(desk.client, ALIAS, "akg-test", "kept")


def restored(kept: Snapshots, name: str | None = None, watch: Any = nothing) -> str:  # noqa: ANN401 - any callable
    settings = {name: value for name, value in HERE.items() if name != "number_of_shards"}
    return kept.restore(name, INVERSES, settings, LATER, watch)


def indices(desk: Releases) -> list[str]:
    return sorted(desk.client.indices.get(index=f"{ALIAS}-*"))


async def answers(service: httpx.AsyncClient) -> dict[str, tuple[str, bytes]]:
    """The ETag and the body of each answer."""
    found = {}
    for target in ASKED:
        answer = await service.get(target)
        assert answer.status_code == 200, answer.text
        found[target] = (answer.headers["etag"], answer.content)
    return found


async def test_a_cluster_that_lost_everything_serves_the_same_release_again(
    desk: Releases, kept: Snapshots, node_url: str
) -> None:
    async with serving(node_url, ALIAS, deadline_seconds=PATIENCE) as service:
        before = await answers(service)
    made = kept.create(nothing)
    (live,) = desk.live_indices()
    assert (made.name, made.state, kept.taken()) == (live, "SUCCESS", [made])
    assert kept.create(nothing) == made  # it is there already
    meta, settings = desk.live_meta(), desk.client.indices.get_settings(index=live)[live]["settings"]["index"]

    desk.client.indices.delete(index=f"{ALIAS}-*")
    assert restored(kept) == live
    assert (desk.live_indices(), indices(desk), desk.live_meta()) == ([live], [live], meta)
    again = desk.client.indices.get_settings(index=live)[live]["settings"]["index"]
    for name in ("number_of_shards", "auto_expand_replicas", "blocks", "refresh_interval", "analysis"):
        assert again[name] == settings[name], name
    async with serving(node_url, ALIAS, deadline_seconds=PATIENCE) as service:
        assert await answers(service) == before


def test_before_the_first_snapshot_there_is_none_and_that_is_no_error(desk: Releases) -> None:
    new = Snapshots(desk.client, ALIAS, "akg-test", "never-used")
    for _ in range(2):  # the second time the engine knows the repository
        assert new.taken() == []
    with pytest.raises(ReleaseError, match="There is no snapshot of akg-kept in the repository akg-test"):
        restored(new)
    assert new.create(nothing) in new.taken()


def test_a_release_that_still_stands_is_published_as_it_is(desk: Releases, kept: Snapshots) -> None:
    first = kept.create(nothing).name
    second = desk.build(plan_of(WORLD), LATER, lambda _: None)
    born = desk.client.indices.get_settings(index=first)[first]["settings"]["index"]["uuid"]
    assert desk.live_indices() == [second]
    assert restored(kept) == first
    assert desk.live_indices() == [first]
    assert desk.client.indices.get_settings(index=first)[first]["settings"]["index"]["uuid"] == born


def test_a_broken_release_is_brought_back_and_what_is_live_stays_until_then(desk: Releases, kept: Snapshots) -> None:
    first = kept.create(nothing).name
    second = desk.build(plan_of(WORLD), LATER, lambda _: None)
    desk.client.indices.put_settings(index=first, body={"index.blocks.write": False})
    query = {"query": {"term": {"doc": "edges"}}}
    desk.client.delete_by_query(index=first, body=query, params={"refresh": "true"})
    seen: list[list[str]] = []
    assert restored(kept, first, lambda *_: seen.append(desk.live_indices())) == first
    assert [live for live in seen if live != [second]] == []
    assert desk.live_indices() == [first]


def interrupted_after(step: str) -> type[Urllib3HttpConnection]:
    """A connection on which somebody presses Ctrl-C when the engine has done this."""

    class Interrupted(Urllib3HttpConnection):
        def perform_request(self, method: str, url: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passed on
            answer = super().perform_request(method, url, *args, **kwargs)
            if url.endswith(step):
                raise KeyboardInterrupt
            return answer

    return Interrupted


def test_an_interrupted_restore_changes_nothing(desk: Releases, kept: Snapshots, node_url: str) -> None:
    first = kept.create(nothing).name
    second = desk.build(plan_of(WORLD), LATER, lambda _: None)
    desk.client.indices.delete(index=first)
    meta = desk.live_meta()
    for step in ("_restore", f"_clone/{first}"):
        hasty = OpenSearch([node_url], connection_class=interrupted_after(step), timeout=60)
        with hasty, pytest.raises(KeyboardInterrupt):
            restored(Snapshots(hasty, ALIAS, "akg-test", "kept"), first)
        assert (desk.live_indices(), indices(desk), desk.live_meta()) == ([second], [second], meta)


def test_what_a_killed_restore_left_is_cleared_and_never_published(desk: Releases) -> None:
    (live,) = desk.live_indices()
    desk.client.indices.clone(index=live, target=f"{ALIAS}-aside-20260103t000000z")
    assert [one.index for one in desk.complete()] == [live]
    assert desk.clear_remains() == [f"{ALIAS}-aside-20260103t000000z"]
    assert indices(desk) == [live]


def test_what_is_wrong_is_said(desk: Releases, kept: Snapshots) -> None:
    with pytest.raises(ReleaseError, match="There is no snapshot of akg-kept in the repository akg-test"):
        restored(kept)
    kept.create(nothing)
    with pytest.raises(ReleaseError, match=f"no snapshot nope of .*Snapshots: {desk.live_indices()[0]}"):
        restored(kept, "nope")
    with pytest.raises(ReleaseError, match="no live release"):
        Snapshots(desk.client, "akg-none", "akg-test", "kept").create(nothing)
    with pytest.raises(ReleaseError) as said:
        Snapshots(desk.client, ALIAS, "akg-far", "s3://bucket/path").create(nothing)
    assert str(said.value) == NO_S3
    with pytest.raises(ReleaseError, match=r"path\.repo"):
        Snapshots(desk.client, ALIAS, "akg-out", "/elsewhere").create(nothing)
