"""Counts the `akg up` commands that use the node of a folder, so that only the last one stops it.

Each holds a shared lock on one file, which the system releases also when a command is killed. The file contains the pid
of the node that an `akg up` started: a node of `akg node start` is never stopped.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from akg.node.errors import FolderError
from akg.node.state import Folders, find_node


@dataclass(frozen=True, slots=True)
class NodeUser:
    """One user of the node in a folder. `descriptor` is its open users file."""

    folders: Folders
    descriptor: int

    def record_start(self, pid: int) -> None:
        """Record that an `akg up` started this process."""
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, f"{pid}\n".encode(), 0)

    def started_pid(self) -> int | None:
        """Return the pid of the node that an `akg up` started."""
        text = os.pread(self.descriptor, 32, 0).strip()
        return int(text) if text.isdigit() else None

    def leave(self, stop: Callable[[Path], object]) -> None:
        """Stop the node if no other user is left and an `akg up` started it."""
        if _is_last(self.descriptor):
            found = find_node(self.folders)
            if found is not None and found[0].pid == self.started_pid():
                stop(self.folders.root)


@contextmanager
def use_node(root: Path, stop: Callable[[Path], object]) -> Iterator[NodeUser]:
    """Count as a user of the node in this block; then stop it if no other user is left and an `akg up` started it.

    Waits while the last user stops the node, so a node that is about to end is never shared.
    """
    folders = Folders(root.absolute())
    descriptor = _open(folders)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        user = NodeUser(folders, descriptor)
        try:
            yield user
        finally:
            user.leave(stop)
    finally:
        os.close(descriptor)


def _open(folders: Folders) -> int:
    try:
        folders.root.mkdir(parents=True, exist_ok=True)
        return os.open(folders.users, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise FolderError(folders.root, error) from error


def _is_last(descriptor: int) -> bool:
    """Whether an exclusive lock can be had. When several users leave at once, exactly one of them gets it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
