"""`akg serve` runs the service, `akg up` also starts the node and builds the graph, `akg mcp` runs the MCP server."""

import asyncio
import errno
import gc
import logging
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from typing import Annotated

import typer

from akg.connection import command_settings, connect, engine_urls
from akg.console import stderr, stop_on_sigterm
from akg.interrupts import interrupt_limit
from akg.node import process
from akg.node.state import default_cache
from akg.node.users import use_node
from api.http.telemetry import TelemetryMiddleware
from api.settings import Settings, SettingsError, content_folder

log = logging.getLogger("akg.service")

NEEDS_PROXY = (
    "Listening on {host}, which other machines may reach. Put a reverse proxy in front (deploy/edge): the service "
    "itself limits neither the size of headers nor idle connections. AKG_HOST=127.0.0.1 listens on this machine only."
)
NO_RATE_LIMIT = "AKG_RATE_LIMIT is 0: no client is limited, and one can take all capacity of the service."
LIMITED_SIGNALS = (signal.SIGINT,)  # SIGTERM comes from a supervisor, which has a limit of its own
BUILD_SECONDS = 900.0  # to wait for the build of another process; that of 1.2 million entities takes 11 minutes
POLL_SECONDS = 0.5
NODE_STOP_SECONDS = 2.0  # then the node is killed; it usually ends in 0.2 s

PortOption = Annotated[int | None, typer.Option("--port", min=0, max=65535, help="Port. Default: AKG_PORT, or 8080.")]


def serve(port: PortOption = None) -> None:
    """Run the service on the configured cluster or the local node."""
    stop_on_sigterm()
    with command_settings(LIMITED_SIGNALS) as settings:
        _run(settings, engine_urls(settings), port)


def up(port: PortOption = None) -> None:
    """Start the local node, build the graph if it changed, and serve.

    Ctrl-C stops the node as well, unless `akg node start` started it or another `akg up` uses it.
    """
    from akg.build import build_release  # noqa: PLC0415 - takes a third of a second to import, also for `akg mcp`

    stop_on_sigterm()
    with command_settings(LIMITED_SIGNALS) as settings:
        # Reported before a node is started and a graph is built.
        _listen(settings.host, settings.port if port is None else port, 1).close()
        _require_free_counts_address(settings.edge_counts)
        with nullcontext() if settings.opensearch_url else _local_node(settings):
            build = partial(build_release, settings, connect(settings), content_folder(settings), only_if_changed=True)
            index = build() if settings.opensearch_url else _after_builds_of_others(settings, build)
            stderr.print(f"Published {index}" if index else "The live release is up to date.")
            _run(settings, engine_urls(settings), port)


def _after_builds_of_others(settings: Settings, build: Callable[[], str | None]) -> str | None:
    """Build; if another process is building on the local node, as several `akg up` that start at once, wait for it."""
    from indexer.release.writer_lease import LockedError, lease_status  # noqa: PLC0415 - as above

    try:
        return build()
    except LockedError:
        stderr.print("Another process builds the graph. Waiting for it.")
    client, deadline = connect(settings), time.monotonic() + BUILD_SECONDS
    while time.monotonic() < deadline and (lease := lease_status(client, settings.index_alias)) and not lease.expired:
        time.sleep(POLL_SECONDS)
    return build()


@contextmanager
def _local_node(settings: Settings) -> Iterator[None]:
    """Start the local node, or share the running one."""
    with use_node(settings.data, partial(process.stop, seconds=NODE_STOP_SECONDS)) as user:
        interrupt_limit.call_before_exit(partial(user.leave, process.kill))
        node = process.start(settings.data, cache=settings.cache or default_cache(), console=stderr)
        if not node.reused:
            user.record_start(node.pid)
        yield


