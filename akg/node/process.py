"""Start, stop and look at one local node. The only file that starts or ends the engine."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import psutil
from filelock import FileLock, Timeout

from akg.node import health
from akg.node.config import NodeConfig, heap_megabytes, write_config
from akg.node.errors import NodeError, StartError
from akg.node.fetch import fetch
from akg.node.folders import Folders
from akg.node.java import find_java
from akg.node.release import OPENSEARCH
from akg.node.state import NodeState, clear_state, find_node, write_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rich.console import Console

READY_SECONDS = 240.0
STOP_SECONDS = 20.0
LOOK_SECONDS = 0.05
GRACE_SECONDS = 2.0
_LAST_WORDS = 12
_KILLED = -9
# Stack frames, and Java's warnings about its own future.
_NOISE = re.compile(r"\s+at |\s+\.\.\. \d+ more|\s*WARNING:|\s*$")
_LOGGED_ERROR = re.compile(r"\[\S+\]\[(ERROR|FATAL)")
# Java reads these on its own; what they say belongs to other programs.
_FOREIGN_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")

# The engine outlives this process on purpose; kept here, for Python warns about a child that it forgets.
_children: dict[int, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True, slots=True)
class RunningNode:
    """A node that answers. `reused` when it ran before it was asked for."""

    url: str
    pid: int
    http_port: int
    reused: bool


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """A living node. `health` is green, yellow or red, `starting`, or `silent` when it should answer and does not."""

    pid: int
    version: str
    url: str | None
    health: str
    started: float
    memory: int
    data: Path


def start(
    root: Path,
    *,
    cache: Path,
    http_port: int | None = None,
    heap: str = "1g",
    console: Console | None = None,
    environ: Mapping[str, str] | None = None,
) -> RunningNode:
    """The node whose data is in `root`: the one that runs, or a new one once it answers.

    `http_port` None takes the first free port from 9200 on, 0 any free one. A start that fails or is interrupted
    leaves no process and no state. The node is in a session of its own and goes on when the caller ends.
    """
    environ = os.environ if environ is None else environ
    folders = Folders(root.absolute())
    with _alone(folders):
        if found := find_node(folders):
            return _reuse(folders, *found, http_port)
        clear_state(folders)
        config = _prepare(folders, cache, http_port, heap, console, environ)
        write_config(config)
        with console.status(f"Starting OpenSearch {OPENSEARCH.version}") if console else nullcontext():
            return _launch(config, environ)


def _prepare(
    folders: Folders,
    cache: Path,
    http_port: int | None,
    heap: str,
    console: Console | None,
    environ: Mapping[str, str],
) -> NodeConfig:
    # Whatever can be refused is refused before 160 MB are downloaded.
    heap_megabytes(heap)
    java = find_java(environ)
    _refuse_taken_port(http_port)
    return NodeConfig(
        home=fetch(cache, console=console),
        folders=folders,
        java=java,
        heap=heap,
        http_port=http_port,
        as_root=hasattr(os, "geteuid") and os.geteuid() == 0,
        extra_options=environ.get("OPENSEARCH_JAVA_OPTS", ""),
    )


def stop(root: Path) -> bool:
    """End this folder's node; False when none was running."""
    folders = Folders(root.absolute())
    found = find_node(folders)
    if found is None:
        clear_state(folders)
        return False
    _end(found[1])
    clear_state(folders, found[0].pid)
    return True


def status(root: Path) -> NodeStatus | None:
    """What runs in this folder, or None."""
    folders = Folders(root.absolute())
    found = find_node(folders)
    if found is None:
        return None
    state, process = found
    port = state.http_port
    try:
        memory = process.memory_info().rss
    except psutil.NoSuchProcess:
        return None
    answer = "starting" if port is None else health.cluster_status(port) or "silent"
    return NodeStatus(
        pid=state.pid,
        version=state.version,
        url=None if port is None else health.node_url(port),
        health=answer,
        started=state.create_time,
        memory=memory,
        data=folders.data,
    )


@contextmanager
def _alone(folders: Folders) -> Iterator[None]:
    try:
        folders.root.mkdir(parents=True, exist_ok=True)
        with FileLock(folders.lock, timeout=READY_SECONDS + STOP_SECONDS):
            yield
    except Timeout as error:
        raise NodeError(f"another start of the node in {folders.root} has not come to an end") from error
    except OSError as error:
        raise NodeError(f"the node in {folders.root} cannot be started: {error}") from error


