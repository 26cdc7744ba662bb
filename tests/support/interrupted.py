"""Commands in separate processes, interrupted as by Ctrl-C."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.project import ROOT

WAIT_SECONDS = 600
END_SECONDS = 5
SLACK_SECONDS = 5  # of a machine that is busy with other tests, for the end of the process
MAX_SECONDS = END_SECONDS + SLACK_SECONDS
BYTE_SECONDS = 0.05
CHECKSUMS = (".sha1", ".md5", ".sha256", ".sha512", ".asc")
HANDLER = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell may ignore it
AKG = HANDLER + "import sys; from akg.cli import app; app(sys.argv[1:])"


@contextmanager
def silent_server() -> Iterator[socket.socket]:
    """Listen on a port, and let connections wait without a response."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WAIT_SECONDS / 10)
        yield server


@dataclass
class SlowServer:
    """A server that sends a large file byte by byte. `sending` is set at its first byte."""

    url: str
    sending: threading.Event = field(default_factory=threading.Event)
    stopped: threading.Event = field(default_factory=threading.Event)


@contextmanager
def slow_server() -> Iterator[SlowServer]:
    """Serve every path but checksums as a file that takes hours."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(404 if self.path.endswith(CHECKSUMS) else 200)
            self.send_header("Content-Length", "10000000")
            self.end_headers()

        def do_GET(self) -> None:
            self.do_HEAD()
            try:
                while not self.path.endswith(CHECKSUMS) and not slow.stopped.wait(BYTE_SECONDS):
                    self.wfile.write(b"x")
                    slow.sending.set()
            except OSError:  # the client has ended
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        slow = SlowServer(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.005,))
        thread.start()
        try:
            yield slow
        finally:
            slow.stopped.set()
            server.shutdown()
            thread.join()


@contextmanager
def running(command: list[str], environ: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, **(environ or {})}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", *command], cwd=ROOT, env=environment, **pipes) as process:  # type: ignore[call-overload]  # noqa: S603 - this Python
        try:
            yield process
        finally:
            process.kill()


def line_with(process: subprocess.Popen[str], words: str) -> str:
    """Wait for a message with these words."""
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return line
    raise AssertionError(f"no message has the words {words!r}")


def wait_until(condition: Callable[[], object], seconds: float = WAIT_SECONDS / 10) -> None:
    """Wait until a condition is true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def end_of(process: subprocess.Popen[str]) -> str:
    """Interrupt a process; return its messages."""
    interrupted = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=WAIT_SECONDS / 10)
    assert time.monotonic() - interrupted < MAX_SECONDS
    return errors