@contextmanager
def plain_end() -> Iterator[None]:
    """Say only that the service was stopped: the build before it may have published a release."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Stopped.") from None


@plain_end()
def _run(settings: Settings, urls: Sequence[str], port: int | None) -> None:
    from api.app import create_app  # noqa: PLC0415 - takes a second to import, also for `--help`
    from api.http.server import BACKLOG, make_server  # noqa: PLC0415
    from api.mcp.transport import PATH  # noqa: PLC0415
    from api.telemetry.log_format import configure_logging  # noqa: PLC0415

    _require_free_counts_address(settings.edge_counts)
    listener = _listen(settings.host, settings.port if port is None else port, BACKLOG)
    host, bound = listener.getsockname()[:2]
    address = f"http://{host}:{bound}"
    stderr.print(f"Serving on {address} — try {address}/search?query=adhd (MCP clients: {address}{PATH})", markup=False)
    if not settings.is_local:
        stderr.print(NEEDS_PROXY.format(host=settings.host), markup=False)
    settings = settings.model_copy(update={"port": bound})  # links without AKG_PUBLIC_URL name it
    app = create_app(settings, urls)
    configure_logging(settings.log_level, sys.stderr)
    if not settings.rate_limit:
        log.warning(NO_RATE_LIMIT)
    server = make_server(app, settings)
    # The objects of the start are excluded from garbage collection, which took half of the time of each response.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # a response creates some thousands of objects, all short-lived
    with suppress(KeyboardInterrupt), _metrics(app, settings):  # uvicorn drains first, then raises the signal again
        server.run(sockets=[listener])


@contextmanager
def _metrics(app: TelemetryMiddleware, settings: Settings) -> Iterator[None]:
    """Serve `/metrics` on the admin port, if one is set."""
    if not settings.admin_port:
        yield
        return
    from api.telemetry.prometheus import metrics_registry, serve_metrics  # noqa: PLC0415

    address = f"{settings.admin_host}:{settings.admin_port}"
    try:
        stop = serve_metrics(metrics_registry(app.collectors), settings.admin_host, settings.admin_port)
    except OSError as error:
        hint = "Set it to another port, or to 0 for no metrics."
        raise SettingsError(f"AKG_ADMIN_PORT: {address}: {error.strerror or error}. {hint}") from None
    stderr.print(f"Metrics on http://{address}/metrics", markup=False)
    try:
        yield
    finally:
        stop()


class ListenError(SettingsError):
    """The service cannot listen on its address."""


def _listen(host: str, port: int, backlog: int) -> socket.socket:
    """Listen on the port; raise ListenError if that is not possible. Port 0 is any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(backlog)
    except OSError as error:
        listener.close()
        raise ListenError(_listen_message(host, port, error)) from error
    return listener


def _require_free_counts_address(address: str) -> None:
    """Raise ListenError if the counts of the edge cannot be received at this address: the service reports it late."""
    if not address:
        return
    host, _, port = address.rpartition(":")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        try:
            receiver.bind((host.strip("[]"), int(port)))
        except OSError as error:
            cause = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror or error}"
            hint = "Set it to another address, or to nothing to count no cache hits of the edge."
            raise ListenError(f"AKG_EDGE_COUNTS: {address} {cause}. {hint}") from None


def _listen_message(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is in use on {host}. Set AKG_PORT or --port to another port, or to 0 for any free port."
    if error.errno == errno.EACCES:
        return f"This user may not listen on port {port}. Set AKG_PORT or --port to a port from 1024."
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"AKG_HOST: {host} is not an address of this machine ({error.strerror}). Set it to one, or to 0.0.0.0."
    return f"Cannot listen on port {port} of {host}: {error.strerror or error}. Change AKG_HOST or AKG_PORT."


def mcp() -> None:
    """Run the MCP server on standard input and output."""
    from api.mcp.transport import serve_stdio  # noqa: PLC0415 - as above
    from api.telemetry.log_format import configure_logging  # noqa: PLC0415

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # there is nothing to clean up, and a thread would wait for more input
    with command_settings() as settings:
        configure_logging(settings.log_level, sys.stderr)
        asyncio.run(serve_stdio(settings, engine_urls(settings)))