def _refuse_taken_port(port: int | None) -> None:
    # The engine would find out too, but only at the very end of its start.
    if not port:
        return
    with socket.socket() as probe:
        # A port that was closed a moment ago is free, for the engine too.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((health.HOST, port))
        except OSError as error:
            raise NodeError(f"port {port} cannot be had: {error.strerror}") from error


def _reuse(folders: Folders, state: NodeState, process: psutil.Process, asked: int | None) -> RunningNode:
    port = state.http_port
    if port is None or not health.serves(port, folders.data):
        # It is still starting, if the process that started it was killed meanwhile.
        port = wait_until_ready(folders, process, time.monotonic() + READY_SECONDS)
    if asked and asked != port:
        raise NodeError(f"the node in {folders.root} already runs on port {port}, not {asked}: stop it first")
    write_state(folders.state, replace(state, http_port=port))
    return RunningNode(url=health.node_url(port), pid=state.pid, http_port=port, reused=True)


def _launch(config: NodeConfig, environ: Mapping[str, str]) -> RunningNode:
    folders = config.folders
    with ExitStack() as undo:
        # Before the engine exists, for a Ctrl-C may come the moment after: stop finds it even without a state file.
        undo.callback(stop, folders.root)
        process = _spawn(config, environ)
        state = NodeState(pid=process.pid, create_time=process.create_time(), version=OPENSEARCH.version)
        write_state(folders.state, state)
        port = wait_until_ready(folders, process, time.monotonic() + READY_SECONDS)
        write_state(folders.state, replace(state, http_port=port))
        undo.pop_all()
    return RunningNode(url=health.node_url(port), pid=state.pid, http_port=port, reused=False)


def _spawn(config: NodeConfig, environ: Mapping[str, str]) -> psutil.Process:
    with config.folders.printed.open("wb") as printed:
        child = subprocess.Popen(  # noqa: S603  the launcher of a Java that was checked, and a file written here
            [config.java.command, f"@{config.folders.options}"],
            cwd=config.home,
            env={name: value for name, value in environ.items() if name not in _FOREIGN_OPTIONS},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _children[child.pid] = child
    return psutil.Process(child.pid)


def wait_until_ready(folders: Folders, process: psutil.Process, deadline: float) -> int:
    """The HTTP port, once the node there has this folder's data and a usable cluster. `deadline` is monotonic."""
    http_ports, _ = folders.ports
    answer = None
    while time.monotonic() < deadline:
        if not _alive(process):
            raise StartError(f"OpenSearch stopped{_ending(process.pid)}. It said last:", last_words(folders))
        port = health.read_port(http_ports)
        answer = health.cluster_status(port) if port else None
        if port and answer in health.READY and health.serves(port, folders.data):
            return port
        time.sleep(0.1)
    condition = f"is {answer}" if answer else "does not answer"
    raise StartError(f"OpenSearch (pid {process.pid}) {condition} in time. It said last:", last_words(folders))


def last_words(folders: Folders) -> tuple[str, ...]:
    """What the current run printed; else the errors it logged; else the end of its log."""
    logged = _lines(folders.log)
    errors = [line for line in logged if _LOGGED_ERROR.match(line)]
    return tuple(_lines(folders.printed) or errors or logged)[-_LAST_WORDS:]


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [line.strip() for line in lines if not _NOISE.match(line)]


def _ending(pid: int) -> str:
    child = _children.get(pid)
    code = child.poll() if child else None
    if code is None:
        return ""
    if code == _KILLED:
        return ", killed by the system (often for lack of memory)"
    return f" with signal {-code}" if code < 0 else f" with exit code {code}"


def _alive(process: psutil.Process) -> bool:
    if child := _children.get(process.pid):
        return child.poll() is None
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _end(process: psutil.Process) -> None:
    for ask in (process.terminate, process.kill):
        with suppress(psutil.NoSuchProcess):
            ask()
        if _has_ended(process):
            _children.pop(process.pid, None)
            return
    raise NodeError(f"OpenSearch (pid {process.pid}) could not be stopped, not even by force")


def _has_ended(process: psutil.Process) -> bool:
    """Whether it ends in time. One whose parent has not noticed yet, such as `akg up` elsewhere, has ended too."""
    latest = time.monotonic() + STOP_SECONDS
    while _alive(process):
        if time.monotonic() > latest:
            return False
        time.sleep(LOOK_SECONDS)
    with suppress(psutil.TimeoutExpired):
        process.wait(GRACE_SECONDS)  # mostly whoever is in charge of it takes its number back at once
    return True
