"""Commands in separate processes, interrupted as by Ctrl-C."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.support.project import ROOT

WAIT_SECONDS = 600
END_SECONDS = 30  # a busy machine; without its limits a command would wait for minutes
HANDLER = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell may ignore it
AKG = HANDLER + "import sys; from akg.cli import app; app(sys.argv[1:])"


@contextmanager
def silent_server() -> Iterator[socket.socket]:
    """Listen on a port, and let connections wait without a response."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WAIT_SECONDS / 10)
        yield server


@contextmanager
def running(command: list[str], environ: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, **(environ or {})}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", *command], cwd=ROOT, env=environment, **pipes) as process:  # type: ignore[call-overload]  # noqa: S603 - this Python
        try:
            yield process
        finally:
            process.kill()


def end_of(process: subprocess.Popen[str]) -> str:
    """Interrupt a process; return its messages."""
    interrupted = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=WAIT_SECONDS / 10)
    assert time.monotonic() - interrupted < END_SECONDS
    return errors
