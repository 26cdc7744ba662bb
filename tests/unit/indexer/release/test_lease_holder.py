"""Whether the process that has the lease is running, by boot, pid namespace, pid and start."""

import os
import socket
import sys
from pathlib import Path

import psutil
import pytest

from indexer.release.lease_holder import Identity, is_running, this_process

UNUSED_PID = 2**30  # beyond every process id
STAT = "{pid} ({name}) {state} 1 1 1 0 -1 4194560 100 0 0 0 1 1 0 0 20 0 1 0 {start} 1000 100\n"


def proc_of(
    folder: Path,
    *,
    boot: str = "b-1",
    namespace: str = "pid:[1]",
    processes: dict[int, str] | None = None,
) -> Path:
    """Write what a machine shows of itself and of its processes."""
    (folder / "sys/kernel/random").mkdir(parents=True)
    (folder / "sys/kernel/random/boot_id").write_text(f"{boot}\n")
    own = os.getpid()
    for pid, stat in {own: stat_of(own), **(processes or {})}.items():
        (folder / str(pid)).mkdir()
        (folder / str(pid) / "stat").write_text(stat)
    (folder / str(own) / "ns").mkdir()
    (folder / str(own) / "ns/pid").symlink_to(namespace)
    (folder / "self").symlink_to(str(own))
    return folder


def stat_of(pid: int, start: int = 500, name: str = "akg", state: str = "S") -> str:
    return STAT.format(pid=pid, name=name, state=state, start=start)


def holder(pid: int, boot: str = "b-1", namespace: str = "pid:[1]", started: float = 500) -> Identity:
    return {"host": socket.gethostname(), "pid": pid, "boot": boot, "namespace": namespace, "started": started}


@pytest.mark.parametrize(
    ("identity", "running"),
    [
        (holder(7), True),
        (holder(8), True),  # its name has spaces and brackets
        (holder(7, started=499), False),  # another process has its pid
        (holder(9), False),  # a zombie
        (holder(UNUSED_PID), False),
        (holder(UNUSED_PID, boot="b-2"), None),  # another machine, or this one before a restart
        (holder(UNUSED_PID, namespace="pid:[2]"), None),  # a container of this machine with the same host name
        (holder(7, namespace="pid:[2]"), None),
        (holder(UNUSED_PID, boot="", namespace=""), None),  # a machine without /proc
    ],
)
def test_a_process_is_only_judged_within_its_boot_and_pid_namespace(
    tmp_path: Path,
    identity: Identity,
    running: bool | None,  # noqa: FBT001 - a column of the table
) -> None:
    processes = {7: stat_of(7), 8: stat_of(8, name="a b) R (c"), 9: stat_of(9, state="Z")}
    assert is_running(identity, proc_of(tmp_path, processes=processes)) is running


def test_identifies_this_process_by_its_start_in_clock_ticks(tmp_path: Path) -> None:
    assert this_process(proc_of(tmp_path)) == holder(os.getpid())


def test_a_hidden_process_of_another_user_is_not_taken_for_dead(tmp_path: Path) -> None:
    assert is_running(holder(1), proc_of(tmp_path)) is None


def test_a_proc_of_another_pid_namespace_says_nothing(tmp_path: Path) -> None:
    proc = proc_of(tmp_path)
    (proc / "self").unlink()
    (proc / "self").symlink_to("1")
    assert is_running(holder(UNUSED_PID, namespace=""), proc) is None


@pytest.mark.parametrize(
    ("changes", "running"),
    [
        ({}, True),
        ({"pid": UNUSED_PID}, False),
        ({"started": 1.0}, None),  # another process, or the clock was corrected
        ({"host": "elsewhere.example.org", "pid": UNUSED_PID}, None),
    ],
)
def test_without_proc_host_name_and_start_time_identify_a_process(
    tmp_path: Path,
    changes: Identity,
    running: bool | None,  # noqa: FBT001 - a column of the table
) -> None:
    identity = this_process(tmp_path)
    assert (identity["boot"], identity["namespace"]) == ("", "")
    assert is_running({**identity, **changes}, tmp_path) is running


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_correction_of_the_clock_does_not_change_an_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    identity = this_process()
    create_time = psutil.Process.create_time
    monkeypatch.setattr(psutil.Process, "create_time", lambda process: create_time(process) + 3)
    assert this_process() == identity
    assert is_running(identity) is True
