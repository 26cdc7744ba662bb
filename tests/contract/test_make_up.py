"""`make up` at a port in use."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.project import ROOT

HOST = "127.0.0.1"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port in use."""
    with socket.create_server((HOST, 0)) as server:
        yield server.getsockname()[1]


def test_make_up_stops_at_a_port_in_use(taken: int, tmp_path: Path) -> None:
    environ = {**os.environ, "AKG_PORT": str(taken), "AKG_DATA": str(tmp_path / "data"), "AKG_OPENSEARCH_URL": ""}
    command = ["make", "up"]
    result = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)  # noqa: S603
    assert result.returncode == 2
    assert f"Port {taken} is in use on {HOST}. Set AKG_PORT or --port" in " ".join(result.stderr.split())
    assert not (tmp_path / "data").exists()
