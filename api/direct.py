"""The short way of a request to the engine, for the client to use in place of its own.

The client's own is made for the whole web and took more of the processor than the engine needs for a record. What is
rare goes that way still: other methods than GET and POST.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import deque
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from aiohappyeyeballs import start_connection
from httptools import HttpParserError, HttpParserUpgrade
from opensearchpy import AIOHttpConnection
from opensearchpy.exceptions import ConnectionError as EngineConnectionError
from opensearchpy.exceptions import ConnectionTimeout, SSLError

from api.lane import Lane, LostError, Said

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

STRAIGHT = frozenset(("GET", "POST"))
IDLE_SECONDS = 15.0  # after which a connection is not trusted any more: what stands between may have forgotten it
NEXT_ADDRESS_SECONDS = 0.25  # for one address of a node before another one is tried beside it
GOOD = range(200, 300)
JSON = "application/json"
OWN = frozenset(("content-length", "host"))  # headers that are written here


class DirectConnection(AIOHttpConnection):
    """A node of the engine. Up to `maxsize` requests are under way, each on a connection of its own."""

    loop: asyncio.AbstractEventLoop

    def __init__(self, *, maxsize: int = 10, **more: Any) -> None:  # noqa: ANN401 - what the client passes on
        super().__init__(maxsize=maxsize, **more)
        self._resting: deque[Lane] = deque()
        self._asking: set[Lane] = set()
        self._sweep: asyncio.TimerHandle | None = None
        self._closed = False
        self._long_way = bool(self.http_compress or self.ssl_assert_fingerprint or self._trust_env)
        self._places = asyncio.Semaphore(maxsize)
        self._host = self.host.partition("://")[2].removesuffix(":443" if self.use_ssl else ":80")
        self._fields = _lines(self.headers)
        self._tls: ssl.SSLContext | None = self._ssl_context

    async def perform_request(  # noqa: PLR0913, PLR0917 - the client's own form
        self,
        method: str,
        url: str,
        params: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the client's own form
        ignore: Collection[int] = (),
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, Mapping[str, str], str | bytes]:
        """One request, as the client's own connection does it: status, headers and body, or its errors."""
        if method not in STRAIGHT or self._long_way:
            found: tuple[int, Mapping[str, str], str] = await super().perform_request(
                method, url, params, body, timeout, ignore, headers
            )
            return found
        path = f"{self.url_prefix}{url}?{urlencode(params)}" if params else self.url_prefix + url
        began = self.loop.time()
        try:
            said = await self._said(self._request(method, path, body or b"", headers), timeout or self.timeout)
            text = _text(said)
        except (OSError, HttpParserError, HttpParserUpgrade, UnicodeError) as error:
            took = self.loop.time() - began
            self.log_request_fail(method, self.host + path, path, body, took, exception=error)
            raise _translated(error) from error
        took, media_type = self.loop.time() - began, said.headers.get("content-type")
        if "warning" in said.headers:
            self._raise_warnings([said.headers["warning"]])
        if said.status not in GOOD and said.status not in ignore:
            self.log_request_fail(method, self.host + path, path, body, took, said.status)
            self._raise_error(said.status, said.body, media_type)
        self.log_request_success(method, self.host + path, path, body, said.status, "", took)
        return said.status, said.headers, text

    def _request(self, method: str, path: str, body: bytes, headers: Mapping[str, str] | None) -> bytes:
        own = f"{method} {path} HTTP/1.1\r\nhost: {self._host}\r\ncontent-length: {len(body)}\r\n"
        fields = _lines({**self.headers, **headers}) if headers else self._fields
        return f"{own}{fields}\r\n".encode("latin-1") + body

    async def _said(self, request: bytes, seconds: float) -> Said:
        """Ask on a connection that rests, else on a new one; TimeoutError after so many seconds, LostError."""
        ends = self.loop.time() + seconds
        if self._places.locked():
            async with asyncio.timeout(seconds):
                await self._places.acquire()
        else:
            await self._places.acquire()  # there is one: this does not wait
        try:
            self._insist_open()
            if (lane := self._rested()) is not None:
                try:
                    return await self._asked(lane, request, ends)
                except LostError as error:
                    if not error.silent or self._closed:
                        raise  # else it was most likely closed while it rested, and nobody read the request
            async with asyncio.timeout_at(ends):
                lane = await self._opened()
            self._insist_open(lane)
            return await self._asked(lane, request, ends)
        finally:
            self._places.release()

    def _insist_open(self, lane: Lane | None = None) -> None:
        if self._closed:
            if lane is not None:
                lane.end()
            raise LostError("The client is closed.", silent=False)

    async def _asked(self, lane: Lane, request: bytes, ends: float) -> Said:
        timer = self.loop.call_at(ends, lane.end, TimeoutError())
        self._asking.add(lane)
        try:
            return await lane.ask(request)
        finally:
            timer.cancel()
            self._asking.discard(lane)
            if lane.rested and lane.open:
                self._rest(lane)
            else:  # it failed, or who asked has gone
                lane.end()

    async def _opened(self) -> Lane:
        """A new connection, to the first address of the node that takes one."""
        places = await self.loop.getaddrinfo(self.hostname, self.port, type=socket.SOCK_STREAM)
        taken = await start_connection(places, happy_eyeballs_delay=NEXT_ADDRESS_SECONDS, loop=self.loop)
        name = self.hostname if self._tls else None
        try:
            _, lane = await self.loop.create_connection(Lane, sock=taken, ssl=self._tls, server_hostname=name)
        except BaseException:
            taken.close()
            raise
        return lane

    def _rested(self) -> Lane | None:
        """The connection that was used last, which is the least likely to be closed; None where all are in use."""
        while self._resting:
            lane = self._resting.pop()
            if lane.open and self.loop.time() - lane.rests < IDLE_SECONDS:
                return lane
            lane.end()
        return None

    def _rest(self, lane: Lane) -> None:
        """Keep it for the next request, or until it has rested for too long."""
        lane.rests = self.loop.time()
        self._resting.append(lane)
        if self._sweep is None:
            self._sweep = self.loop.call_later(IDLE_SECONDS, self._swept)

    def _swept(self) -> None:
        self._sweep = None
        while self._resting and self.loop.time() - self._resting[0].rests >= IDLE_SECONDS:
            self._resting.popleft().end()
        if self._resting:
            self._sweep = self.loop.call_later(IDLE_SECONDS, self._swept)

    async def close(self) -> None:
        """Close all connections, also those that are asked, for good."""
        self._closed = True
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        for lane in (*self._resting, *self._asking):
            lane.end()
        self._resting.clear()
        await super().close()


def _lines(headers: Mapping[str, str]) -> str:
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items() if name.lower() not in OWN)


def _text(said: Said) -> str | bytes:
    """What an answer says: JSON as it came, for who parses it."""
    media_type = said.headers.get("content-type", JSON)
    return said.body if said.body and media_type.startswith(JSON) else said.body.decode("utf-8", "surrogatepass")


def _translated(error: Exception) -> EngineConnectionError:
    """The client's error for one of the connection."""
    if isinstance(error, TimeoutError):
        return ConnectionTimeout("TIMEOUT", str(error), error)
    return (SSLError if isinstance(error, ssl.SSLError) else EngineConnectionError)("N/A", str(error), error)
