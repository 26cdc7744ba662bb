"""A real redis-server for tests, on a free port of this machine, with nothing on disk."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 10  # seconds


def program() -> str:
    """Where redis-server is; without it the test is skipped, but never in continuous integration."""
    found = shutil.which("redis-server")
    if found is None and os.environ.get("CI") == "true":
        pytest.fail("redis-server is not installed; .ci/run installs it")
    if found is None:
        pytest.skip("redis-server is not installed; on Debian: apt-get install redis-server")
    return found


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def redis_on(port: int) -> Iterator[None]:
    """A server on this port while the block runs."""
    command = [program(), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:  # noqa: S603
        try:
            _wait(port)
            yield
        finally:
            server.kill()


def _wait(port: int) -> None:
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    pytest.fail("redis-server does not answer")
