"""Configures uvicorn, and shuts it down without losing a request.

At SIGTERM, `/readyz` returns 503 at once. For some seconds, requests still get responses, each the last of its
connection, so that a load balancer can move on. Then the server accepts no more connections, finishes the requests in
flight and ends. Ctrl-C skips the seconds in between, and gives requests in flight two seconds.
"""

import asyncio
import signal
import socket
import time
from contextlib import suppress
from math import ceil
from types import FrameType

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.settings import Settings

INTERRUPT_SECONDS = 2  # for requests in flight after Ctrl-C
GRACE_SECONDS = 3  # at shutdown, beyond the deadline of requests in flight: for slow readers
LAST_SECONDS = 1.0  # for requests that are on their way when the drain is over
POLL_SECONDS = 0.02
BACKLOG = 2048  # connections that the kernel queues before the service accepts them


class LastResponses:
    """Wraps the application. While `closing` is set, each response is the last of its connection."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.closing = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""

        async def close_after(message: Message) -> None:
            if self.closing and message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            await send(message)

        await self._app(scope, receive, close_after if scope["type"] == "http" else send)


class Server(uvicorn.Server):
    """uvicorn that drains before it shuts down."""

    def __init__(self, config: uvicorn.Config, responses: LastResponses, drain_seconds: float) -> None:
        super().__init__(config)
        self._responses = responses
        self._drain_seconds = drain_seconds
        self._drain_until: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start to drain at the first SIGTERM; a second signal, and Ctrl-C, shut down at once."""
        if sig == signal.SIGTERM and self._drain_until is None and self.started:
            self._captured_signals.append(sig)
            self._drain_until = time.monotonic() + self._drain_seconds
            self._drain()
            return
        if sig == signal.SIGINT:
            self.config.timeout_graceful_shutdown = INTERRUPT_SECONDS
        super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Shut down when the drain is over."""
        is_drained = self._drain_until is not None and time.monotonic() >= self._drain_until
        return await super().on_tick(counter) or is_drained

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept the connections in the backlog, none after them, and finish the requests in flight."""
        self._drain()
        listeners = [listener.dup() for listener in sockets or []]  # to read the backlog once more after closing
        for server in self.servers:
            server.close()
        for listener in sockets or []:
            listener.close()
        loop = asyncio.get_running_loop()
        for accepted in [connection for listener in listeners for connection in _drain_backlog(listener)]:
            await loop.connect_accepted_socket(self._connection, accepted)
        await self._wait_for_last_requests()
        await super().shutdown()

    async def _wait_for_last_requests(self) -> None:
        """Wait for requests that are on their way; each is the last of its connection, so most connections close."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_SECONDS):
                while self.server_state.connections and not self.force_exit:  # noqa: ASYNC110 - uvicorn has no event
                    await asyncio.sleep(POLL_SECONDS)

    def _drain(self) -> None:
        self.lifespan.state["draining"] = self._responses.closing = True

    def _connection(self) -> HttpToolsProtocol:
        """Return a connection as uvicorn creates it."""
        return HttpToolsProtocol(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)


def _drain_backlog(listener: socket.socket) -> list[socket.socket]:
    """Accept all connections of a listener, then close it: closing alone would reset those in its backlog."""
    listener.settimeout(0)
    connections = []
    with listener, suppress(OSError):  # the backlog is empty, or a client disconnected
        while True:
            accepted, _ = listener.accept()
            accepted.settimeout(0)
            connections.append(accepted)
    return connections


def make_server(app: ASGIApp, settings: Settings) -> Server:
    """Return a server for this application; its `run` takes the sockets to listen on."""
    responses = LastResponses(app)
    config = uvicorn.Config(
        responses,
        http=HttpToolsProtocol,
        ws="none",
        access_log=False,  # it would contain query text and addresses
        server_header=False,
        date_header=True,
        proxy_headers=False,  # uvicorn trusts any caller on this machine; the rate limiter counts proxies instead
        log_config=None,  # `api.telemetry.log_format` has configured it
        backlog=BACKLOG,
        timeout_keep_alive=settings.idle_seconds,
        timeout_graceful_shutdown=ceil(settings.deadline_seconds) + GRACE_SECONDS,
        lifespan="on",
    )
    return Server(config, responses, settings.drain_seconds)
