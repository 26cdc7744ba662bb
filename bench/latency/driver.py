"""Starts the load client and hands it jobs: one process for a whole run."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.latency.interleaved import Contender
from bench.latency.stats import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDER = Path(__file__).parents[2]


class ClientError(Exception):
    """The load client ended."""


@dataclass(frozen=True, slots=True)
class Target:
    """The address, and the requests of each question."""

    port: int
    scripts: Sequence[Sequence[bytes]]


@dataclass(frozen=True, slots=True)
class Client:
    """A load client that waits for jobs."""

    process: subprocess.Popen[str]

    def asking(self, port: int, scripts: Sequence[Sequence[bytes]]) -> Contender:
        """A contender that listens on this port of this machine; each script is the requests of one question."""
        return Contender(partial(self.ask, Target(port, scripts)))

    def ask(self, target: Target, in_flight: int, warm: float, seconds: float) -> Turn:
        """Ask for so many seconds and return what came of it."""
        scripts = [[base64.b64encode(part).decode() for part in script] for script in target.scripts]
        times = {"warm": warm, "seconds": seconds}
        job = {"host": "127.0.0.1", "port": target.port, "scripts": scripts, "in_flight": in_flight, **times}
        given, said = self.process.stdin, self.process.stdout
        if given is None or said is None:
            raise ClientError("The load client has no pipes.")
        given.write(json.dumps(job) + "\n")
        given.flush()
        line = said.readline()
        if not line:
            raise ClientError("The load client ended without a word.")
        return Turn(**json.loads(line))


@contextmanager
def load_client() -> Iterator[Client]:
    """A load client; it ends with the block."""
    command = [sys.executable, "-m", "bench.latency.client"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=FOLDER, text=True, start_new_session=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield Client(process)
        finally:
            process.terminate()
