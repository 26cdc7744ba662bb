"""Run commands, services and nodes of this checkout as child processes that never outlive the run.

A guard process in a separate session reads the ids of the child processes from a pipe. When the run ends, even by
`kill -9`, the pipe closes and the guard kills the processes that still run.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import httpx
from rich.console import Console

from akg import node
from akg.node.process import RunningNode
from tests.support.fixture_graphs import CHECKOUT
from tests.support.serving import AKG, environment, free_port

PEERS_PYTHON = CHECKOUT / ".venv" / "bench" / "bin" / "python"
START_SECONDS = 120.0
COMMAND_SECONDS = 900.0
GUARD = """
import sys
import psutil
guarded = {}
for line in sys.stdin:
    action, pid = line.split()
    try:
        if action == "add":
            guarded[pid] = psutil.Process(int(pid))
        else:
            guarded.pop(pid, None)
    except psutil.NoSuchProcess:
        pass
for process in guarded.values():
    try:
        process.kill()  # psutil checks the creation time: never another process that reuses the id
    except psutil.NoSuchProcess:
        pass
"""


class ProcessGuard:
    """The write end of the pipe to the guard process."""

    def __init__(self, pipe: IO[str]) -> None:
        self._pipe = pipe

    def add(self, pid: int) -> None:
        """Kill this process when the run ends."""
        self._send(f"add {pid}")

    def remove(self, pid: int) -> None:
        """Stop guarding a process that has ended."""
        self._send(f"remove {pid}")

    def _send(self, line: str) -> None:
        self._pipe.write(line + "\n")
        self._pipe.flush()


@contextmanager
def process_guard() -> Iterator[ProcessGuard]:
    with subprocess.Popen(
        [sys.executable, "-c", GUARD], stdin=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdin is not None
        yield ProcessGuard(process.stdin)
        # Leaving the block closes the pipe and waits for the guard.


@contextmanager
def scratch_node(console: Console, heap: str = "1g") -> Iterator[tuple[Path, RunningNode]]:
    """Start a node in a temporary folder; stop it and delete the folder at the end of the block."""
    with tempfile.TemporaryDirectory(prefix="akg-bench-") as name:
        folder = Path(name)
        try:
            yield folder, node.start(folder, cache=node.default_cache(), http_port=0, heap=heap, console=console)
        finally:
            node.stop(folder)


def draw_plots(report: Path, folder: Path) -> list[Path]:
    """Draw the plots of a report; return their paths. matplotlib is installed in the benchmark environment only."""
    if not PEERS_PYTHON.exists():
        return []
    command = [PEERS_PYTHON, CHECKOUT / "bench" / "latency" / "peers" / "plots.py", report, folder]
    completed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [Path(line) for line in completed.stdout.splitlines()]


@dataclass(slots=True)
class Service:
    """An `akg serve` process whose port stays the same across restarts."""

    name: str
    settings: Mapping[str, str]
    log: Path
    guard: ProcessGuard
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the process; `await_ready` waits until it can respond."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*AKG, "serve", "--port", str(self.port)],
                cwd=self.log.parent,
                env=environment(self.settings),
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.guard.add(self.process.pid)

    def await_ready(self) -> None:
        """Wait until `/readyz` succeeds; raise AssertionError with the end of the log."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process is not None and self.process.poll() is None:
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5).is_success:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"{self.name} is not ready: {self.log.read_text('utf-8')[-2000:]}")

    def kill(self) -> None:
        """Send SIGKILL and wait for the end of the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.guard.remove(self.process.pid)
            self.process = None


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The exit code of a command, its standard output and error, and its duration in seconds."""

    code: int
    output: str
    seconds: float


def run(settings: Mapping[str, str], *arguments: str) -> CommandResult:
    began = time.monotonic()
    completed = subprocess.run(
        [*AKG, *arguments],
        cwd=CHECKOUT,
        env=environment(settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    return CommandResult(completed.returncode, completed.stdout.decode("utf-8", "replace"), time.monotonic() - began)
