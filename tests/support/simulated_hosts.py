"""Processes on several simulated hosts that run commands against one OpenSearch, request by request.

Each process is a thread that waits before every request until it gets a turn, so that a seed repeats an interleaving.
A process may be suspended before any request, alone or with its host, whose monotonic clock then stands still; wall
clocks jump, and processes are killed. Requests of the other threads of a process run within a turn of its main thread.
"""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from opensearchpy import OpenSearch, Urllib3HttpConnection

from indexer.release.control_index import ensure_control_index
from indexer.release.lease_holder import Identity
from indexer.release.parallel import run_in_daemon_thread
from indexer.release.writer_lease import RENEW_SECONDS, Holder, LeaseRequest, WriterLease, held_lease, new_holder

START = datetime(2026, 1, 1, tzinfo=UTC)
WATCH_SECONDS = 5.0  # between two looks at the lease of another host
POLLS = ("/_cluster/health", "/_recovery")  # how often they are sent depends on the speed of OpenSearch
TURN_SECONDS = 120  # of real time, for one request and what follows it
CHANGES = ("PUT", "DELETE", "_aliases", "_clone", "_restore")  # methods and ends of paths


class KilledError(BaseException):
    """Ends the thread of a killed process; none of its further requests are sent."""


@dataclass
class Host:
    """A machine. `ahead` is how far its wall clock is wrong, `asleep` how long its monotonic clock stood still."""

    name: str
    ahead: float
    asleep: float = 0.0
    asleep_until: float = 0.0


