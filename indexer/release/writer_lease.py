"""Single-writer lease, stored in OpenSearch so that it holds across machines.

Every write of the lease is conditional on the version of the document that was read, so that OpenSearch decides which
of several writers wins. A daemon thread renews the lease until it is released, whatever the command does.

No clock of another machine is compared. A writer that finds a lease:

- is rejected at once if the holder is running on this machine, and takes over at once if it was killed there;
- else watches the document: it is rejected when the holder renews the lease, within RENEW_SECONDS, and takes over
  when the document did not change for as long as the lease says (docs/decisions/0004).

The lease names host and process, never a person.
"""

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from opensearchpy import ConflictError, NotFoundError, OpenSearch, OpenSearchException

from indexer.release.control_index import (
    ControlDocument,
    control_document,
    delete_control_document,
    ensure_control_index,
    write_control_document,
)
from indexer.release.lease_holder import Identity, is_running, this_process
from schema.errors import LOCKED, AkgError

LEASE_SECONDS = 120.0  # without a renewal, then another writer may take over; longer than requests are repeated
RENEW_SECONDS = 10.0
RETRY_SECONDS = 1.0  # between two attempts to renew, and two looks at the lease of another machine
RELEASE_SECONDS = 3.0  # to retry the deletion of the lease: a command that is interrupted must end
NOTHING_PUBLISHED = "nothing was published"


class Holder(Identity):
    """A process with a lease. `token` identifies the lease, `lease_seconds` says how long it holds without renewal."""

    token: str
    lease_seconds: float


@dataclass(frozen=True, slots=True)
class LeaseStatus:
    """The process that has the lease, and whether it was killed on this machine."""

    host: str
    pid: int
    expired: bool


class LockedError(AkgError):
    """Another process has the lease; the message says which, and what to do."""

    exit_code = LOCKED


