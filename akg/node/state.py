"""The state file `node.json` of a started node, and the process that it names."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import psutil

from akg.node.versions import OPENSEARCH

if TYPE_CHECKING:
    from pathlib import Path

    from akg.node.paths import Folders

# Linux derives start times from the clock at boot, in hundredths of a second.
_START_TOLERANCE_SECONDS = 2.0


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
        facts = json.loads(path.read_text(encoding="utf-8"))
        port = facts["http_port"]
        return NodeState(
            pid=int(facts["pid"]),
            create_time=float(facts["create_time"]),
            version=str(facts["version"]),
            http_port=None if port is None else int(port),
        )
    except (OSError, ValueError, KeyError, TypeError):
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
        if _runs_from(process.info["cmdline"], folders):
            created = process.info["create_time"]
            return NodeState(pid=process.pid, create_time=created, version=OPENSEARCH.version), process
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
        return process if has_same_start or _runs_from(process.cmdline(), folders) else None
    except psutil.Error:
        return None


def _runs_from(command_line: list[str] | None, folders: Folders) -> bool:
    # Resolved: the folder may be given by a link and by its real path.
    options = os.path.realpath(folders.options)
    return any(word.startswith("@") and os.path.realpath(word[1:]) == options for word in command_line or ())
