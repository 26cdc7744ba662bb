"""How a writer takes, renews, checks and releases its lease, request by request."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

import pytest
from opensearchpy import ConnectionTimeout, OpenSearch, TransportError

from indexer.release.writer_lease import (
    LEASE_SECONDS,
    RENEW_SECONDS,
    Holder,
    LeaseRequest,
    LockedError,
    WriterLease,
    new_holder,
)
from tests.support.lease_races import run_race
from tests.support.versioned_documents import DocumentClient, DocumentStore

KEY = "writer-akg"


class World:
    """A clock, a store, and the requests of several writers."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.store = DocumentStore(lambda: self.now)
        self.messages: list[str] = []

    def request(
        self, pid: int = 1, *, running: bool | None = None, client: DocumentClient | None = None
    ) -> LeaseRequest:
        """Return the request of a process; `running` is what it finds out about a process with the lease."""
        holder: Holder = {**new_holder(), "host": f"host-{pid}", "pid": pid}
        opensearch = cast("OpenSearch", client or DocumentClient(self.store))
        return LeaseRequest(opensearch, KEY, holder, self.messages.append, lambda: self.now, lambda _: running)

    def lease(self, pid: int = 1, client: DocumentClient | None = None) -> WriterLease:
        """Take the lease for a process."""
        lease = self.request(pid, client=client).attempt()
        assert lease is not None
        return lease

    def holder(self) -> dict[str, Any] | None:
        """Return who has the lease."""
        document = self.store.live(KEY)
        return document.source["holder"] if document and document.source else None


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()

    def sleep(seconds: float) -> None:
        world.now += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    return world


def failing(world: World, *errors: TransportError | None) -> tuple[DocumentClient, Callable[[], None]]:
    """Return a client, and a function that lets its next requests fail before they are executed."""
    client = DocumentClient(world.store)
    pending = list(errors)

    def fail() -> None:
        if pending and (error := pending.pop(0)) is not None:
            raise error

    def begin() -> None:
        client.before = fail

    return client, begin


BUSY = TransportError(429, "circuit_breaking_exception", {})
DOWN = TransportError(503, "unavailable", {})
LOST = ConnectionTimeout("TIMEOUT", "timed out", Exception())


def test_a_lease_names_host_and_process_and_no_person(world: World) -> None:
    world.lease()
    assert set(world.holder() or ()) == {"host", "pid", "boot", "namespace", "started", "token", "lease_seconds"}


def test_a_lease_is_renewed_several_times_before_it_expires() -> None:
    assert RENEW_SECONDS * 3 < LEASE_SECONDS


def test_a_free_lease_is_taken_and_deleted_at_its_end(world: World) -> None:
    lease = world.lease()
    lease.check()
    lease.release()
    assert world.holder() is None
    world.lease(2).check()


def test_a_running_process_of_this_machine_is_not_waited_for(world: World) -> None:
    world.lease(1)
    with pytest.raises(LockedError, match=r"Another build is running: process 1 on host-1\. Wait for it, or end it"):
        world.request(2, running=True).attempt()
    assert world.messages == []


def test_a_killed_process_of_this_machine_is_replaced_at_once(world: World) -> None:
    first = world.lease(1)
    second = world.request(2, running=False).attempt()
    assert second is not None
    second.check()
    with pytest.raises(LockedError, match=r"The lease was lost to process 2 on host-2; nothing was published\."):
        first.check()


def test_another_machine_that_renews_its_lease_keeps_it(world: World) -> None:
    lease, request = world.lease(1), world.request(2)
    assert request.attempt() is None
    assert "process 1 on host-1" in world.messages[0]
    world.now += RENEW_SECONDS
    assert lease.renew()
    with pytest.raises(LockedError, match="Another build is running: process 1 on host-1"):
        request.attempt()
    lease.check()


