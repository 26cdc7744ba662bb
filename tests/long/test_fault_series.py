"""Each request of each writing command fails once, or is its last: the alias always points at one complete release.

A killed command is one whose next requests all fail, those of its cleanup and of its lease included.
"""

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from opensearchpy import ConnectionError as NotConnectedError
from opensearchpy import ConnectionTimeout, OpenSearch, OpenSearchException, TransportError, Urllib3HttpConnection

from indexer.release.bulk import IndexInput, encode_documents
from indexer.release.control_index import CONTROL_INDEX
from indexer.release.plan import ReleasePlan
from indexer.release.publish import CloneError, find_base_release, opensearch_version, publish_release
from indexer.release.releases import Releases
from indexer.release.retention import is_complete
from indexer.release.verify import Expected, verify
from indexer.release.writer_lease import LockedError, writer_lease
from indexer.snapshots.restore import Restore
from indexer.snapshots.snapshots import Snapshots
from indexer.synonyms.publish import RulePublisher
from schema.errors import AkgError
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS, WORLD, plan_of

START = datetime(2026, 1, 1, tzinfo=UTC)
INVERSES = read_vocabulary(MAPPINGS).forward
MAX_REQUESTS = 400  # of one command
NUMBERS = count(1)  # of releases, so that each has a version and a time of its own


class KilledError(BaseException):
    """Ends a command as a kill does: nothing that it sends later reaches OpenSearch."""


class Fault:
    """Fails one request of a client. `kind` is how, `number` says which."""

    def __init__(self, kind: str, number: int) -> None:
        self.kind, self.number = kind, number
        self.requests = 0
        self._lock = threading.Lock()

    def is_next(self) -> bool:
        """Count a request; return whether it is the one to fail."""
        with self._lock:
            self.requests += 1
            return self.requests == self.number

    @property
    def is_killed(self) -> bool:
        """Whether the command was killed before this request."""
        return self.kind == "killed" and self.requests > self.number

    @property
    def happened(self) -> bool:
        """Whether the command sent as many requests."""
        return self.requests >= self.number


