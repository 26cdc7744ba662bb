"""Two writers race for the lease, request by request: both never have it, and none deletes that of the other.

Each writer belongs to a machine. A writer may be suspended between any two requests, with or without its monotonic
clock; wall clocks jump; responses get lost; processes are killed.
"""

import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from opensearchpy import ConnectionTimeout, OpenSearch, OpenSearchException, TransportError

from indexer.release.lease_holder import Identity
from indexer.release.writer_lease import (
    LEASE_SECONDS,
    RENEW_SECONDS,
    Holder,
    LeaseRequest,
    LockedError,
    WriterLease,
    new_holder,
)
from tests.support.versioned_documents import DocumentClient, DocumentStore, StoredDocument

KEY = "writer-akg"
STEPS = 250


@dataclass
class Simulation:
    """The time of the world, the store, the processes that run, and what happened."""

    dice: random.Random
    now: float = 1_000.0
    wall: float = 1e9
    running: set[int] = field(default_factory=set)
    events: Counter[str] = field(default_factory=Counter)
    writers: list["Writer"] = field(default_factory=list)
    depth: int = 0

    def __post_init__(self) -> None:
        self.store = DocumentStore(lambda: self.now)

    def sleep(self, seconds: float) -> None:
        """Let the others act for so long."""
        end = self.now + seconds
        while self.now < end:
            self.now = min(end, self.now + self.dice.uniform(0.2, 8))
            if self.depth < 2:
                self.depth += 1
                self.dice.choice(self.writers).act()
                self.depth -= 1


@dataclass
class Writer:
    """A process that takes the lease again and again; `busy` while one of its requests is under way."""

    simulation: Simulation
    machine: int
    pid: int = 0
    asleep: float = 0.0  # seconds that its monotonic clock stood still
    busy: bool = False
    held: WriterLease | None = None
    request: LeaseRequest | None = None
    renewed: float = 0.0

    def act(self) -> None:
        """Do the next thing, unless the process is suspended within a request."""
        if self.busy:
            return
        self.busy = True
        try:
            self._act()
        except LockedError:
            self.simulation.events["locked"] += 1
            self._end()
        except OpenSearchException:
            self._end(killed=True)
        finally:
            self.busy = False

    def monotonic(self) -> float:
        """Return the clock of this process."""
        return self.simulation.now - self.asleep

    def _act(self) -> None:
        dice = self.simulation.dice
        if self.held is not None:
            if dice.random() < 0.05:
                self._end(killed=dice.random() < 0.4)
            elif self.monotonic() - self.renewed >= RENEW_SECONDS:
                if self.held.renew():
                    self.renewed = self.monotonic()
            elif dice.random() < 0.3:
                self.held.check()
                self.simulation.events["checked"] += 1
            return
        if self.request is None:
            self.pid = dice.randrange(1, 10**6)
            self.simulation.running.add(self.pid)
            holder: Holder = {**new_holder(), "pid": self.pid, "boot": str(self.machine)}
            client = cast("OpenSearch", self._client())
            self.request = LeaseRequest(client, KEY, holder, lambda _: None, self.monotonic, self._is_running)
        if (lease := self.request.attempt()) is not None:
            self.held, self.request, self.renewed = lease, None, self.monotonic()
            self.simulation.events["taken"] += 1

    def _end(self, *, killed: bool = False) -> None:
        lease, self.held, self.request = self.held, None, None
        if lease is not None and not killed:
            lease.release()
        self.simulation.running.discard(self.pid)

    def _is_running(self, holder: Identity) -> bool | None:
        return holder["pid"] in self.simulation.running if holder["boot"] == str(self.machine) else None

    def _client(self) -> DocumentClient:
        return DocumentClient(self.simulation.store, self._before, self._after, self._on_write)

    def _before(self) -> None:
        """Suspend the process, or let the request fail."""
        simulation, dice = self.simulation, self.simulation.dice
        simulation.wall += dice.choice([0, 0, 0, -7200, 7200])
        if dice.random() < 0.08:
            began = simulation.now
            simulation.sleep(dice.uniform(1, 200))
            if dice.random() < 0.5:
                self.asleep += simulation.now - began
            simulation.events["suspended"] += 1
        if dice.random() < 0.04:
            raise TransportError(503, "unavailable", {})

    def _after(self) -> None:
        if self.simulation.dice.random() < 0.04:
            raise ConnectionTimeout("TIMEOUT", "timed out", Exception())

    def _on_write(self, old: StoredDocument | None, new: dict[str, Any] | None) -> None:
        """Judge a write that OpenSearch accepts."""
        before = old.source["holder"] if old and old.source else None
        if before is None or old is None or before["pid"] == self.pid:
            return
        assert new is not None, "a writer deleted the lease of another"
        if before["boot"] == str(self.machine):
            assert before["pid"] not in self.simulation.running, "a running process of the machine lost its lease"
            self.simulation.events["taken from a killed process"] += 1
        else:
            assert self.simulation.now - old.written >= LEASE_SECONDS, "a lease was taken before it expired"
            self.simulation.events["taken after silence"] += 1


def holders(simulation: Simulation) -> list[Writer]:
    """Return the writers for which a check of the lease would succeed."""
    document = simulation.store.live(KEY)
    token = document.source["holder"]["token"] if document and document.source else ""
    leases = [(writer, writer.held) for writer in simulation.writers]
    return [writer for writer, lease in leases if lease and lease.holder["token"] == token]


def run_race(seed: int, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Let two writers race; return how often what happened. Raise AssertionError if both have the lease."""
    dice = random.Random(seed)  # noqa: S311 - the same races each time
    simulation = Simulation(dice)
    simulation.writers = [Writer(simulation, 0), Writer(simulation, dice.randrange(2))]
    monkeypatch.setattr(time, "sleep", simulation.sleep)
    monkeypatch.setattr(time, "time", lambda: simulation.wall)
    for _ in range(STEPS):
        simulation.sleep(dice.uniform(0.1, 3))
        assert len(holders(simulation)) <= 1
    return simulation.events
