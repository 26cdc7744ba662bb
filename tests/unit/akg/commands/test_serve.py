"""The address of the service: why it cannot be used, and which setting changes it."""

import errno
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from akg.cli import app
from akg.commands.serve import ListenError, _listen, _listen_message
from akg.console import report_errors

HOST = "127.0.0.1"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port in use."""
    with socket.create_server((HOST, 0)) as server:
        yield server.getsockname()[1]


def test_a_port_in_use_is_an_error_and_no_other_port_is_taken(taken: int) -> None:
    with pytest.raises(ListenError, match=rf"^Port {taken} is in use on {HOST}\. Set AKG_PORT or --port"):
        _listen(HOST, taken, 5)


def test_port_0_is_any_free_port() -> None:
    with _listen(HOST, 0, 5) as listener:
        assert listener.getsockname()[1] > 0


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_names_the_setting_of_a_wrong_address(host: str) -> None:
    with pytest.raises(ListenError, match=rf"^AKG_HOST: {host} is not an address of this machine"):
        _listen(host, 0, 5)


def test_names_a_port_that_needs_rights() -> None:
    message = _listen_message(HOST, 80, PermissionError(errno.EACCES, "Permission denied"))
    assert message == "This user may not listen on port 80. Set AKG_PORT or --port to a port from 1024."


def test_the_command_prints_the_reason_and_exits_with_2(taken: int, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as end, report_errors():
        _listen(HOST, taken, 5)
    assert end.value.exit_code == 2
    assert f"Port {taken} is in use" in capsys.readouterr().err


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
