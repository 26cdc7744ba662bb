"""Commands on several hosts, interleaved request by request: there is one writer, and what is live is never deleted."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count

import pytest
from opensearchpy import OpenSearch

from indexer.release.control_index import CONTROL_INDEX, control_document, ensure_control_index
from indexer.release.live_alias import AliasMovedError
from indexer.release.plan import ReleasePlan
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from indexer.release.retention import is_complete
from indexer.release.verify import Expected, verify
from indexer.release.writer_lease import LockedError
from indexer.snapshots.restore import Restore
from indexer.snapshots.snapshots import Snapshots
from indexer.synonyms.publish import RulePublisher
from schema.errors import AkgError
from schema.release_names import index_alias
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS, WORLD, plan_of
from tests.support.simulated_hosts import START, Host, Hosts, KilledError, Process, is_change

SEEDS, SEEDS_AT_ONCE = 200, 20
MAX_TURNS = 3_000
REPOSITORY = "akg-raced"
INVERSES = read_vocabulary(MAPPINGS).forward
NUMBERS = count(1)  # of builds, so that each has a version of its own


@cache
def world_plan() -> ReleasePlan:
    plan = plan_of(WORLD)
    return replace(plan, documents=tuple(plan.documents))


def next_plan() -> ReleasePlan:
    plan = world_plan()
    return replace(plan, meta={**plan.meta, "data_version": f"2026.01.{next(NUMBERS)}-x"})


def build(releases: Releases, process: Process) -> None:
    publish_release(releases.planning(), next_plan(), process.wall(), lambda _: None)


def prune(releases: Releases, process: Process) -> None:
    releases.delete_leftovers()
    releases.prune(process.hosts.dice.randrange(2))


def rollback(releases: Releases, _: Process) -> None:
    releases.rollback()


def apply_rules(releases: Releases, process: Process) -> None:
    publisher = RulePublisher(releases)
    candidate = publisher.candidate(publisher.live().rules[:-1], process.wall())
    try:
        publisher.publish(candidate, "apply", process.wall())
    except BaseException:
        publisher.discard(candidate)
        raise


def restore(releases: Releases, process: Process) -> None:
    snapshots = Snapshots(releases.client, releases.alias, REPOSITORY, "raced", releases.check_lease)
    name = process.hosts.dice.choice([snapshot.name for snapshot in snapshots.list_snapshots()])
    Restore(snapshots, INVERSES, {}, lambda *_: time.sleep(0.01)).run(name, process.wall())


COMMANDS = (build, prune, rollback, apply_rules, restore)


def leased(alias: str, command: Callable[[Releases, Process], None]) -> Callable[[Process], None]:
    def run(process: Process) -> None:
        with process.writer_lease(index_alias(alias)) as lease:
            command(Releases(process.client, alias, check_lease=lease.check), process)

    return run


@dataclass
class Judge:
    """Looks at all indices after each change of one process, while all others wait for their turns."""

    releases: Releases
    events: Counter[str] = field(default_factory=Counter)
    indices: set[str] = field(default_factory=set)
    live: list[str] = field(default_factory=list)
    creators: dict[str, Process] = field(default_factory=dict)
    live_at_check: dict[Process, list[str]] = field(default_factory=dict)

    def look(self) -> None:
        """Read which indices there are, and which is live."""
        self.indices = set(self.releases.client.indices.get(index=f"{self.releases.alias}-*", expand_wildcards="all"))
        self.live = self.releases.live_indices()

    def judge(self, process: Process, request: str) -> None:
        """Compare the indices with those before a request; raise AssertionError if it did what it must not."""
        if not is_change(request):
            if "/_doc/writer-" in request:
                self.live_at_check[process] = self.live
            return
        before, live_before = self.indices, self.live
        self.look()
        self.creators |= dict.fromkeys(self.indices - before, process)
        deleted = before - self.indices
        where = f"{process}: {request}: {live_before} -> {self.live}, deleted {deleted}"
        assert len(self.live) == 1, where
        assert not deleted & {*live_before, *self.live}, where
        if not self.has_lease(process):
            # It lost the lease after its last check, in the middle of a change that nobody else has made obsolete.
            others = {index for index in deleted if self.creators.get(index, process) is not process}
            assert not any(self.has_lease(self.creators[index]) for index in others), where
            assert self.live == live_before or live_before == self.live_at_check[process], where
            self.events["changed what it may after the loss"] += self.live != live_before or bool(deleted)
        if self.live != live_before:
            assert is_complete(self.live[0], self.releases.metadata(self.live[0])), where
            self.events["moved"] += 1
        self.events["deleted"] += len(deleted)

    def has_lease(self, process: Process) -> bool:
        """Return whether OpenSearch has the lease of this process."""
        document = control_document(self.releases.client, f"writer-{self.releases.index_alias}")
        token = document.body["holder"]["token"] if document else None
        return process.lease is not None and process.lease.holder["token"] == token


@contextmanager
def three_releases(client: OpenSearch, seed: int) -> Iterator[Releases]:
    """Publish three releases with rules and take snapshots of the first two; delete them at the end."""
    releases = Releases(client, f"akg-raced{seed}")
    snapshots = Snapshots(client, releases.alias, REPOSITORY, "raced")
    ensure_control_index(client)
    taken: list[str] = []
    for _ in range(3):
        publish_release(releases, next_plan(), START, lambda _: None)
        if len(taken) < 2:
            taken.append(snapshots.create(lambda *_: None).name)
    yield releases
    client.indices.delete(index=f"{releases.alias}-*")
    for name in taken:
        client.snapshot.delete(repository=REPOSITORY, snapshot=name, ignore=409)  # a killed command was restoring it
    client.delete(index=CONTROL_INDEX, id=f"writer-{releases.index_alias}", ignore=404)  # of a killed process


def interleave(seed: int, node_url: str, releases: Releases) -> Counter[str]:
    """Run some commands, two or three at a time; return how often what happened."""
    dice = random.Random(seed)  # noqa: S311 - the same interleavings each time
    judge = Judge(releases)
    judge.look()
    hosts = Hosts(node_url, dice, judge.judge)
    north, south = Host("north", 0.0), Host("south", dice.choice([0.0, -60.0, 60.0]))
    places = [(north, "of the host"), (north, "of a container"), (south, "of the host")]
    pids, commands = count(1), dice.choices(COMMANDS, k=dice.randint(6, 12))

    def start() -> Process | None:
        if not commands:
            return None
        (host, namespace), command = dice.choice(places), commands.pop()
        return Process(hosts, host, namespace, next(pids), command.__name__, leased(releases.alias, command))

    hosts.run(start, together=dice.choice([2, 2, 3]), max_turns=MAX_TURNS)
    for process in hosts.processes:
        judge.events[outcome(process)] += 1
    return judge.events


def outcome(process: Process) -> str:
    """Return how a command ended. Raise what it may not end with: only errors for the operator are clear messages."""
    error = process.error()
    if error is None:
        return "succeeded"
    if isinstance(error, KilledError):
        return "killed"
    if not isinstance(error, AkgError):
        raise error
    if isinstance(error, LockedError):
        return "lost its lease" if str(error).startswith("The lease was lost") else "rejected"
    assert isinstance(error, AliasMovedError) or "no earlier complete release" in str(error), error
    return "failed"


@pytest.mark.parametrize("first", range(0, SEEDS, SEEDS_AT_ONCE))
def test_there_is_one_writer_and_what_is_live_is_never_deleted(first: int, node_url: str, client: OpenSearch) -> None:
    events = Counter[str]()
    for seed in range(first, first + SEEDS_AT_ONCE):
        with three_releases(client, seed) as releases:
            events += interleave(seed, node_url, releases)
            live = releases.live_index()
            assert verify(client, live, Expected.from_index(client, live, INVERSES)) == [], seed
    assert events.keys() >= {"moved", "deleted", "succeeded", "rejected", "lost its lease", "killed"}, events
