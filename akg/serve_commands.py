"""`akg serve` runs the service; `akg up` brings everything it needs with it."""

from __future__ import annotations

import gc
import signal
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from akg.connection import connect, engine_urls, settings_from_environment
from akg.console import notes, plain_errors
from akg.index_commands import build_release
from akg.node import process
from akg.node.folders import default_cache
from api.settings import content_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from api.settings import Settings

PortOption = Annotated[int | None, typer.Option("--port", min=0, max=65535, help="Port; default: AKG_PORT or 8080.")]
DRAIN_SECONDS = 10
BACKLOG = 2048
COLLECT_AFTER = (
    20_000,
    20,
    20,
)  # new objects, young and middle collections: an answer makes some thousands, all short-lived


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
    import uvicorn  # noqa: PLC0415 - the web framework takes a second to import, which only these two commands need

    from api.app import create_app  # noqa: PLC0415
    from api.mcp_transport import PATH  # noqa: PLC0415

    listener = _listen(settings.host, settings.port if port is None else port)
    host, bound = listener.getsockname()[:2]
    config = uvicorn.Config(
        create_app(settings, urls),
        access_log=False,  # it would hold query text and addresses
        server_header=False,
        proxy_headers=False,  # uvicorn believes whoever calls from this machine; the gate counts proxies instead
        date_header=True,
        log_level="warning",
        timeout_graceful_shutdown=DRAIN_SECONDS,
        lifespan="on",
    )
    address = f"http://{host}:{bound}"
    notes.print(f"Serving on {address} — try {address}/search?query=adhd (MCP clients: {address}{PATH})", markup=False)
    _settle()
    with suppress(KeyboardInterrupt):  # uvicorn drains first, then raises the signal again
        uvicorn.Server(config).run(sockets=[listener])


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
