"""A proxy between a client and OpenSearch that delays, blocks or cuts connections."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

CHUNK_BYTES = 65_536


class Mode(StrEnum):
    """The behaviour of a `TcpProxy`."""

    OPEN = "open"
    DELAYED = "delayed"
    SILENT = "silent"  # accepts connections and data, forwards nothing
    CUT = "cut"  # aborts connections, and accepts no new ones
    FLAKY = "flaky"  # aborts some connections in the middle of a response


@dataclass(eq=False, slots=True)
class TcpProxy:
    """Forwards bytes to a port of this machine."""

    target: int
    rng: Random
    mode: Mode = Mode.OPEN
    delay_seconds: float = 0.3  # in each direction, in mode DELAYED
    cut_share: float = 0.1  # share of the chunks after which a connection is aborted, in mode FLAKY
    port: int = 0
    _open: set[asyncio.StreamWriter] = field(default_factory=set)
    _may_forward: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def set_mode(self, mode: Mode) -> None:
        """Change the behaviour of open and new connections."""
        self.mode = mode
        if mode is Mode.CUT:
            self._abort_connections()
        if mode is Mode.SILENT:
            self._may_forward.clear()
        else:
            self._may_forward.set()

    def _abort_connections(self) -> None:
        for writer in self._open:
            writer.transport.abort()

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator["TcpProxy"]:
        self._may_forward.set()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            self._abort_connections()
            await asyncio.sleep(0.1)  # lets the forwarding tasks notice the aborted connections

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.mode is Mode.CUT:
            writer.transport.abort()
            return
        try:
            upstream_reader, upstream_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()  # the target does not listen
            return
        self._open |= {writer, upstream_writer}
        try:
            await asyncio.gather(
                self._forward(reader, upstream_writer, is_response=False),
                self._forward(upstream_reader, writer, is_response=True),
            )
        finally:
            self._open -= {writer, upstream_writer}
            writer.transport.abort()
            upstream_writer.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_response: bool) -> None:
        with contextlib.suppress(ConnectionError):
            while chunk := await reader.read(CHUNK_BYTES):
                await self._may_forward.wait()
                if self.mode is Mode.DELAYED:
                    await asyncio.sleep(self.delay_seconds)
                if is_response and self.mode is Mode.FLAKY and self.rng.random() < self.cut_share:
                    writer.write(chunk[: len(chunk) // 2])
                    break
                writer.write(chunk)
                await writer.drain()
        with contextlib.suppress(ConnectionError, OSError):
            await writer.drain()
        writer.close()
