"""`akg serve` and `akg up` in a separate process, as operators run them."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from urllib.parse import urlsplit

from tests.support.fixture_graphs import CHECKOUT

SERVE = "from akg.cli import app; app()"
AKG = (sys.executable, "-c", SERVE)
START_SECONDS = 300  # imports are slow, and the first start may download OpenSearch
SHUTDOWN_SECONDS = 30
SERVER_PORTS = (10_240, 32_768)  # the kernel gives clients those behind


@dataclass(frozen=True, slots=True)
class Served:
    """A running service: its URL, its process, and the file of its output."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def port(self) -> int:
        """Return the port of the address."""
        return urlsplit(self.url).port or 0


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    others = {name: value for name, value in os.environ.items() if not name.startswith("AKG_")}
    return {**others, "PYTHONPATH": str(CHECKOUT), "PYTHONFAULTHANDLER": "1", **settings}


@contextmanager
def process(settings: Mapping[str, str], folder: Path = CHECKOUT, command: str = "serve") -> Iterator[Served]:
    words = [*AKG, command, "--port", "0"]
    with tempfile.TemporaryDirectory() as directory:
        log = Path(directory) / "output.log"
        with (
            log.open("wb") as out,
            subprocess.Popen(  # noqa: S603 - this Python, this checkout
                words, cwd=folder, env=environment(settings), stdout=out, stderr=subprocess.STDOUT
            ) as running,
        ):
            try:
                yield Served(_address(running, log), running, log)
            finally:
                if running.poll() is None:
                    running.kill()


def _address(running: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and running.poll() is None:
        if found := re.search(r"Serving on (http://\S+)", log.read_text("utf-8")):
            return found[1]
        time.sleep(0.05)
    raise AssertionError(log.read_text("utf-8"))


def free_port() -> int:
    """Return a port that is free, and that no client gets before the server is ready to listen.

    The kernel gives clients ports from 32768 on; a node of OpenSearch listens seconds after its port was chosen.
    """
    ports = SystemRandom()
    while True:
        port = ports.randrange(*SERVER_PORTS)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@contextmanager
def exporting(settings: Mapping[str, str]) -> Iterator[str]:
    """Run `akg exporter`; yield its host and port."""
    address = f"127.0.0.1:{free_port()}"
    words = [*AKG, "exporter", "--port", address.rpartition(":")[2]]
    with subprocess.Popen(  # noqa: S603 - this Python, this checkout
        words, env=environment(settings), stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            assert running.stderr is not None
            assert address in running.stderr.readline()
            yield address
        finally:
            running.terminate()
