"""Several `akg up` share the node of a folder; the last one stops it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from akg.node.errors import NodeError
from akg.node.state import Folders
from akg.node.users import use_node

SLEEP = (sys.executable, "-c", "import time; time.sleep(300)")


@pytest.fixture
def node(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process with the command line of the node of `tmp_path`."""
    with subprocess.Popen([*SLEEP, f"@{Folders(tmp_path).options}"]) as process:  # noqa: S603 - this Python
        yield process
        process.kill()


def test_only_the_last_user_stops_the_node(tmp_path: Path, node: subprocess.Popen[bytes]) -> None:
    stopped: list[Path] = []
    first, second = ExitStack(), ExitStack()
    first.enter_context(use_node(tmp_path, stopped.append)).record_start(node.pid)
    second.enter_context(use_node(tmp_path, stopped.append))
    first.close()
    assert stopped == []
    second.close()
    assert stopped == [tmp_path]


def test_a_user_that_is_killed_does_not_keep_the_node_running(tmp_path: Path, node: subprocess.Popen[bytes]) -> None:
    script = (
        "import sys, time; from pathlib import Path; from akg.node.users import use_node\n"
        f"with use_node(Path({str(tmp_path)!r}), print): print('in use', flush=True); time.sleep(300)"
    )
    stopped: list[Path] = []
    with use_node(tmp_path, stopped.append) as user:
        user.record_start(node.pid)
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as other:  # noqa: S603 - this Python
            assert other.stdout is not None
            assert other.stdout.readline() == b"in use\n"
            other.kill()
    assert stopped == [tmp_path]


def test_a_node_of_akg_node_start_keeps_running(tmp_path: Path, node: subprocess.Popen[bytes]) -> None:
    stopped: list[Path] = []
    with use_node(tmp_path, stopped.append) as user:
        assert user.started_pid() is None
    with use_node(tmp_path, stopped.append) as user:
        user.record_start(node.pid + 1)  # of an earlier node
    assert stopped == []
    assert psutil.pid_exists(node.pid)


def test_a_failed_start_stops_nothing_and_releases_the_lock(tmp_path: Path) -> None:
    stopped: list[Path] = []
    with pytest.raises(NodeError), use_node(tmp_path, stopped.append):
        raise NodeError("no Java")
    with use_node(tmp_path, stopped.append):
        pass
    assert stopped == []


def test_reports_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NodeError, match="cannot be used"), use_node(tmp_path / "file", print):
        pass
