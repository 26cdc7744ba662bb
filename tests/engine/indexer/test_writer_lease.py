"""The writer lease on a real index: taken, renewed, lost and released, also while disks are full."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web
from opensearchpy import OpenSearch, TransportError

from indexer.release.control_index import CONTROL_INDEX, control_document, write_control_document
from indexer.release.live_alias import AliasMovedError
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from indexer.release.writer_lease import LockedError, lease_status, new_holder, writer_lease
from tests.support.fixture_graphs import WORLD, plan_of
from tests.support.http_servers import Forward, http_proxy
from tests.support.operator_session import OperatorSession, open_session

START = datetime(2026, 1, 1, tzinfo=UTC)
BLOCK = "index.blocks.read_only_allow_delete"
ZORK = "zork => zork, telework\n"


def ignore(_: object) -> None:
    pass


@pytest.fixture
def releases(client: OpenSearch) -> Iterator[Releases]:
    releases = Releases(client, "akg-leased")
    yield releases
    client.indices.delete(index="akg-leased-*")


@pytest.fixture
def session(tmp_path_factory: pytest.TempPathFactory, client: OpenSearch, node_url: str) -> Iterator[OperatorSession]:
    yield open_session(tmp_path_factory.mktemp("full"), client, node_url, "akg-full")
    client.indices.delete(index="akg-full-*")


@contextmanager
def full_disks(client: OpenSearch, *indices: str) -> Iterator[None]:
    """Set the block that OpenSearch sets above the flood-stage watermark."""
    client.indices.put_settings(index=",".join(indices), body={BLOCK: True})
    try:
        yield
    finally:
        client.indices.put_settings(index=",".join(indices), body={BLOCK: None})


def test_rejects_a_second_writer_of_the_same_alias(client: OpenSearch) -> None:
    with writer_lease(client, "akg-twice", ignore):
        status = lease_status(client, "akg-twice")
        assert status is not None
        assert not status.expired
        with (
            pytest.raises(LockedError, match="Another build is running: process"),
            writer_lease(client, "akg-twice", ignore),
        ):
            pass
        with writer_lease(client, "akg-elsewhere", ignore):
            pass
    assert lease_status(client, "akg-twice") is None
    with writer_lease(client, "akg-twice", ignore):
        pass


def test_the_lease_of_another_machine_is_taken_after_its_silence(client: OpenSearch) -> None:
    holder = {**new_holder(), "host": "elsewhere", "pid": 1, "boot": "another", "lease_seconds": 2}
    write_control_document(client, "writer-akg-far", {"holder": holder})
    messages: list[str] = []
    with writer_lease(client, "akg-far", messages.append) as lease:
        lease.check()
    (message,) = messages
    assert "process 1 on elsewhere" in message


def test_another_machine_that_renews_its_lease_keeps_it(client: OpenSearch) -> None:
    holder = {**new_holder(), "host": "elsewhere", "pid": 1, "boot": "another"}
    write_control_document(client, "writer-akg-near", {"holder": holder})
    renewal = threading.Timer(0.5, write_control_document, (client, "writer-akg-near", {"holder": holder}))
    renewal.start()
    with pytest.raises(LockedError, match="process 1 on elsewhere"), writer_lease(client, "akg-near", ignore):
        pass
    renewal.join()
    client.delete(index=CONTROL_INDEX, id="writer-akg-near")


def test_a_renewal_keeps_the_lease_and_a_loss_ends_it(client: OpenSearch) -> None:
    with writer_lease(client, "akg-kept", ignore) as lease:
        before = control_document(client, "writer-akg-kept")
        assert lease.renew()
        after = control_document(client, "writer-akg-kept")
        assert before is not None
        assert after is not None
        assert before.if_unchanged != after.if_unchanged
        lease.check()
        thief = {**new_holder(), "host": "elsewhere", "pid": 1, "boot": "another"}
        write_control_document(client, "writer-akg-kept", {"holder": thief})
        assert lease.renew()
        with pytest.raises(LockedError, match="The lease was lost to process 1 on elsewhere; nothing was published"):
            lease.check()
    kept = control_document(client, "writer-akg-kept")  # the lease of another is not deleted
    assert kept is not None
    assert kept.body["holder"] == thief
    client.delete(index=CONTROL_INDEX, id="writer-akg-kept")


def test_a_build_that_lost_its_lease_publishes_and_deletes_nothing_of_others(releases: Releases) -> None:
    live = publish_release(releases, plan_of(WORLD), START, ignore)
    with writer_lease(releases.client, releases.index_alias, ignore) as lease:
        leased = replace(releases, check_lease=lease.check)

        others: list[str] = []

        def lose(_: int) -> None:
            """Let another machine take the lease and start its build."""
            if not others:
                thief = {**new_holder(), "host": "elsewhere", "pid": 1, "boot": "another"}
                write_control_document(releases.client, f"writer-{releases.index_alias}", {"holder": thief})
                others.append(f"{releases.index_alias}-20270101t000000z")
                releases.client.indices.create(index=others[0])

        with pytest.raises(LockedError, match="lost to process 1 on elsewhere; nothing was published"):
            publish_release(leased, plan_of(WORLD), START + timedelta(days=1), lose)
        with pytest.raises(LockedError, match="was not deleted"):
            leased.delete_leftovers()
        with pytest.raises(LockedError, match="nothing was published"):
            leased.rollback(live)
    assert releases.live_indices() == [live]
    left = f"{releases.index_alias}-20260102t000000z"  # the next writer deletes it, or may have built one of this name
    assert set(releases.client.indices.get(index="akg-leased-*")) == {live, left, *others}
    releases.client.delete(index=CONTROL_INDEX, id=f"writer-{releases.index_alias}")


def test_a_command_that_wakes_after_the_lease_check_changes_nothing(releases: Releases) -> None:
    """It was suspended between its last check of the lease and its request, and another published meanwhile."""
    first = publish_release(releases, plan_of(WORLD), START, ignore)
    second = publish_release(releases, plan_of(WORLD), START + timedelta(days=1), ignore)

    def suspended(_: str) -> None:
        if releases.live_indices() == [second]:
            releases.rollback(first)

    for change in ("rollback", "prune"):
        releases.rollback(second)
        woken = replace(releases, check_lease=suspended)
        with pytest.raises(AliasMovedError):
            woken.rollback(second) if change == "rollback" else woken.prune(0)
        assert releases.live_indices() == [first]
        assert set(releases.client.indices.get(index="akg-leased-*")) == {first, second}


def test_nothing_is_published_over_a_command_that_woke_after_the_plan(releases: Releases) -> None:
    """It had lost its lease while nobody published: its rules or tables are not in the plan of its successor."""
    publish_release(releases, plan_of(WORLD), START, ignore)
    successor = releases.planning()
    woken = publish_release(releases, plan_of(WORLD), START + timedelta(days=1), ignore)
    with pytest.raises(AliasMovedError, match=rf"^{woken} went live while this command was working; nothing was"):
        publish_release(successor, plan_of(WORLD), START + timedelta(days=2), ignore)
    assert releases.live_indices() == [woken]
    assert len(releases.complete_releases()) == len(releases.client.indices.get(index="akg-leased-*")) == 2


@pytest.mark.parametrize(
    "words",
    [
        ("index", "build", "--force"),
        ("synonyms", "apply", "--accept"),
        ("snapshot", "restore", "--allow-loss"),
    ],
)
async def test_each_command_publishes_only_over_the_release_that_it_read(
    words: tuple[str, ...], session: OperatorSession
) -> None:
    releases = session.releases
    session.run("snapshot", "create")
    (first,) = releases.live_indices()
    second, third = (publish_release(releases, plan_of(WORLD), datetime.now(UTC), ignore) for _ in range(2))
    releases.rollback(second)
    releases.client.indices.delete(index=first)
    session.rules.write_text(session.rules.read_text() + ZORK)
    moved: list[str] = []

    async def wake(request: web.Request, forward: Forward) -> web.Response:
        """Move the alias before the first index is made, as a command that lost its lease may."""
        writes = request.method in {"PUT", "POST"} and not request.path.startswith(f"/{CONTROL_INDEX}")
        if writes and releases.index_alias in request.path and not moved:
            moved.append(await asyncio.to_thread(releases.rollback, third))
        return await forward(request)

    async with http_proxy(session.url, wake) as url:
        output = await asyncio.to_thread(session.run, *words, code=4, environ={"AKG_OPENSEARCH_URL": url})
    assert f"{third} went live while this command was working; nothing was published" in " ".join(output.split())
    assert releases.live_indices() == [third]
    assert session.state()[1] == sorted([second, third])
    session.run("snapshot", "delete", first, "--yes")


def test_two_first_publications_leave_the_alias_on_one_release(releases: Releases) -> None:
    first = publish_release(releases, plan_of(WORLD), START, ignore)
    second = publish_release(releases, plan_of(WORLD), START + timedelta(days=1), ignore)
    releases.client.indices.delete_alias(index=second, name=releases.index_alias)

    def suspended(_: str) -> None:
        if not releases.live_indices():
            releases.rollback(first)

    replace(releases, check_lease=suspended).rollback(second)
    assert releases.live_indices() == [second]


def test_an_error_after_the_loss_of_the_lease_tells_the_loss(client: OpenSearch) -> None:
    thief = {**new_holder(), "host": "elsewhere", "pid": 1, "boot": "another"}

    def take_and_fail() -> None:
        with writer_lease(client, "akg-told", ignore):
            write_control_document(client, "writer-akg-told", {"holder": thief})
            client.indices.get(index="akg-told-deleted-by-the-thief")

    with pytest.raises(LockedError, match="The lease was lost to process 1 on elsewhere; nothing was published"):
        take_and_fail()
    client.delete(index=CONTROL_INDEX, id="writer-akg-told")


def test_the_lease_can_be_written_while_disks_are_full(client: OpenSearch) -> None:
    with writer_lease(client, "akg-blocked", ignore):
        pass
    with full_disks(client, CONTROL_INDEX):
        with pytest.raises(TransportError, match="cluster_block_exception"):
            client.index(index=CONTROL_INDEX, id="blocked", body={"holder": {}})
        with writer_lease(client, "akg-blocked", ignore) as lease:
            client.indices.put_settings(index=CONTROL_INDEX, body={BLOCK: True})
            assert lease.renew()
            lease.check()
            client.indices.put_settings(index=CONTROL_INDEX, body={BLOCK: True})
        assert lease_status(client, "akg-blocked") is None


def test_commands_that_make_room_work_while_disks_are_full(session: OperatorSession, client: OpenSearch) -> None:
    session.rules.write_text(session.rules.read_text() + ZORK)
    session.run("synonyms", "apply", "--accept")
    blocked = (CONTROL_INDEX, "akg-full-*")
    with full_disks(client, *blocked):
        session.run("synonyms", "undo")
    undone, earlier = (release.index for release in session.releases.complete_releases())
    assert session.releases.live_index() == undone
    with full_disks(client, *blocked):
        session.run("index", "rollback")
    assert session.releases.live_index() == earlier
    with full_disks(client, *blocked):
        left = f"{session.releases.index_alias}-20990101t000000z"  # by a killed command
        client.indices.create(index=left)
        session.run("index", "prune", "--keep", "1")
    assert session.state() == ([earlier], sorted([earlier, undone]))


async def test_a_command_unblocks_only_what_it_must_write_and_again(
    session: OperatorSession, client: OpenSearch
) -> None:
    """OpenSearch sets the block again between its removal and the write."""
    session.rules.write_text(session.rules.read_text() + ZORK)
    session.run("synonyms", "apply", "--accept")
    live, earlier = (release.index for release in session.releases.complete_releases())
    client.indices.create(index="akg-bystander")
    blocked_again: list[str] = []

    async def block_again(request: web.Request, forward: Forward) -> web.Response:
        response = await forward(request)
        names = request.path.split("/")[1]
        if request.path.endswith("/_settings") and request.method == "PUT" and names not in blocked_again:
            blocked_again.append(names)
            await asyncio.to_thread(client.indices.put_settings, index=names, body={BLOCK: True})
        return response

    with full_disks(client, CONTROL_INDEX, "akg-full-*", "akg-bystander"):
        async with http_proxy(session.url, block_again) as url:
            await asyncio.to_thread(session.run, "index", "rollback", environ={"AKG_OPENSEARCH_URL": url})
        assert session.releases.live_index() == earlier
        assert CONTROL_INDEX in blocked_again
        assert sorted([earlier, live]) in [sorted(names.split(",")) for names in blocked_again]
        settings = client.indices.get_settings(index="akg-bystander", params={"flat_settings": "true"})
        assert settings["akg-bystander"]["settings"][BLOCK] == "true"
    client.indices.delete(index="akg-bystander")


def test_a_snapshot_can_be_deleted_while_disks_are_full(session: OperatorSession, client: OpenSearch) -> None:
    place = {"AKG_SNAPSHOT_REPOSITORY": "akg-full", "AKG_SNAPSHOT_LOCATION": "full"}
    session.run("snapshot", "create", environ=place)
    name = session.releases.live_index()
    with full_disks(client, CONTROL_INDEX, "akg-full-*"):
        assert "Nothing was deleted" in session.run("snapshot", "delete", name, code=1, typed="n\n", environ=place)
        assert name in session.run("snapshot", "list", environ=place)
        session.run("snapshot", "delete", name, typed="y\n", environ=place)
        assert name not in session.run("snapshot", "list", environ=place)
        assert f"There is no snapshot {name}" in session.run("snapshot", "delete", name, "--yes", code=1, environ=place)
    assert session.releases.live_index() == name
    client.snapshot.delete_repository(repository="akg-full")


def test_status_says_first_that_disks_are_full(session: OperatorSession, client: OpenSearch) -> None:
    for indices in ([CONTROL_INDEX], [session.releases.live_index()]):
        with full_disks(client, *indices):
            first = session.run("status").splitlines()[0]
        assert first.startswith("! The disk is full")
        assert f"rejects writes to 1 index ({indices[0]})" in first
        assert "akg index prune" in first
    assert session.run("status").startswith("cluster")