@dataclass(eq=False)
class Process:
    """A process that runs one command. `waits_for` is the request that it will send with its next turn."""

    hosts: "Hosts"
    host: Host
    namespace: str
    pid: int
    name: str
    command: Callable[["Process"], object]
    waits_for: str = ""
    suspended_until: float = 0.0
    sleeps_until: float = 0.0
    turns_before_renewal: int = 0
    renewed: float = 0.0
    lease: WriterLease | None = None
    is_killed: bool = False
    has_ended: bool = False
    created: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._turn, self._parked = threading.Semaphore(0), threading.Event()
        self.client = self._client()
        self._ended = run_in_daemon_thread(self._run)
        self._parked.wait(TURN_SECONDS)

    def __str__(self) -> str:
        """Return what an operator would see."""
        return f"{self.name} ({self.pid} on {self.host.name})"

    def monotonic(self) -> float:
        """Return the monotonic clock of the host."""
        return self.hosts.now - self.host.asleep

    def wall(self) -> datetime:
        """Return the wall clock of the host."""
        return START + timedelta(seconds=int(self.hosts.now + self.host.ahead))

    def error(self) -> BaseException | None:
        """Return the error with which the process ended."""
        return self._ended.exception(TURN_SECONDS)

    def take_turn(self) -> None:
        """Send the request that the process waits for, and let it go on to the next."""
        self._parked.clear()
        self._turn.release()
        if not self._parked.wait(TURN_SECONDS):
            raise TimeoutError(f"{self} hangs after {self.waits_for}")

    def kill(self) -> None:
        """End the process; it sends nothing more."""
        self.is_killed = True
        if not self.has_ended:
            self.take_turn()

    def wait_for_turn(self, request: str) -> None:
        """Block the main thread until it gets a turn. Raise KilledError if the process is killed instead."""
        if threading.current_thread() is self._thread:
            if not self.is_killed:
                self.waits_for = request
                self._parked.set()
                self._turn.acquire()
            if self.is_killed:
                raise KilledError

    def sleep(self, seconds: float) -> None:
        """Sleep in simulated time."""
        self.sleeps_until = self.hosts.now + seconds
        self.wait_for_turn("sleep")

    def is_ready(self) -> bool:
        """Return whether the process may have a turn."""
        return not self.is_suspended() and self.hosts.now >= self.sleeps_until

    def is_suspended(self) -> bool:
        """Return whether the process is stopped, or its host is asleep."""
        return self.hosts.now < max(self.suspended_until, self.host.asleep_until)

    def renew_if_due(self) -> None:
        """Do what the thread does that renews the lease."""
        if self.lease is None or self.has_ended or self.is_suspended():
            return
        if self.monotonic() - self.renewed >= RENEW_SECONDS:
            if self.turns_before_renewal:  # after a suspension the main thread may be the first to run
                self.turns_before_renewal -= 1
            elif self.lease.renew():
                self.renewed = self.monotonic()

    @contextmanager
    def writer_lease(self, alias: str) -> Iterator[WriterLease]:
        """Hold the writer lease as `indexer.release.writer_lease.writer_lease` does."""
        ensure_control_index(self.client)
        place: Identity = {
            "host": self.host.name, "pid": self.pid, "boot": self.host.name, "namespace": self.namespace, "started": 0
        }  # fmt: skip
        holder: Holder = {**new_holder(), **place}
        request = LeaseRequest(
            self.client, f"writer-{alias}", holder, lambda _: None, self.monotonic, self.hosts.is_running_seen_by(self)
        )

        def on_taken(lease: WriterLease) -> None:
            self.lease, self.renewed = lease, self.monotonic()

        with held_lease(request, lambda _: self.sleep(WATCH_SECONDS), on_taken) as lease:
            yield lease

    def _run(self) -> None:
        self._thread = threading.current_thread()
        try:
            self.wait_for_turn("start")
            self.command(self)
        finally:
            self.has_ended = True
            self._parked.set()

    def _client(self) -> OpenSearch:
        process = self

        class TurnConnection(Urllib3HttpConnection):
            def perform_request(self, method: str, url: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
                if not any(poll in url for poll in POLLS):
                    process.wait_for_turn(f"{method} {url}")
                response = super().perform_request(method, url, *args, **kwargs)
                if threading.current_thread() is process._thread:
                    process.hosts.on_response(process, f"{method} {url}")
                return response

        return OpenSearch(hosts=[self.hosts.url], timeout=60, max_retries=0, connection_class=TurnConnection)


def is_change(request: str) -> bool:
    """Return whether a request may change indices or aliases."""
    return (
        request.startswith(CHANGES) or request.partition("?")[0].rpartition("/")[2] in CHANGES or "_clone/" in request
    )


@dataclass
class Hosts:
    """The hosts, their processes and the time. `on_response(process, request)` is called while all others wait."""

    url: str
    dice: random.Random
    on_response: Callable[[Process, str], None]
    now: float = 0.0
    processes: list[Process] = field(default_factory=list)

    def is_running_seen_by(self, observer: Process) -> Callable[[Identity], bool | None]:
        """Return the function that tells a process whether the holder of a lease is running."""

        def is_running(holder: Identity) -> bool | None:
            if (holder["boot"], holder["namespace"]) != (observer.host.name, observer.namespace):
                return None
            return any(one.pid == holder["pid"] and not one.has_ended for one in self.processes)

        return is_running

    def run(self, start: Callable[[], Process | None], together: int, max_turns: int) -> None:
        """Give turns until all processes have ended, `together` of them at a time. Kill what has not by `max_turns`.

        `start` starts the next process; None if there is none.
        """
        running: list[Process] = []
        for _ in range(max_turns):
            while len(running) < together and (process := start()) is not None:
                self.processes.append(process)
                running.append(process)
            if not running:
                return
            self._disturb(running)
            for process in running:
                process.renew_if_due()
            ready = [process for process in running if not process.has_ended and process.is_ready()]
            self.now += self.dice.uniform(0, 0.5) if ready else WATCH_SECONDS
            if ready:
                self.dice.choice(ready).take_turn()
            running = [process for process in running if not process.has_ended]
        for process in running:
            process.kill()

    def _disturb(self, running: list[Process]) -> None:
        """Suspend or kill a process, most often before it changes something; or set the clock of its host."""
        dice, process = self.dice, self.dice.choice(running)
        if dice.random() < 0.01:
            process.host.ahead += dice.choice([-3600, -120, 120, 3600])
        if dice.random() < 0.001:
            process.kill()
        elif process.is_ready() and dice.random() < (0.2 if is_change(process.waits_for) else 0.01):
            seconds = dice.uniform(5, 400)
            if dice.random() < 0.3:
                process.host.asleep += seconds
                process.host.asleep_until = self.now + seconds
            else:
                process.suspended_until = self.now + seconds
            process.turns_before_renewal = dice.randrange(4)