def faulty_client(url: str, fault: Fault) -> OpenSearch:
    """Return a client without retries, one of whose requests fails."""

    class FaultyConnection(Urllib3HttpConnection):
        def perform_request(self, method: str, url: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passed on
            is_next = fault.is_next()
            if fault.is_killed:
                raise KilledError
            if not is_next:
                return super().perform_request(method, url, *args, **kwargs)
            if fault.kind == "busy":
                raise TransportError(429, "circuit_breaking_exception", {})
            if fault.kind == "killed":  # after this request was sent
                super().perform_request(method, url, *args, **kwargs)
                raise KilledError
            if fault.kind == "lost response":
                super().perform_request(method, url, *args, **kwargs)
                raise ConnectionTimeout("TIMEOUT", url, TimeoutError())
            if fault.kind == "interrupted" and threading.current_thread() is threading.main_thread():
                raise KeyboardInterrupt  # as the signal of Ctrl-C, which reaches only the main thread
            raise NotConnectedError("N/A", url, OSError())

    return OpenSearch(hosts=[url], timeout=60, max_retries=0, connection_class=FaultyConnection)


def next_plan() -> tuple[ReleasePlan, datetime]:
    """Return a plan with a version of its own, and a time."""
    number, plan = next(NUMBERS), plan_of(WORLD)
    plan = replace(plan, meta={**plan.meta, "data_version": f"2026.01.{number}-x"})
    return plan, START + timedelta(minutes=number)


def build(releases: Releases, _: str) -> None:
    publish_release(releases, *next_plan(), lambda _: None)


def incremental_build(releases: Releases, _: str) -> None:
    """Build from a clone of the live release; a clone that fails is followed by a build from scratch."""
    plan, now = next_plan()
    plan = replace(plan, meta={**plan.meta, "engine": opensearch_version(releases.client)})
    documents = tuple(encode_documents(plan.documents))
    base = find_base_release(releases, plan)
    try:
        publish_release(releases, plan, now, lambda _: None, IndexInput(documents, base))
    except CloneError:
        publish_release(releases, plan, now + timedelta(seconds=1), lambda _: None, IndexInput(documents))


def rollback(releases: Releases, _: str) -> None:
    (live,) = releases.live_indices()
    releases.rollback(next(release.index for release in releases.complete_releases() if release.index != live))


def prune(releases: Releases, _: str) -> None:
    releases.delete_leftovers()
    releases.prune(0)


def restore(releases: Releases, snapshot: str) -> None:
    snapshots = Snapshots(releases.client, releases.alias, "akg-faults", "faults", releases.check_lease)
    Restore(snapshots, INVERSES, {}, lambda *_: None).run(snapshot, START + timedelta(minutes=next(NUMBERS)))


def restore_broken(releases: Releases, snapshot: str) -> None:
    """Restore the release that is live and broken."""
    restore(releases, snapshot)


def apply_rules(releases: Releases, _: str) -> None:
    publisher, now = RulePublisher(releases), START + timedelta(minutes=next(NUMBERS))
    publisher.publish(publisher.candidate(publisher.live().rules[:-1], now), "apply", now)


COMMANDS: dict[str, Callable[[Releases, str], None]] = {
    "build": build,
    "incremental build": incremental_build,
    "rollback": rollback,
    "prune": prune,
    "restore": restore,
    "restore of the broken live release": restore_broken,
    "synonyms apply": apply_rules,
}


KINDS = ("lost request", "lost response", "busy", "interrupted", "killed")
STEP = int(os.environ.get("FAULT_STEP", "3"))  # 1: each request fails in every way, which takes three times as long
# The worst case: the request succeeded, the command takes it for a failure, and retries or cleans up.
EACH_REQUEST = {("build", "lost response")}
ONE_WAY = "restore of the broken live release"  # slow, and shares most requests with a restore


@pytest.fixture
def releases(client: OpenSearch, request: pytest.FixtureRequest) -> Iterator[Releases]:
    releases = Releases(client, f"akg-{abs(hash(request.node.name)) % 10**9}")
    yield releases
    client.indices.delete(index=f"{releases.alias}-*")


def publish_base(releases: Releases) -> None:
    """Publish a release that an incremental build can clone, unless the live one is such."""
    plan, now = next_plan()
    plan = replace(plan, meta={**plan.meta, "engine": opensearch_version(releases.client)})
    if find_base_release(releases, plan) is None:
        publish_release(releases, plan, now, lambda _: None)


def prepare(releases: Releases, snapshots: Snapshots, command: str) -> str:
    """Publish releases until there are two with rules; return the name of a snapshot of one that was deleted since."""
    while len(releases.complete_releases()) < 3 or not (releases.live_metadata() or {})["rules"]:
        build(releases, "")
    if command == "incremental build":  # from one that has the digests and the version of OpenSearch
        publish_base(releases)
    if not command.startswith("restore"):
        return ""
    if command != "restore":  # the command before may have left the broken release live
        build(releases, "")
    name = snapshots.create(lambda *_: None).name
    if command != "restore":
        releases.client.indices.put_settings(index=name, body={"index.blocks.write": False})
        releases.client.delete(index=name, id="vendor:quiet-works", params={"refresh": "true"})
        return name
    build(releases, "")
    releases.client.indices.delete(index=name)
    return name


def failing_requests(command: str, kind: str) -> range:
    """Return the numbers of the requests that fail in one way: every third, where the ways begin at different ones.

    So each request of each command fails in one way or two; those of the slowest command in one.
    """
    step = len(KINDS) if command == ONE_WAY and STEP > 1 else STEP
    step = 1 if (command, kind) in EACH_REQUEST else step
    return range(1 + KINDS.index(kind) % step, MAX_REQUESTS, step)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_fault_at_any_request_leaves_one_complete_release(
    node_url: str, client: OpenSearch, releases: Releases, command: str, kind: str
) -> None:
    snapshots = Snapshots(client, releases.alias, "akg-faults", "faults")
    for number in failing_requests(command, kind):
        snapshot = prepare(releases, snapshots, command)
        fault = Fault(kind, number)
        with faulty_client(node_url, fault) as faulty:
            try:
                with writer_lease(faulty, releases.index_alias, lambda _: None) as lease:
                    COMMANDS[command](Releases(faulty, releases.alias, check_lease=lease.check), snapshot)
            except LockedError as error:
                if "lost" not in str(error):  # a command that was rejected sends no more requests that could fail
                    raise
            except (AkgError, OpenSearchException, KeyboardInterrupt, KilledError):
                pass
        # If the response to its creation was lost, the lease stays: of a process that has ended, had it one of its own.
        client.delete(index=CONTROL_INDEX, id=f"writer-{releases.index_alias}", ignore=404)
        (live,) = releases.live_indices()
        meta = releases.metadata(live)
        assert is_complete(live, meta), (number, meta)
        is_broken = command.startswith("restore of") and live == snapshot  # as it was before
        assert is_broken or verify(client, live, Expected.from_index(client, live, INVERSES)) == [], number
        if not fault.happened:
            return
    pytest.fail(f"{command} sends more than {MAX_REQUESTS} requests")
