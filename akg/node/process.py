"""Starts, stops and inspects the process of a local node."""

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
from filelock import FileLock, Timeout
from rich.console import Console

from akg.node.config import NodeConfig, find_java, heap_megabytes, write_config
from akg.node.distribution import OPENSEARCH, fetch
from akg.node.errors import FolderError, NodeError, PortError, StartError
from akg.node.state import (
    HOST,
    READY,
    Folders,
    NodeState,
    clear_state,
    cluster_status,
    find_node,
    node_url,
    read_port,
    serves,
    write_state,
)

READY_SECONDS = 240.0
STOP_SECONDS = 20.0
UNDO_SECONDS = 2.0  # for a node that is not ready yet, and has accepted nothing
POLL_SECONDS = 0.05
REAP_SECONDS = 2.0
_MAX_LINES = 12
_KILLED = -9
# Stack frames and warnings of Java.
_NOISE = re.compile(r"\s+at |\s+\.\.\. \d+ more|\s*WARNING:|\s*$")
_LOGGED_ERROR = re.compile(r"\[\S+\]\[(ERROR|FATAL)")
# Java reads these variables, which are meant for other programs.
_REMOVED_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")

# OpenSearch outlives this process; without a reference, Python warns about a child that is still running.
_children: dict[int, subprocess.Popen[bytes]] = {}


@dataclass(frozen=True, slots=True)
class RunningNode:
    """A node that is ready; `reused` if it was already running."""

    url: str
    pid: int
    http_port: int
    reused: bool


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """A running node. `health` is green, yellow or red, `starting`, or `unresponsive`."""

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
    environ: Mapping[str, str] = os.environ,
) -> RunningNode:
    """Return the running node with its data in `root`, or start one and wait until it is ready.

    `http_port` None is the first free port from 9200, 0 any free port. A failed or interrupted start leaves no
    process and no state. The node runs in a new process group and outlives the caller.
    """
    folders = Folders(root.absolute())
    with _locked(folders):
        if found := find_node(folders):
            return _reuse(folders, *found, http_port)
        clear_state(folders)
        heap_megabytes(heap)  # invalid options are reported before 160 MB are downloaded
        java = find_java(environ)
        _require_free_port(http_port)
        config = NodeConfig(
            home=fetch(cache, console=console),
            folders=folders,
            java=java,
            heap=heap,
            http_port=http_port,
            as_root=hasattr(os, "geteuid") and os.geteuid() == 0,
            extra_options=environ.get("OPENSEARCH_JAVA_OPTS", ""),
        )
        write_config(config)
        with console.status(f"Starting OpenSearch {OPENSEARCH.version}") if console else nullcontext():
            return _launch(config, environ)


def stop(root: Path, *, seconds: float = STOP_SECONDS) -> bool:
    """Stop the node of this folder, or kill it after some seconds; return False if none was running.

    A node that is killed loses nothing: it has written what it has confirmed, and reads it at its next start.
    """
    folders = Folders(root.absolute())
    found = find_node(folders)
    if found is None:
        clear_state(folders)
        return False
    _end(found[1], seconds)
    clear_state(folders, found[0].pid)
    return True


def kill(root: Path) -> None:
    """Kill the node of this folder."""
    stop(root, seconds=0.0)


def status(root: Path) -> NodeStatus | None:
    """Return the status of the node of this folder; None if none runs."""
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
    cluster_health = "starting" if port is None else cluster_status(port) or "unresponsive"
    return NodeStatus(
        pid=state.pid,
        version=state.version,
        url=None if port is None else node_url(port),
        health=cluster_health,
        started=state.create_time,
        memory=memory,
        data=folders.data,
    )


@contextmanager
def _locked(folders: Folders) -> Iterator[None]:
    try:
        folders.root.mkdir(parents=True, exist_ok=True)
        with FileLock(folders.lock, timeout=READY_SECONDS + STOP_SECONDS):
            yield
    except Timeout as error:
        raise NodeError(f"another start of the node in {folders.root} is still in progress") from error
    except OSError as error:
        raise FolderError(folders.root, error) from error


def _require_free_port(port: int | None) -> None:
    # OpenSearch would report it only at the end of its start.
    if not port:
        return
    with socket.socket() as probe:
        # A port that was closed a moment ago is free, for OpenSearch, too.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise PortError(
                f"Port {port} is not available: {error.strerror}. Set --port to another one, or leave it out."
            ) from error


