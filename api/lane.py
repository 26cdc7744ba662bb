"""One connection to a node of the engine: a request is written and its answer read, one at a time.

The parser is httptools, which reads what comes in from callers too. Redirects, cookies, proxies and compression, which
a client for the whole web must know, have no place here.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

if TYPE_CHECKING:
    from collections.abc import Mapping

INFORMATIONAL = 200  # statuses below say that the answer is still to come
REFUSED = 400  # and above
TAKEN_AT_ONCE = 65_536  # bytes of a request that need not wait for the other side
DELIMITED = frozenset(("content-length", "transfer-encoding"))  # with neither, an answer ends with its connection


class LostError(ConnectionError):
    """The connection broke before the answer was whole; `silent` where not a byte of it had come."""

    def __init__(self, said: str, *, silent: bool) -> None:
        super().__init__(said)
        self.silent = silent


@dataclass(frozen=True, slots=True)
class Said:
    """An answer; the names of its headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Lane(asyncio.Protocol):
    """A connection. It may be asked again once its answer is whole and `open` still holds."""

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[Said] | None = None
        self._headers: dict[str, str] = {}
        self._parts: list[bytes] = []
        self._begun = self._headed = self._long = False
        self.open = False
        self.rests = 0.0  # since when, as whoever keeps it tells the time

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It can be asked."""
        self._transport = cast("asyncio.Transport", transport)
        self.open = True

    def ask(self, request: bytes) -> asyncio.Future[Said]:
        """Send one whole request. Fails with LostError, what the parser raises, or what `end` is told."""
        answer = self._answer = asyncio.get_running_loop().create_future()
        self._begun, self._long = False, len(request) > TAKEN_AT_ONCE
        if self._transport is None or not self.open:
            self.end(LostError("The connection is closed.", silent=True))
        else:
            self._transport.write(request)
        return answer

    def end(self, why: Exception | None = None) -> None:
        """Close at once; who still waits for an answer gets `why`."""
        self.open = False
        if self._transport is not None:
            self._transport.abort()
        answer, self._answer = self._answer, None
        if answer is not None and not answer.done():
            answer.set_exception(why or LostError("The connection was closed.", silent=not self._begun))

    @property
    def rested(self) -> bool:
        """Whether nothing is under way."""
        return self._answer is None

    def data_received(self, data: bytes) -> None:
        """Read on."""
        self._begun = True
        if self._answer is None:  # nobody asked
            self.end()
            return
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            self.end(error)

    def connection_lost(self, exc: Exception | None) -> None:
        """Whoever waits gets what there is, if that is whole."""
        if exc is None and self._headed and not DELIMITED.intersection(self._headers):
            self.on_message_complete()
        self.end(LostError(str(exc or "The connection was closed."), silent=not self._begun))

    def on_message_begin(self) -> None:
        """Of the parser: an answer begins."""
        if self._answer is None:  # behind the one that was asked for
            self.end()
        self._headers, self._parts, self._headed = {}, [], False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Of the parser: several lines of one name are one list."""
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        """Of the parser: the body follows."""
        self._headed = True

    def on_body(self, body: bytes) -> None:
        """Of the parser: a part of the body."""
        self._parts.append(body)

    def on_message_complete(self) -> None:
        """Of the parser: the answer is whole."""
        status = self._parser.get_status_code()
        if status < INFORMATIONAL:
            return
        answer, self._answer = self._answer, None
        self._headed = False
        body, self._parts = b"".join(self._parts), []
        if not self._parser.should_keep_alive() or (self._long and status >= REFUSED):
            self.end()  # the last one by its own word, or perhaps before all of the request was taken
        if answer is not None and not answer.done():
            answer.set_result(Said(status, self._headers, body))
