"""Single-writer lease, stored in OpenSearch so that it holds across machines, and the control index that stores it.

The control index also stores the history of synonym rules, and no user input.

A killed holder does not block for long: on the same machine a dead process is detected at once, elsewhere its lease
expires. The lease names host and process, never a person.
"""

import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypedDict

import psutil
from opensearchpy import ConflictError, NotFoundError, OpenSearch

from schema.errors import AkgError
from schema.json_types import JsonObject

CONTROL_INDEX = "akg-control"
MAPPINGS: JsonObject = {
    "dynamic": "strict",
    "properties": {
        "holder": {"type": "object", "enabled": False},
        "history": {"type": "object", "enabled": False},
    },
}
BODY = {
    "settings": {"index": {"number_of_shards": 1, "number_of_replicas": 0, "auto_expand_replicas": "0-1"}},
    "mappings": MAPPINGS,
}
LEASE_SECONDS = 120.0
RENEW_SECONDS = 20.0
CLOCK_STEP_SECONDS = 2.0  # a clock correction moves the start time that the system reports for a process


def ensure_control_index(client: OpenSearch) -> None:
    """Create the index if it is missing, and add fields that an index of an older version lacks."""
    try:
        properties = client.indices.get_mapping(index=CONTROL_INDEX)[CONTROL_INDEX]["mappings"]["properties"]
    except NotFoundError:
        client.indices.create(index=CONTROL_INDEX, body=BODY, params={"wait_for_active_shards": "1"}, ignore=400)
        return
    if set(properties) != set(MAPPINGS["properties"]):
        client.indices.put_mapping(index=CONTROL_INDEX, body=MAPPINGS)


class Holder(TypedDict):
    """A process; its start time distinguishes it from a later one with the same pid. `taken` identifies the lease."""

    host: str
    pid: int
    started: float
    taken: int


class Lease(Holder):
    """A holder and when its lease expires."""

    expires: float


@dataclass(frozen=True, slots=True)
class LeaseStatus:
    """The process that has the lease, and whether another one may take it."""

    host: str
    pid: int
    expired: bool


class LockedError(AkgError):
    """Another process has the lease; the message says which, and until when."""


@contextmanager
def writer_lease(
    client: OpenSearch, alias: str, clock: Callable[[], float] = time.time
) -> Iterator[Callable[[], None]]:
    """Hold the only right to publish behind this alias. Yield a function that renews the lease; call it regularly."""
    key = f"writer-{alias}"
    holder = _this_process()
    renewed = _acquire(client, key, holder, clock)

    def renew() -> None:
        nonlocal renewed
        if clock() - renewed > RENEW_SECONDS:
            renewed = clock()
            client.index(index=CONTROL_INDEX, id=key, body=_lease_body(holder, renewed))

    try:
        yield renew
    finally:
        _release(client, key, holder)


@dataclass(frozen=True, slots=True)
class ControlDocument:
    """A document of the control index; with the parameters `if_unchanged`, a write fails if it changed since."""

    body: JsonObject
    if_unchanged: Mapping[str, int]


def control_document(client: OpenSearch, key: str) -> ControlDocument | None:
    """Return a document of the control index; None if there is none."""
    try:
        document = client.get(index=CONTROL_INDEX, id=key)
    except NotFoundError:
        return None
    version = {"if_seq_no": document["_seq_no"], "if_primary_term": document["_primary_term"]}
    return ControlDocument(document["_source"], version)


def lease_status(client: OpenSearch, alias: str) -> LeaseStatus | None:
    """Return the status of the lease for this alias; None if no process has it."""
    if (document := control_document(client, f"writer-{alias}")) is None:
        return None
    lease: Lease = document.body["holder"]
    return LeaseStatus(lease["host"], lease["pid"], _is_expired(lease, time.time()))


def _acquire(client: OpenSearch, key: str, holder: Holder, clock: Callable[[], float]) -> float:
    ensure_control_index(client)
    now = clock()
    create = {"op_type": "create", "refresh": "true"}
    try:
        client.index(index=CONTROL_INDEX, id=key, body=_lease_body(holder, now), params=create)
    except ConflictError:
        _take_over(client, key, holder, now)
    return now


def _take_over(client: OpenSearch, key: str, holder: Holder, now: float) -> None:
    """Replace an expired lease. Raise LockedError if it is not expired."""
    if (document := control_document(client, key)) is None:
        raise LockedError("Another build has just ended. Try again.")
    lease: Lease = document.body["holder"]
    if not _is_expired(lease, now):
        raise LockedError(
            f"Another build is running: process {lease['pid']} on {lease['host']}. "
            f"Wait for it. If it was killed, its lease expires in {round(lease['expires'] - now)} s."
        )
    try:
        client.index(index=CONTROL_INDEX, id=key, body=_lease_body(holder, now), params=document.if_unchanged)
    except ConflictError:
        raise LockedError("Another build has just started. Wait for it.") from None


def _is_expired(lease: Lease, now: float) -> bool:
    """Return whether the lease ran out, or its holder was a process of this machine and is dead."""
    if lease["expires"] < now:
        return True
    if lease["host"] != socket.gethostname():
        return False
    try:
        return bool(abs(psutil.Process(lease["pid"]).create_time() - lease["started"]) > CLOCK_STEP_SECONDS)
    except psutil.NoSuchProcess:
        return True


def _this_process() -> Holder:
    process = psutil.Process(os.getpid())
    return {"host": socket.gethostname(), "pid": process.pid, "started": process.create_time(), "taken": time.time_ns()}


def _lease_body(holder: Holder, now: float) -> dict[str, Lease]:
    return {"holder": {**holder, "expires": now + LEASE_SECONDS}}


def _release(client: OpenSearch, key: str, holder: Holder) -> None:
    document = control_document(client, key)
    if document and document.body["holder"]["taken"] == holder["taken"]:
        client.delete(index=CONTROL_INDEX, id=key)
