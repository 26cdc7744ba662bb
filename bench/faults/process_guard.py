"""No process outlives the trial, however it ends.

A guard in a session of its own reads from a pipe which processes there are. When the trial ends, even by `kill -9`, the
pipe closes, and the guard ends what still runs.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

GUARD = """
import sys
import psutil
held = {}
for line in sys.stdin:
    word, pid = line.split()
    try:
        if word == "hold":
            held[pid] = psutil.Process(int(pid))
        else:
            held.pop(pid, None)
    except psutil.NoSuchProcess:
        pass
for process in held.values():
    try:
        process.kill()  # only if it is the very process that was named, not another with its number
    except psutil.NoSuchProcess:
        pass
"""


class Leash:
    """Arguments of the guard process."""

    def __init__(self, pipe: IO[str]) -> None:
        self._pipe = pipe

    def hold(self, pid: int) -> None:
        """This process ends with the trial."""
        self._tell(f"hold {pid}")

    def let_go(self, pid: int) -> None:
        """This process has ended."""
        self._tell(f"free {pid}")

    def _tell(self, line: str) -> None:
        self._pipe.write(line + "\n")
        self._pipe.flush()


@contextmanager
def leash() -> Iterator[Leash]:
    """A guard for as long as this block runs."""
    with subprocess.Popen(
        [sys.executable, "-c", GUARD], stdin=subprocess.PIPE, text=True, start_new_session=True
    ) as guard:
        assert guard.stdin is not None
        yield Leash(guard.stdin)
        # Leaving the block closes the pipe and waits for the guard.