@pytest.mark.parametrize("states_seconds", [True, False])
def test_another_machine_loses_its_lease_after_a_silence(world: World, *, states_seconds: bool) -> None:
    world.lease(1)
    holder = world.holder()
    assert holder is not None
    if not states_seconds:  # version 0.1.0 did not state it
        world.store.put(KEY, {"holder": {"host": "old", "pid": 1, "started": 1.0, "taken": 1, "expires": 2.0}})
    world.now += 10 * LEASE_SECONDS  # before it was watched, silence says nothing
    request = world.request(2)
    assert request.attempt() is None
    world.now += LEASE_SECONDS - 1
    assert request.attempt() is None
    world.now += 1
    assert request.attempt() is not None
    assert len(world.messages) == 1


def test_a_lease_that_is_released_while_it_is_watched_is_taken(world: World) -> None:
    lease, request = world.lease(1), world.request(2)
    assert request.attempt() is None
    lease.release()
    assert request.attempt() is not None


def test_a_lost_lease_is_neither_stolen_back_nor_deleted(world: World) -> None:
    first = world.lease(1)
    assert world.request(2, running=False).attempt() is not None
    assert first.renew()  # there is nothing to try again
    with pytest.raises(LockedError, match="lost to process 2 on host-2"):
        first.require()
    first.release()
    assert (world.holder() or {})["pid"] == 2


def test_a_lease_whose_document_is_gone_is_lost(world: World) -> None:
    lease = world.lease()
    world.store.put(KEY, None)
    with pytest.raises(LockedError, match="its document is missing; akg-1 was not deleted"):
        lease.check("akg-1 was not deleted")


@pytest.mark.parametrize("error", [BUSY, DOWN, LOST])
def test_a_renewal_is_tried_again_until_the_lease_would_expire(world: World, error: TransportError) -> None:
    client, begin = failing(world, *[error] * 3)
    lease = world.lease(client=client)
    begin()
    assert not lease.renew()
    world.now += LEASE_SECONDS - 1
    assert not lease.renew()
    lease.require()
    world.now += 1
    assert not lease.renew()
    with pytest.raises(LockedError, match="OpenSearch was unavailable until it expired"):
        lease.require()


def test_a_renewal_whose_response_is_lost_is_recognized(world: World) -> None:
    client = DocumentClient(world.store)
    lease = world.lease(client=client)

    def lose() -> None:
        client.after = lambda: None
        raise LOST

    client.after = lose
    assert not lease.renew()
    assert lease.renew()  # conflicts with its own first attempt
    lease.check()
    assert lease.renew()


def test_a_release_is_tried_again_and_then_reported(world: World) -> None:
    client, begin = failing(world, BUSY)
    lease = world.lease(client=client)
    begin()
    lease.release()
    assert world.holder() is None
    client, begin = failing(world, *[DOWN] * 20)
    lease = world.lease(client=client)
    begin()
    lease.release()
    assert world.holder() is not None
    assert "could not be deleted" in world.messages[-1]


def test_a_thread_renews_the_lease_until_it_is_released(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.release.writer_lease.RENEW_SECONDS", 0.001)
    renewed = threading.Event()
    client = DocumentClient(world.store)
    lease = world.lease(client=client)
    client.on_write = lambda _old, _new: renewed.set()
    lease.start_thread()
    assert renewed.wait(30)
    lease.release()
    assert world.holder() is None
    assert all(thread.name != "writer-lease" for thread in threading.enumerate())


def test_the_thread_is_stopped_while_processes_are_forked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.release.writer_lease.RENEW_SECONDS", 0.001)
    threads = threading.active_count()
    lease = world.lease()
    lease.start_thread()
    with lease.paused():
        assert threading.active_count() == threads
    assert threading.active_count() == threads + 1
    lease.release()


def test_the_thread_ends_when_the_lease_is_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.release.writer_lease.RENEW_SECONDS", 0.001)
    lease = world.lease()
    assert world.request(2, running=False).attempt() is not None
    lease.start_thread()
    (thread,) = (thread for thread in threading.enumerate() if thread.name == "writer-lease")
    thread.join(30)
    with pytest.raises(LockedError, match="lost to process 2"):
        lease.require()


def test_two_writers_never_have_the_lease_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    events: Counter[str] = Counter()
    for seed in range(200):
        events += run_race(seed, monkeypatch)
    rare = ("taken from a killed process", "taken after silence", "locked", "checked", "suspended", "taken")
    assert {name: events[name] > 100 for name in rare} == dict.fromkeys(rare, True), events
