"""The address of the service: why it cannot be used, and which setting changes it."""

import errno
import socket
from collections.abc import Iterator

import pytest
import typer

from akg.commands.serve import ListenError, _listen, _listen_message, plain_end
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


def test_an_interrupted_service_says_nothing_of_releases(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), report_errors(), plain_end():
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "Stopped.\n"
