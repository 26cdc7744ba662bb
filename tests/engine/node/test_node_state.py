"""Identification of the node's process, despite dead processes and reused pids."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from akg.node import NodeError, StartError, start, status, stop
from akg.node.process import last_output, wait_until_ready
from akg.node.state import Folders, NodeState, clear_state, find_node, read_state, write_state


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    folders = Folders(tmp_path)
    folders.logs.mkdir(parents=True)
    return folders


@pytest.fixture
def sleeper() -> Iterator[psutil.Process]:
    with subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"]) as child:
        yield psutil.Process(child.pid)
        child.kill()


def state_of(process: psutil.Process, **changes: float) -> NodeState:
    return NodeState(pid=process.pid, create_time=changes.get("at", process.create_time()), version="3.8.0")


def test_state_can_be_written_and_read(tmp_path: Path) -> None:
    state = NodeState(pid=7, create_time=1.25, version="3.8.0", http_port=9200)
    write_state(tmp_path / "node.json", state)
    assert read_state(tmp_path / "node.json") == state
    assert [path.name for path in tmp_path.iterdir()] == ["node.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"pid": 1}', '{"pid": "x", "create_time": 1, "version": ""}'])
def test_ignores_a_broken_state_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "node.json"
    assert read_state(path) is None
    path.write_text(text, encoding="utf-8")
    assert read_state(path) is None


def test_a_process_with_the_recorded_start_time_is_the_node(folders: Folders, sleeper: psutil.Process) -> None:
    write_state(folders.state, state_of(sleeper))
    assert find_node(folders) == (state_of(sleeper), sleeper)


def test_a_dead_process_is_not_the_node_and_its_files_are_removed(folders: Folders, sleeper: psutil.Process) -> None:
    write_state(folders.state, state_of(sleeper))
    for ports in folders.ports:
        ports.write_text("127.0.0.1:9200\n", encoding="utf-8")
    sleeper.kill()
    sleeper.wait()
    assert status(folders.root) is None
    assert stop(folders.root) is False
    assert not any(path.exists() for path in (folders.state, *folders.ports))


def test_a_reused_pid_is_neither_the_node_nor_killed(folders: Folders, sleeper: psutil.Process) -> None:
    write_state(folders.state, state_of(sleeper, at=sleeper.create_time() - 3600))
    assert status(folders.root) is None
    assert stop(folders.root) is False
    assert sleeper.is_running()


def test_a_lost_state_file_does_not_hide_the_process(folders: Folders) -> None:
    folders.config.mkdir(parents=True)
    folders.options.touch()
    command = [sys.executable, "-S", "-c", "import time; time.sleep(60)", f"@{folders.options}"]
    with subprocess.Popen(command) as child:  # noqa: S603  this Python, asleep
        found = find_node(folders)
        stale = NodeState(pid=child.pid, create_time=1.0, version="3.8.0")
        write_state(folders.state, stale)  # as after a change of the clock
        found_again = find_node(folders)
        child.kill()
    assert found is not None
    assert found[0].pid == child.pid
    assert found_again is not None
    assert found_again[0] == stale


PARENT = """
import subprocess, sys, time
print(subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"]).pid, flush=True)
time.sleep(60)
"""


def test_stops_a_node_that_another_process_started(folders: Folders) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:  # noqa: S603
        assert parent.stdout
        process = psutil.Process(int(parent.stdout.readline()))
        write_state(folders.state, state_of(process))
        assert stop(folders.root) is True
        assert process.status() == psutil.STATUS_ZOMBIE
        assert not folders.state.exists()
        parent.kill()


def test_does_not_clear_the_state_of_a_newer_run(folders: Folders) -> None:
    write_state(folders.state, NodeState(pid=2, create_time=1.0, version="3.8.0"))
    clear_state(folders, pid=1)
    assert folders.state.exists()
    clear_state(folders, pid=2)
    assert not folders.state.exists()


def test_stopping_without_a_node_creates_nothing(tmp_path: Path) -> None:
    root = tmp_path / "never"
    assert stop(root) is False
    assert status(root) is None
    assert not root.exists()


def test_a_node_that_does_not_respond_in_time_is_an_error(folders: Folders, sleeper: psutil.Process) -> None:
    folders.log.write_text("[2026-01-01T00:00:00,000][INFO ][o.o.n.Node] starting\n", encoding="utf-8")
    with pytest.raises(StartError, match=r"does not respond after the timeout.*\n.*starting"):
        wait_until_ready(folders, sleeper, time.monotonic() + 0.01)


def test_a_dead_node_is_an_error_without_a_wait(folders: Folders, sleeper: psutil.Process) -> None:
    sleeper.kill()
    sleeper.wait()
    folders.printed.write_text("Error: no memory\n", encoding="utf-8")
    with pytest.raises(StartError) as caught:
        wait_until_ready(folders, sleeper, time.monotonic() + 60)
    assert caught.value.lines == ("Error: no memory",)


def test_last_output_is_the_console_output_without_stack_frames_and_java_warnings(folders: Folders) -> None:
    folders.printed.write_text(
        "WARNING: sun.misc.Unsafe will go\n\nuncaught exception in thread [main]\n"
        "Likely root cause: java.net.BindException: in use\n\tat a.B.c(B.java:1)\n\t... 3 more\nSee the log\n",
        encoding="utf-8",
    )
    assert last_output(folders) == (
        "uncaught exception in thread [main]",
        "Likely root cause: java.net.BindException: in use",
        "See the log",
    )


def test_last_output_falls_back_to_logged_errors_then_to_the_end_of_the_log(folders: Folders) -> None:
    info = [f"[2026-01-01T00:00:00,000][INFO ][o.o.n.Node] step {number}" for number in range(30)]
    error = "[2026-01-01T00:00:01,000][ERROR][o.o.b.Bootstrap] Exception"
    folders.log.write_text("\n".join(info), encoding="utf-8")
    assert last_output(folders) == tuple(info[-12:])
    folders.log.write_text("\n".join([*info, error, "\tat a.B.c(B.java:1)"]), encoding="utf-8")
    assert last_output(folders) == (error,)


def test_rejects_an_unsupported_setup_before_downloading(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    root = tmp_path / "root"
    with pytest.raises(NodeError, match="not a size"):
        start(root, cache=cache, heap="big", environ={})
    with pytest.raises(NodeError, match="not a Java home"):
        start(root, cache=cache, environ={"OPENSEARCH_JAVA_HOME": str(tmp_path)})
    assert not cache.exists()


def test_reports_an_unusable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NodeError, match=r"file/root cannot be used: .*Not a directory. Set AKG_DATA"):
        start(tmp_path / "file" / "root", cache=tmp_path, environ={})


def test_reports_a_port_that_is_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(NodeError, match=f"Port {port} is not available: .*Set --port"):
            start(tmp_path, cache=tmp_path / "cache", http_port=port, environ={})
    assert not (tmp_path / "cache").exists()
