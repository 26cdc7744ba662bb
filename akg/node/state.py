"""State of a node: its folder, its state file `node.json`, its process and its health."""

import http.client
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil
from pydantic import TypeAdapter

from akg.node.distribution import OPENSEARCH

READY = ("yellow", "green")
HOST = "127.0.0.1"
_TIMEOUT_SECONDS = 5.0
# Linux derives start times from the clock at boot, in hundredths of a second.
_START_TOLERANCE_SECONDS = 2.0


def default_root(environ: Mapping[str, str] = os.environ) -> Path:
    """Return `AKG_DATA`, else `.akg` in the working directory: each checkout has its own node."""
    return Path(environ.get("AKG_DATA") or ".akg").expanduser().absolute()


def default_cache(environ: Mapping[str, str] = os.environ) -> Path:
    """Return `AKG_CACHE`, else `akg` in the user's cache folder."""
    if cache := environ.get("AKG_CACHE"):
        return Path(cache).expanduser().absolute()
    base = environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "akg"


class Folders:
    """Paths in the folder of a node. `root` must be absolute."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.state = root / "node.json"  # of the running node
        self.lock = root / "node.lock"  # of a start in progress
        self.users = root / "users.lock"  # held by each `akg up`
        self.config = root / "opensearch" / "config"  # rewritten at each start
        self.options = self.config / "jvm.options"  # command line of Java, which also identifies the process
        self.data = root / "opensearch" / "data"  # indices: the only part worth a backup
        self.snapshots = root / "opensearch" / "snapshots"  # no other folder may become a snapshot repository
        self.scratch = root / "opensearch" / "tmp"  # of Java, emptied at each start
        self.logs = root / "opensearch" / "logs"
        self.log = self.logs / "akg.log"
        self.previous_log = self.logs / "akg-previous.log"
        self.printed = self.logs / "console.log"  # standard output and standard error of the current run
        self.http_ports = self.logs / "http.ports"  # addresses that OpenSearch opened
        self.ports = (self.http_ports, self.logs / "transport.ports")


@dataclass(frozen=True, slots=True)
class NodeState:
    """A started node. `create_time` is that of the process in epoch seconds; `http_port` is None until it is ready."""

    pid: int
    create_time: float
    version: str
    http_port: int | None = None


def read_state(path: Path) -> NodeState | None:
    """Read the state; None if the file is missing or invalid."""
    try:
        return TypeAdapter(NodeState).validate_json(path.read_bytes())
    except (OSError, ValueError):
        return None


def write_state(path: Path, state: NodeState) -> None:
    """Write the state atomically."""
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps(asdict(state)) + "\n", encoding="utf-8")
    draft.replace(path)


def clear_state(folders: Folders, pid: int | None = None) -> None:
    """Remove the state and port files; with `pid`, only if the state names that process."""
    state = read_state(folders.state)
    if pid is not None and state is not None and state.pid != pid:
        return
    for path in (folders.state, *folders.ports):
        path.unlink(missing_ok=True)


def find_node(folders: Folders) -> tuple[NodeState, psutil.Process] | None:
    """Find the running process of this folder by its state file, else by its command line."""
    state = read_state(folders.state)
    if state is not None and (process := living_process(state, folders)):
        return state, process
    for process in psutil.process_iter(["cmdline", "create_time"]):
        if _is_node_of(process.pid, process.info["cmdline"], folders):
            return NodeState(process.pid, process.info["create_time"], OPENSEARCH.version), process
    return None


def living_process(state: NodeState, folders: Folders) -> psutil.Process | None:
    """Return the process of `state`, unless it has ended and another process has its pid.

    It must have the recorded start time or the options file of this node: setting the clock of a machine changes
    the start times that Linux reports.
    """
    try:
        process = psutil.Process(state.pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        has_same_start = abs(process.create_time() - state.create_time) < _START_TOLERANCE_SECONDS
        return process if has_same_start or _is_node_of(process.pid, process.cmdline(), folders) else None
    except psutil.Error:
        return None


def _is_node_of(pid: int, command_line: list[str] | None, folders: Folders) -> bool:
    # Resolved: the folder may be given by a link and by its real path.
    options = os.path.realpath(folders.options)
    words = (word[1:] for word in command_line or () if word.startswith("@"))
    return any(os.path.realpath(word) == options for word in words) and shares_root(pid)


def shares_root(pid: int, proc: Path = Path("/proc")) -> bool:
    """Whether a process has the pid namespace and root folder of this process.

    The engine of a container may have the same path on its command line, and is not the node of this folder. A process
    whose namespace this user may not read is not ours either. Systems without `/proc` have no such containers.
    """
    own, other = proc / "self", proc / str(pid)
    try:
        own_namespace = (own / "ns" / "pid").readlink()
    except OSError:
        return True
    try:
        return (other / "ns" / "pid").readlink() == own_namespace and (other / "root").samefile(own / "root")
    except OSError:
        return False


def node_url(port: int) -> str:
    """Return the URL of the node."""
    return f"http://{HOST}:{port}"


def read_port(ports_file: Path) -> int | None:
    """Return the port that OpenSearch opened; None until it has."""
    try:
        return int(ports_file.read_text(encoding="utf-8").split()[0].rpartition(":")[2])
    except (OSError, IndexError, ValueError):
        return None


def cluster_status(port: int) -> str | None:
    """Return `green`, `yellow` or `red`; None if OpenSearch does not respond."""
    body = _get(port, "/_cluster/health")
    return str(body["status"]) if body and "status" in body else None


def serves(port: int, data: Path) -> bool:
    """Whether the node at this port has its indices in `data`; another node may use the port."""
    body = _get(port, "/_nodes/_local/settings?filter_path=nodes.*.settings.path.data")
    nodes = (body or {}).get("nodes", {}).values()
    paths = [os.path.realpath(path) for node in nodes for path in node["settings"]["path"]["data"]]
    return os.path.realpath(data) in paths


def _get(port: int, path: str) -> dict[str, Any] | None:
    connection = http.client.HTTPConnection(HOST, port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        body = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return body if isinstance(body, dict) else None
