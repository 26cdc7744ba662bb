"""Identity of the process that has the writer lease, and whether that process is running.

Host name and process id do not identify a process: containers may share a host name, and each has a process 1. On
Linux the boot id names the run of one machine, and the inode of the pid namespace names who counts the process ids.
The start is counted in clock ticks since boot, which a correction of the clock does not change.
"""

import os
import socket
from pathlib import Path
from typing import TypedDict

import psutil

PROC = Path("/proc")
CLOCK_STEP_SECONDS = 2.0  # a clock correction moves the start time that systems without /proc report
STATE_FIELD, START_FIELD = 3, 22  # in `stat`, counted from 1
ENDED_STATES = frozenset("ZXx")  # a zombie has ended; only its exit code is left


class Identity(TypedDict):
    """A process. `boot` and `namespace` are empty where the system has no /proc; then `started` is in epoch seconds."""

    host: str
    pid: int
    boot: str
    namespace: str
    started: float


def this_process(proc: Path = PROC) -> Identity:
    """Return the identity of this process."""
    pid = os.getpid()
    boot, namespace = _machine(proc)
    stat = _stat(proc, pid) if boot else None
    started = float(stat[START_FIELD - 1]) if stat else psutil.Process(pid).create_time()
    return {"host": socket.gethostname(), "pid": pid, "boot": boot, "namespace": namespace, "started": started}


def is_running(holder: Identity, proc: Path = PROC) -> bool | None:
    """Return whether a process is running; None if that cannot be seen from here."""
    boot, namespace = _machine(proc)
    if (holder["boot"], holder["namespace"]) != (boot, namespace):
        return None
    if not boot:
        return _is_running_by_host(holder)
    if not namespace:
        return None
    stat = _stat(proc, holder["pid"])
    if stat is None:
        # /proc may hide the processes of other users (mount option `hidepid`).
        return None if _exists(holder["pid"]) else False
    return float(stat[START_FIELD - 1]) == holder["started"] and stat[STATE_FIELD - 1] not in ENDED_STATES


def _is_running_by_host(holder: Identity) -> bool | None:
    """Compare by host name and start time. After a clock correction the start time does not tell."""
    if holder["host"] != socket.gethostname():
        return None
    try:
        started = psutil.Process(holder["pid"]).create_time()
    except psutil.NoSuchProcess:
        return False
    return True if abs(started - holder["started"]) <= CLOCK_STEP_SECONDS else None


def _machine(proc: Path) -> tuple[str, str]:
    """Return boot id and pid namespace; empty where they cannot be read, or where /proc is of another namespace."""
    try:
        boot = (proc / "sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return "", ""
    try:
        is_own = str((proc / "self").readlink()) == str(os.getpid())
        return boot, str((proc / "self/ns/pid").readlink()) if is_own else ""
    except OSError:
        return boot, ""


def _stat(proc: Path, pid: int) -> list[str] | None:
    """Return the fields of `stat`; None if there is no such process. The name, field 2, may contain anything."""
    try:
        text = (proc / str(pid) / "stat").read_text("utf-8", errors="replace")
    except OSError:
        return None
    before, _, after = text.rpartition(")")
    number, _, name = before.partition("(")
    return [number.strip(), name, *after.split()]


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it belongs to another user
        return True
    return True
