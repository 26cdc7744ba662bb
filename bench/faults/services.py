"""`akg serve` and other commands as processes of their own, as operators run them; none outlives the run.

A guard in a session of its own reads from a pipe which processes there are. When the run ends, even by `kill -9`, the
pipe closes, and the guard ends what still runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

import httpx

from tests.support.fixture_graphs import CHECKOUT
from tests.support.serving import SERVE, free_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


STARTS = 120.0  # seconds
LONGEST = 900.0  # seconds for one command
READY, UNTRUSTED = 200, "AKG_"


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process of ours: this one's, with these settings and no others."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(UNTRUSTED)}
    return {**others, "PYTHONPATH": str(CHECKOUT), **settings}


@dataclass(slots=True)
class Service:
    """One `akg serve` on a port that stays the same when it is started again."""

    name: str
    settings: Mapping[str, str]
    log: Path
    leash: Leash
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it; `await_ready` waits until it can answer."""
        command = [sys.executable, "-c", SERVE, "serve", "--port", str(self.port)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self.log.parent, env=environment(self.settings), stdout=log, stderr=subprocess.STDOUT
            )
        self.leash.hold(self.process.pid)

    def await_ready(self) -> float:
        """Wait until a real query works; the seconds that took."""
        began = time.monotonic()
        while time.monotonic() - began < STARTS:
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5).status_code == READY:
                    return time.monotonic() - began
            except httpx.HTTPError:
                pass
            if self.process is not None and self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(f"{self.name} does not get ready: {self.log.read_text('utf-8')[-2000:]}")

    def kill(self) -> None:
        """End it at once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.leash.let_go(self.process.pid)
            self.process = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code, what it said on both outputs, and the seconds it took."""

    code: int
    said: str
    seconds: float


def run(settings: Mapping[str, str], *words: str) -> Ended:
    """Run one command to its end."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", SERVE, *words],
        cwd=CHECKOUT,
        env=environment(settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LONGEST,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode("utf-8", "replace"), time.monotonic() - began)


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
