"""What is known of a node that was started: `node.json`, and whether the process it names still is that node."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import psutil

from akg.node.release import OPENSEARCH

if TYPE_CHECKING:
    from pathlib import Path

    from akg.node.folders import Folders

# Linux derives a start time from the clock at boot, in hundredths of a second.
_SAME_MOMENT = 2.0


@dataclass(frozen=True, slots=True)
class NodeState:
    """`create_time` is the process's own, in epoch seconds. `http_port` is None until the engine answers."""

    pid: int
    create_time: float
    version: str
    http_port: int | None = None


def read_state(path: Path) -> NodeState | None:
    """None when there is no file, or one that an older version or a full disk left unreadable."""
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
    """Whole or not at all."""
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps(asdict(state)) + "\n", encoding="utf-8")
    draft.replace(path)


def clear_state(folders: Folders, pid: int | None = None) -> None:
    """Remove what a run leaves behind; with `pid`, only if the state is about that process."""
    state = read_state(folders.state)
    if pid is not None and state is not None and state.pid != pid:
        return
    for path in (folders.state, *folders.ports):
        path.unlink(missing_ok=True)


def find_node(folders: Folders) -> tuple[NodeState, psutil.Process] | None:
    """The living process of this folder: by its state file or, when that is lost, by its command line."""
    state = read_state(folders.state)
    if state is not None and (process := living_process(state, folders)):
        return state, process
    for process in psutil.process_iter(["cmdline", "create_time"]):
        if _runs_from(process.info["cmdline"], folders):
            created = process.info["create_time"]
            return NodeState(pid=process.pid, create_time=created, version=OPENSEARCH.version), process
    return None


def living_process(state: NodeState, folders: Folders) -> psutil.Process | None:
    """The process of `state`, unless it has died and its number now belongs to something else.

    It counts when it was started at the recorded moment, or names this node's own options file: the clock of a
    machine may be set while the node runs, and that moves every start time that Linux tells.
    """
    try:
        process = psutil.Process(state.pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        same_moment = abs(process.create_time() - state.create_time) < _SAME_MOMENT
        return process if same_moment or _runs_from(process.cmdline(), folders) else None
    except psutil.Error:
        return None


def _runs_from(command_line: list[str] | None, folders: Folders) -> bool:
    # Resolved, for a node may be addressed through a link and by its real path.
    wanted = os.path.realpath(folders.options)
    return any(word.startswith("@") and os.path.realpath(word[1:]) == wanted for word in command_line or ())
