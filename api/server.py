"""Runs the service on a socket: bounds on every connection, and an end that loses no request.

SIGTERM: `/readyz` says 503 at once. For some seconds requests are still answered, each as the last of its connection,
so that whoever spreads the load can turn away. Then no connection is taken any more, what is under way is finished,
and the process ends. Ctrl-C does the same without the seconds in between.
"""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import suppress
from math import ceil
from typing import TYPE_CHECKING, Any

import uvicorn

from api.wire import Connection, bounded

if TYPE_CHECKING:
    import socket
    from types import FrameType

    from api.observer import Observer
    from api.settings import Settings

GRACE_SECONDS = 3  # at the end, beyond the deadline of what is under way: for slow readers
BACKLOG = 2048


class Server(uvicorn.Server):
    """uvicorn with an end in two steps."""

    def __init__(self, config: uvicorn.Config, drain_seconds: float) -> None:
        super().__init__(config)
        self._drain_seconds = drain_seconds
        self._ends: float | None = None
        self._told = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end at the first SIGTERM; anything more, and Ctrl-C, ends at once."""
        if sig == signal.SIGTERM and self._ends is None and self.started:
            self._captured_signals.append(sig)
            self._ends = time.monotonic() + self._drain_seconds
            self.lifespan.state["draining"] = True
            return
        super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Look whether it is time to end. Until then each connection is told that its next answer is the last."""
        if self._ends is not None and not self._told:  # not in the signal's handler, which can stop code half-way
            self._told = True
            for connection in self.server_state.connections:
                if isinstance(connection, Connection):
                    connection.last_request()
        over = self._ends is not None and time.monotonic() >= self._ends
        return await super().on_tick(counter) or over

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take the connections that wait to be taken, none after them, and finish what is under way."""
        self.lifespan.state["draining"] = True
        mine = [listener.dup() for listener in sockets or []]  # so that the last look at the queue comes just before
        for server in self.servers:
            server.close()
        for listener in sockets or []:
            listener.close()
        loop = asyncio.get_running_loop()
        for taken in [one for listener in mine for one in _last_of(listener)]:
            await loop.connect_accepted_socket(self._connection, taken)
        await super().shutdown()

    def _connection(self) -> Connection:
        """As uvicorn makes it for each that it takes."""
        made: type[Any] = self.config.http_protocol_class
        connection: Connection = made(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state, _loop=None
        )
        return connection


def _last_of(listener: socket.socket) -> list[socket.socket]:
    """Close a listener but for what it has: closing breaks off the connections that the system made and nobody took."""
    listener.settimeout(0)
    last = []
    with listener, suppress(OSError):  # no more, or what waited has gone
        while True:
            taken, _ = listener.accept()
            taken.settimeout(0)
            last.append(taken)
    return last


def make_server(app: Observer, settings: Settings) -> Server:
    """A server for this application; its `run` takes the sockets to listen on."""
    config = uvicorn.Config(
        app,
        http=bounded(settings, app),
        ws="none",
        access_log=False,  # it would hold query text and addresses
        server_header=False,
        date_header=True,
        proxy_headers=False,  # uvicorn believes whoever calls from this machine; the gate counts proxies instead
        log_config=None,  # akg's own is set up already, and lets no one else speak freely
        backlog=BACKLOG,
        timeout_keep_alive=settings.idle_seconds,
        timeout_graceful_shutdown=ceil(settings.deadline_seconds) + GRACE_SECONDS,
        lifespan="on",
    )
    return Server(config, settings.drain_seconds)
