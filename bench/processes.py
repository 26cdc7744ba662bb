"""Commands, services and nodes of this checkout as processes of their own; none outlives the run.

A guard in a session of its own reads from a pipe which processes there are. When the run ends, even by `kill -9`, the
pipe closes, and the guard ends what still runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

import httpx

from akg import node
from tests.support.fixture_graphs import CHECKOUT
from tests.support.serving import SERVE, free_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import Console

    from akg.node.process import RunningNode

AKG = (sys.executable, "-c", SERVE)
PEERS_PYTHON = CHECKOUT / ".venv" / "bench" / "bin" / "python"
START_SECONDS = 120.0
COMMAND_SECONDS = 900.0
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
    """The guard process, by its pipe."""

    def __init__(self, pipe: IO[str]) -> None:
        self._pipe = pipe

    def hold(self, pid: int) -> None:
        """End this process with the run."""
        self._send(f"hold {pid}")

    def let_go(self, pid: int) -> None:
        """Forget a process that has ended."""
        self._send(f"free {pid}")

    def _send(self, line: str) -> None:
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


@contextmanager
def scratch_node(console: Console, heap: str = "1g") -> Iterator[tuple[Path, RunningNode]]:
    """Start a node in a scratch folder; both are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="akg-bench-") as name:
        folder = Path(name)
        try:
            yield folder, node.start(folder, cache=node.default_cache(), http_port=0, heap=heap, console=console)
        finally:
            node.stop(folder)


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process of this checkout: these settings and no others."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("AKG_")}
    return {**others, "PYTHONPATH": str(CHECKOUT), **settings}


def draw_plots(report: Path, folder: Path) -> list[Path]:
    """Draw the plots of a report; return their paths. The environment of the benchmarks has what draws."""
    if not PEERS_PYTHON.exists():
        return []
    command = [PEERS_PYTHON, CHECKOUT / "bench" / "latency" / "peers" / "plots.py", report, folder]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [Path(line) for line in done.stdout.splitlines()]


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
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it; `await_ready` waits until it can respond."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*AKG, "serve", "--port", str(self.port)],
                cwd=self.log.parent,
                env=environment(self.settings),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.leash.hold(self.process.pid)

    def await_ready(self) -> None:
        """Wait until a real query works; raise AssertionError with the end of its log."""
        ends = time.monotonic() + START_SECONDS
        while time.monotonic() < ends and self.process is not None and self.process.poll() is None:
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5).is_success:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"{self.name} does not get ready: {self.log.read_text('utf-8')[-2000:]}")

    def kill(self) -> None:
        """End it by SIGKILL."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.leash.let_go(self.process.pid)
            self.process = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code, its output and errors, and the seconds it took."""

    code: int
    output: str
    seconds: float


def run(settings: Mapping[str, str], *words: str) -> Ended:
    """Run one command to its end."""
    began = time.monotonic()
    done = subprocess.run(
        [*AKG, *words],
        cwd=CHECKOUT,
        env=environment(settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode("utf-8", "replace"), time.monotonic() - began)
