"""`akg serve` runs the service; `akg up` brings everything it needs with it."""

from __future__ import annotations

import gc
import signal
import socket
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated

import typer

from akg.building import build_release
from akg.connection import connect, engine_urls, settings_from_environment
from akg.console import notes, plain_errors
from akg.node import process
from akg.node.folders import default_cache
from api.settings import SettingsError, content_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from api.observer import Observer
    from api.settings import Settings

BACKLOG = 2048  # connections that the system makes before they are taken
PortOption = Annotated[int | None, typer.Option("--port", min=0, max=65535, help="Port; default: AKG_PORT or 8080.")]
# New objects, young and middle collections: an answer makes some thousands of objects, all short-lived.
COLLECT_AFTER = (20_000, 20, 20)


def serve(port: PortOption = None) -> None:
    """Run the service over the configured engine or the local node."""
    signal.signal(signal.SIGTERM, _end_gently)
    with plain_errors():
        settings = settings_from_environment()
        _run(settings, engine_urls(settings), port)


def up(port: PortOption = None) -> None:
    """Start the local node, build the graph if it changed, and serve. Ctrl-C stops what this started."""
    signal.signal(signal.SIGTERM, _end_gently)
    with plain_errors():
        settings = settings_from_environment()
        started = None
        if not settings.opensearch_url:
            started = process.start(settings.data, cache=settings.cache or default_cache(), console=notes)
        try:
            client = connect(settings)
            index = build_release(settings, client, content_folder(settings), only_if_changed=True)
            notes.print(f"Published {index}" if index else "The live release is up to date.")
            _run(settings, engine_urls(settings), port)
        finally:
            if started is not None and not started.reused:
                process.stop(settings.data)


def _run(settings: Settings, urls: Sequence[str], port: int | None) -> None:
    from api.app import create_app  # noqa: PLC0415 - takes a second to import, which only these two commands need
    from api.logs import configure  # noqa: PLC0415
    from api.mcp_transport import PATH  # noqa: PLC0415
    from api.server import make_server  # noqa: PLC0415

    listener = _listen(settings.host, settings.port if port is None else port)
    host, bound = listener.getsockname()[:2]
    address = f"http://{host}:{bound}"
    notes.print(f"Serving on {address} — try {address}/search?query=adhd (MCP clients: {address}{PATH})", markup=False)
    app = create_app(settings, urls)
    configure(settings.log_level, sys.stderr)
    server = make_server(app, settings)
    _settle()
    with suppress(KeyboardInterrupt), _metrics(app, settings):  # uvicorn drains first, then raises the signal again
        server.run(sockets=[listener])


@contextmanager
def _metrics(app: Observer, settings: Settings) -> Iterator[None]:
    """`/metrics` on its own port, where one is set."""
    if not settings.admin_port:
        yield
        return
    from api.metrics import publish, registry  # noqa: PLC0415

    place = f"{settings.admin_host}:{settings.admin_port}"
    try:
        stop = publish(registry(app.usage, app.gauges), settings.admin_host, settings.admin_port)
    except OSError as error:
        raise SettingsError(f"AKG_ADMIN_PORT: no metrics on {place}: {error.strerror or error}") from None
    notes.print(f"Metrics on http://{place}/metrics", markup=False)
    try:
        yield
    finally:
        stop()


def _settle() -> None:
    """Tell the garbage collector that what is here now stays; looking through it took half of each answer's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


def _end_gently(*_: object) -> None:
    """SIGTERM ends a command as Ctrl-C does, so that what it started is stopped too."""
    raise KeyboardInterrupt


def _listen(host: str, port: int) -> socket.socket:
    """Take the port, or any free one with a word about it when something else has it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        notes.print(f"Port {port} is taken; using a free one.", style="yellow")
        listener.bind((host, 0))
    listener.listen(BACKLOG)
    return listener
