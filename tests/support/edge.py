"""The edge, nginx as `deploy/edge/start` runs it, in front of a service on this machine."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.support.fixture_graphs import CHECKOUT
from tests.support.serving import free_port

START = CHECKOUT / "deploy" / "edge" / "start"
COMMAND = ("env", "--default-signal=HUP", START)  # a shell cannot trap what is ignored when it starts
MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory is what the edge needs
START_SECONDS = 10.0
EXIT_SECONDS = 15.0
SEARCH = "/search?query=crohns"
HIT = "akg-edge; hit"


@dataclass(frozen=True, slots=True)
class Edge:
    """A running edge: its addresses, its process, its folder, and the file of its output."""

    port: int
    tls_port: int
    process: subprocess.Popen[bytes]
    folder: Path
    log: Path

    @property
    def url(self) -> str:
        """Address for http."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def tls_url(self) -> str:
        """Address for https, by the name in the certificate for trials."""
        return f"https://localhost:{self.tls_port}"

    def stop(self) -> int:
        """Stop the edge and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(EXIT_SECONDS)


def require_nginx() -> None:
    """Skip a test where nginx is not installed; fail in CI."""
    if shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") is None:
        reason = "no nginx (apt-get install nginx)"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)


def environment(upstream: str, folder: Path, **settings: str) -> dict[str, str]:
    """Return the environment of an edge in front of the service at a URL."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("AKG_", "EDGE_"))}
    address = urlsplit(upstream).netloc
    return {
        **others,
        "EDGE_UPSTREAM": address,
        "EDGE_FOLDER": str(folder),
        "EDGE_CONNECTIONS": "4000",
        "EDGE_READ_SECONDS": "20",
        **settings,
    }


@contextmanager
def edge(upstream: str, log_folder: Path, **settings: str) -> Iterator[Edge]:
    """Run an edge without a limit of requests, unless the settings give one."""
    require_nginx()
    port, tls_port = free_port(), free_port()
    folder, log = MEMORY / f"akg-test-edge-{os.getpid()}-{port}", log_folder / f"edge-{port}.log"
    addresses = {"EDGE_LISTEN": f"127.0.0.1:{port}", "EDGE_TLS_LISTEN": f"127.0.0.1:{tls_port}", "AKG_RATE_LIMIT": "0"}
    variables = environment(upstream, folder, **{**addresses, **settings})
    with log.open("wb") as output, subprocess.Popen(COMMAND, env=variables, stdout=output, stderr=output) as process:  # noqa: S603 - our own script
        try:
            _wait(port, process, log)
            yield Edge(port, tls_port, process, folder, log)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(EXIT_SECONDS)


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as connection:
            if connection.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError(log.read_text("utf-8"))


def cache_status(response: httpx.Response) -> list[str]:
    return response.headers.get_list("cache-status")


def kept(client: httpx.Client, path: str, **headers: str) -> httpx.Response:
    """Ask until the edge answers from its cache: a response at the very end of a second is not kept."""
    for _ in range(20):
        response = client.get(path, headers=headers)
        if HIT in cache_status(response):
            return response
    raise AssertionError(f"{path} was never kept")


def parse(answer: bytes) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers by lower-case name, and body."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    return int(first.split()[1]), {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}, body