def _reuse(folders: Folders, state: NodeState, process: psutil.Process, requested: int | None) -> RunningNode:
    port = state.http_port
    if port is None or not serves(port, folders.data):
        # It is still starting: the process that started it was killed.
        port = wait_until_ready(folders, process, time.monotonic() + READY_SECONDS)
    if requested and requested != port:
        raise NodeError(f"the node in {folders.root} already runs on port {port}, not {requested}: stop it first")
    write_state(folders.state, replace(state, http_port=port))
    return RunningNode(url=node_url(port), pid=state.pid, http_port=port, reused=True)


def _launch(config: NodeConfig, environ: Mapping[str, str]) -> RunningNode:
    folders = config.folders
    with ExitStack() as undo:
        # Registered before the process exists, because Ctrl-C may follow at once: stop finds it without a state file.
        undo.callback(stop, folders.root, seconds=UNDO_SECONDS)
        process = _spawn(config, environ)
        state = NodeState(pid=process.pid, create_time=process.create_time(), version=OPENSEARCH.version)
        write_state(folders.state, state)
        port = wait_until_ready(folders, process, time.monotonic() + READY_SECONDS)
        write_state(folders.state, replace(state, http_port=port))
        undo.pop_all()
    return RunningNode(url=node_url(port), pid=state.pid, http_port=port, reused=False)


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of Java: it decodes paths by the locale, and cron and systemd set none."""
    kept = {name: value for name, value in environ.items() if name not in _REMOVED_VARIABLES}
    return {**kept, "LC_ALL": "C.UTF-8"}


def _spawn(config: NodeConfig, environ: Mapping[str, str]) -> psutil.Process:
    with config.folders.printed.open("wb") as printed:
        child = subprocess.Popen(  # noqa: S603 - a validated Java and an options file written here
            [config.java.command, f"@{config.folders.options}"],
            cwd=config.home,
            env=child_environment(environ),
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _children[child.pid] = child
    return psutil.Process(child.pid)


def wait_until_ready(folders: Folders, process: psutil.Process, deadline: float) -> int:
    """Wait for a usable cluster with the data of this folder; return its HTTP port. `deadline` is monotonic."""
    cluster_health = None
    while time.monotonic() < deadline:
        if not _alive(process):
            raise StartError(f"OpenSearch stopped{_ending(process.pid)}. Its last output:", last_output(folders))
        port = read_port(folders.http_ports)
        cluster_health = cluster_status(port) if port else None
        if port and cluster_health in READY and serves(port, folders.data):
            return port
        time.sleep(0.1)
    condition = f"is still {cluster_health}" if cluster_health else "does not respond"
    raise StartError(
        f"OpenSearch (pid {process.pid}) {condition} after the timeout. Its last output:", last_output(folders)
    )


def last_output(folders: Folders) -> tuple[str, ...]:
    """Return the console output of the current run, else the errors in its log, else the end of the log."""
    log = _lines(folders.log)
    errors = [line for line in log if _LOGGED_ERROR.match(line)]
    return tuple(_lines(folders.printed) or errors or log)[-_MAX_LINES:]


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
        return ", killed by the system (often out of memory)"
    return f" with signal {-code}" if code < 0 else f" with exit code {code}"


def _alive(process: psutil.Process) -> bool:
    if child := _children.get(process.pid):
        return child.poll() is None
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _end(process: psutil.Process, seconds: float) -> None:
    for end, timeout in ((process.terminate, seconds), (process.kill, STOP_SECONDS)):
        with suppress(psutil.NoSuchProcess):
            end()
        if _has_ended(process, timeout):
            _children.pop(process.pid, None)
            return
    raise NodeError(f"OpenSearch (pid {process.pid}) could not be stopped, even with SIGKILL")


def _has_ended(process: psutil.Process, seconds: float) -> bool:
    """Whether the process ends in time. A zombie, for example a child of another `akg up`, has ended."""
    deadline = time.monotonic() + seconds
    while _alive(process):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    with suppress(psutil.TimeoutExpired):
        process.wait(REAP_SECONDS)  # usually its parent reaps it at once
    return True
