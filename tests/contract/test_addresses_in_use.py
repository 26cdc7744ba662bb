"""`akg up`, `akg serve` and `make up` at addresses in use."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from akg.cli import app
from tests.support.project import ROOT

HOST = "127.0.0.1"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port in use."""
    with socket.create_server((HOST, 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("command", ["up", "serve"])
def test_a_port_in_use_ends_the_command_before_a_node_is_started(command: str, taken: int, tmp_path: Path) -> None:
    environ = {"AKG_DATA": str(tmp_path / "data"), "AKG_HOST": HOST, "AKG_OPENSEARCH_URL": None}
    if command == "serve":
        environ["AKG_OPENSEARCH_URL"] = "http://127.0.0.1:1"
    result = CliRunner().invoke(app, [command, "--port", str(taken)], env=environ)
    assert result.exit_code == 2
    assert f"Port {taken} is in use" in result.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("command", ["up", "serve"])
def test_an_address_for_counts_in_use_names_its_setting(command: str, tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind((HOST, 0))
        address = f"{HOST}:{receiver.getsockname()[1]}"
        environ = {"AKG_DATA": str(tmp_path), "AKG_HOST": HOST, "AKG_EDGE_COUNTS": address}
        environ["AKG_OPENSEARCH_URL"] = "http://127.0.0.1:1"
        result = CliRunner().invoke(app, [command, "--port", "0"], env=environ)
    assert result.exit_code == 2
    assert f"AKG_EDGE_COUNTS: {address} is in use. Set it to another address" in " ".join(result.stderr.split())


def test_a_port_of_metrics_in_use_names_what_changes_it(taken: int) -> None:
    environ = {"AKG_HOST": HOST, "AKG_ADMIN_PORT": str(taken), "AKG_OPENSEARCH_URL": "http://127.0.0.1:1"}
    served = CliRunner().invoke(app, ["serve", "--port", "0"], env=environ)
    assert (served.exit_code, served.stderr.splitlines()[-1]) == (
        2,
        f"AKG_ADMIN_PORT: {HOST}:{taken}: Address already in use. Set it to another port, or to 0 for no metrics.",
    )
    exported = CliRunner().invoke(app, ["exporter", "--host", HOST, "--port", str(taken)], env=environ)
    assert exported.exit_code == 2
    assert exported.stderr.endswith(f"port {taken} of {HOST}: Address already in use. Set --port to another one.\n")


def test_make_up_stops_at_a_port_in_use(taken: int, tmp_path: Path) -> None:
    environ = {**os.environ, "AKG_PORT": str(taken), "AKG_DATA": str(tmp_path / "data"), "AKG_OPENSEARCH_URL": ""}
    command = ["make", "up"]
    result = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)  # noqa: S603
    assert result.returncode == 2
    assert f"Port {taken} is in use on {HOST}. Set AKG_PORT or --port" in " ".join(result.stderr.split())
    assert not (tmp_path / "data").exists()
