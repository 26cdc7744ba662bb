"""One writer at a time: a lease kept in the engine itself, so that it holds across machines.

A holder that was killed does not block for long: on the same machine a dead process is seen at once, elsewhere its
lease runs out. The lease names host and process, never a person.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psutil
from opensearchpy import ConflictError, NotFoundError

from indexer.control import INDEX, ensure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from opensearchpy import OpenSearch

LEASE_SECONDS = 120.0
RENEW_SECONDS = 20.0
CLOCK_STEP_SECONDS = 2.0  # a corrected clock moves the start time that the system tells of a living process


class LockedError(Exception):
    """Somebody else is publishing; the message says who and until when."""


@contextmanager
def writer(client: OpenSearch, alias: str, clock: Callable[[], float] = time.time) -> Iterator[Callable[[], None]]:
    """Hold the only right to publish behind this alias; yields what renews the lease, to call now and then."""
    key = f"writer-{alias}"
    holder = _me()
    renewed = _take(client, key, holder, clock)

    def renew() -> None:
        nonlocal renewed
        if clock() - renewed > RENEW_SECONDS:
            renewed = clock()
            client.index(index=INDEX, id=key, body=_lease(holder, renewed))

    try:
        yield renew
    finally:
        _release(client, key, holder)


def holder_of(client: OpenSearch, alias: str) -> dict[str, Any] | None:
    """Who holds the right to publish behind this alias: host, pid, when the claim ends, and whether it is `gone`."""
    try:
        known: dict[str, Any] = client.get(index=INDEX, id=f"writer-{alias}")["_source"]["holder"]
    except NotFoundError:
        return None
    return {**known, "gone": _gone(known, time.time())}


def _take(client: OpenSearch, key: str, holder: dict[str, Any], clock: Callable[[], float]) -> float:
    ensure(client)
    now = clock()
    try:
        client.index(index=INDEX, id=key, body=_lease(holder, now), params={"op_type": "create", "refresh": "true"})
    except ConflictError:
        _take_over(client, key, holder, now)
    return now


def _take_over(client: OpenSearch, key: str, holder: dict[str, Any], now: float) -> None:
    try:
        known = client.get(index=INDEX, id=key)
    except NotFoundError:
        raise LockedError("Another build ended just now. Try again.") from None
    other = known["_source"]["holder"]
    if not _gone(other, now):
        left = round(other["expires"] - now)
        raise LockedError(
            f"Another build is running: process {other['pid']} on {other['host']}. "
            f"Wait for it; if it was killed, its claim ends by itself in {left} s."
        )
    place = {"if_seq_no": known["_seq_no"], "if_primary_term": known["_primary_term"]}
    try:
        client.index(index=INDEX, id=key, body=_lease(holder, now), params=place)
    except ConflictError:
        raise LockedError("Another build took over just now. Wait for it.") from None


def _gone(other: dict[str, Any], now: float) -> bool:
    if other["expires"] < now:
        return True
    if other["host"] != socket.gethostname():
        return False
    try:
        return bool(abs(psutil.Process(other["pid"]).create_time() - other["started"]) > CLOCK_STEP_SECONDS)
    except psutil.NoSuchProcess:
        return True


def _me() -> dict[str, Any]:
    process = psutil.Process(os.getpid())
    return {"host": socket.gethostname(), "pid": process.pid, "started": process.create_time(), "taken": time.time_ns()}


def _lease(holder: dict[str, Any], now: float) -> dict[str, Any]:
    return {"holder": {**holder, "expires": now + LEASE_SECONDS}}


def _release(client: OpenSearch, key: str, holder: dict[str, Any]) -> None:
    try:
        known = client.get(index=INDEX, id=key)
    except NotFoundError:
        return
    if known["_source"]["holder"]["taken"] == holder["taken"]:
        client.delete(index=INDEX, id=key)