@dataclass
class WriterLease:
    """A lease that this process took. `notify` gets messages for the operator."""

    client: OpenSearch
    key: str
    holder: Holder
    version: Mapping[str, int]
    expires: float  # by `monotonic`
    notify: Callable[[str], None]
    monotonic: Callable[[], float] = time.monotonic
    _loss: str = ""
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def check(self, outcome: str = NOTHING_PUBLISHED) -> None:
        """Ask OpenSearch whether this process still has the lease. Raise LockedError if not, with the outcome."""
        self.require(outcome)
        document = control_document(self.client, self.key)
        if not _has_token(document, self.holder):
            self._lose(document)
            self.require(outcome)

    def require(self, outcome: str = NOTHING_PUBLISHED) -> None:
        """Raise LockedError if it is known that the lease was lost. Sends no request."""
        if self._loss:
            raise LockedError(f"The lease was lost{self._loss}; {outcome}.")

    def renew(self) -> bool:
        """Renew the lease. Return False if that must be tried again."""
        began = self.monotonic()
        try:
            try:
                self.version = write_control_document(self.client, self.key, {"holder": self.holder}, self.version)
            except (ConflictError, NotFoundError):
                # A write of this process may have succeeded although its response was lost.
                document = control_document(self.client, self.key)
                if document is None or not _has_token(document, self.holder):
                    self._lose(document)
                    return True
                self.version = document.if_unchanged
        except OpenSearchException:
            if self.monotonic() >= self.expires:
                self._loss = ", because OpenSearch was unavailable until it expired"
            return False
        self.expires = began + LEASE_SECONDS
        return True

    def release(self) -> None:
        """Stop the renewal and delete the lease, if it is still that of this process."""
        self._stop_thread()
        deadline = self.monotonic() + RELEASE_SECONDS
        while True:
            try:
                document = control_document(self.client, self.key)
                if document is not None and _has_token(document, self.holder):
                    delete_control_document(self.client, self.key, document.if_unchanged)
            except (ConflictError, NotFoundError):
                continue  # a renewal was under way
            except OpenSearchException as error:
                if self.monotonic() < deadline:
                    time.sleep(RETRY_SECONDS)
                    continue
                self.notify(f"The writer lease could not be deleted ({error}). It ends with this process.")
            return

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Renew without the thread for a moment: a process with several threads cannot fork safely."""
        self._stop_thread()
        try:
            yield
        finally:
            self.start_thread()

    def start_thread(self) -> None:
        """Start to renew the lease."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep_renewed, name="writer-lease", daemon=True)
        self._thread.start()

    def _stop_thread(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(RELEASE_SECONDS)

    def _keep_renewed(self) -> None:
        stop, pause = self._stop, RENEW_SECONDS
        while not stop.wait(pause) and not self._loss:
            pause = RENEW_SECONDS if self.renew() else RETRY_SECONDS

    def _lose(self, document: ControlDocument | None) -> None:
        self._loss = f" to {_name(document.body['holder'])}" if document else ""
        self._loss = self._loss or ", because its document is missing"


@dataclass
class LeaseRequest:
    """The wish of this process for the lease. Call `attempt` until it returns the lease or raises LockedError."""

    client: OpenSearch
    key: str
    holder: Holder
    notify: Callable[[str], None]
    monotonic: Callable[[], float] = time.monotonic
    is_running: Callable[[Identity], bool | None] = is_running
    _seen: ControlDocument | None = None  # the first look at the lease of another machine
    _since: float = 0.0

    def attempt(self) -> WriterLease | None:
        """Return the lease if it is free or the holder ended; None if it is not known yet whether the holder runs."""
        began = self.monotonic()
        document = control_document(self.client, self.key)
        if document is None:
            return self._write({"op_type": "create"}, began)
        if _has_token(document, self.holder):  # the response to the creation was lost
            return self._lease(document.if_unchanged, began)
        running = self.is_running(_identity(document.body["holder"]))
        if running:
            raise LockedError(f"{_running(document)}. Wait for it, or end it.")
        if running is False or self._is_silent(document):
            return self._write(document.if_unchanged, began)
        return None

    def _is_silent(self, document: ControlDocument) -> bool:
        """Return whether the lease of another machine was watched for as long as it holds, and was not renewed."""
        seconds: float = document.body["holder"].get("lease_seconds", LEASE_SECONDS)
        if self._seen is None:
            self._seen, self._since = document, self.monotonic()
            self.notify(f"{_running(document)}. If it gives no sign within {seconds:.0f} s, this command starts.")
        if document.if_unchanged != self._seen.if_unchanged:
            raise LockedError(f"{_running(document)}. Wait for it.")
        return self.monotonic() - self._since >= seconds

    def _write(self, condition: Mapping[str, int | str], began: float) -> WriterLease | None:
        try:
            version = write_control_document(self.client, self.key, {"holder": self.holder}, condition)
        except ConflictError:
            return None  # the next attempt sees who was first
        return self._lease(version, began)

    def _lease(self, version: Mapping[str, int], began: float) -> WriterLease:
        expires = began + LEASE_SECONDS
        return WriterLease(self.client, self.key, self.holder, version, expires, self.notify, self.monotonic)


def new_holder() -> Holder:
    """Return a holder for one lease of this process."""
    return {**this_process(), "token": uuid.uuid4().hex, "lease_seconds": LEASE_SECONDS}


@contextmanager
def writer_lease(client: OpenSearch, alias: str, notify: Callable[[str], None]) -> Iterator[WriterLease]:
    """Hold the only right to publish behind this alias. Raise LockedError if another process has it.

    Call `check` right before the index alias moves or an index is deleted. `notify` gets messages for the operator.
    """
    ensure_control_index(client)
    request = LeaseRequest(client, _key(alias), new_holder(), notify)
    with held_lease(request, time.sleep, WriterLease.start_thread) as lease:
        yield lease


@contextmanager
def held_lease(
    request: LeaseRequest, sleep: Callable[[float], object], on_taken: Callable[[WriterLease], object]
) -> Iterator[WriterLease]:
    """Repeat a request for the lease until it is granted or raises LockedError, and hold the lease."""
    while (lease := request.attempt()) is None:
        sleep(RETRY_SECONDS)
    try:
        on_taken(lease)
        yield lease
    except LockedError:
        raise
    except (OpenSearchException, AkgError):
        # The next writer deletes what this one has not published, so the loss of the lease may be the cause.
        with suppress(OpenSearchException):
            lease.check()
        raise
    finally:
        lease.release()


def lease_status(client: OpenSearch, alias: str) -> LeaseStatus | None:
    """Return the status of the lease for this alias; None if no process has it."""
    if (document := control_document(client, _key(alias))) is None:
        return None
    holder = _identity(document.body["holder"])
    return LeaseStatus(holder["host"], holder["pid"], is_running(holder) is False)


def _key(alias: str) -> str:
    return f"writer-{alias}"


def _identity(holder: Mapping[str, object]) -> Identity:
    """Return the identity of a holder. Those of version 0.1.0 match no machine."""
    unknown = {"boot": "unknown", "namespace": "unknown"}
    fields: Identity = {**unknown, **holder}  # type: ignore[typeddict-item]
    return fields


def _has_token(document: ControlDocument | None, holder: Holder) -> bool:
    return document is not None and document.body["holder"].get("token") == holder["token"]


def _name(holder: Identity) -> str:
    return f"process {holder['pid']} on {holder['host']}"


def _running(document: ControlDocument) -> str:
    return f"Another build is running: {_name(document.body['holder'])}"
