"""HTTP protocol of uvicorn with limits on the size of headers, slow clients and connections.

uvicorn's own protocol accepts 64 MB of headers, has no timeout for slow clients and sends errors as plain text. Here
every rejection is problem+json. When there are too many connections, the one that has waited longest is closed.
"""

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from api.asgi import SECURITY_HEADERS, header_lines
from api.errors import (
    BadRequestError,
    HeadTooLargeError,
    OverloadedError,
    ServiceError,
    SlowClientError,
    UriTooLongError,
)
from api.http.repeats import digest_of
from api.http.response_cache import CACHE_LOOKUP, CacheLookup
from api.http.telemetry import TelemetryMiddleware
from api.settings import Settings

MOST_HEADERS = 100
SEND_SECONDS = 30.0  # for a client to take what fills its side's buffers; then the connection is cut
LINGER_BYTES = 1_000_000  # of a body that is refused already: read, so that the client gets to see the refusal
LINGER_SECONDS = 2.0
LAST_SECONDS = 1.0  # for a request that is already on its way when the process is about to end
KNOWN_AGAIN = frozenset(("GET", "POST"))  # methods of requests that may be answered without being read
CROSS_ORIGIN = (b"access-control-allow-origin", b"*")


class _RefusedError(Exception):
    """Stops the parser; the reason is on the connection."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the connections of one server share: the bounds, the application, and who is waited for."""

    settings: Settings
    app: TelemetryMiddleware
    waiting: OrderedDict["Connection", None] = field(default_factory=OrderedDict)


class Connection(HttpToolsProtocol):
    """One connection. `bounded` makes the class that has the bounds."""

    bounds: ClassVar[Bounds]

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as uvicorn makes it
        super().__init__(*args, **kwargs)
        self.settings = self.bounds.settings
        self.waiting = self.bounds.waiting
        self._fault: ServiceError | None = None
        self._head_size = 0  # bytes received since the last request was read
        self._fields = self._fields_size = 0
        self._linger: int | None = None  # bytes that may still come of a request that is answered already
        self._refused = False
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._number: int | None = None  # hash of the client, for rate limits
        self._begun = 0  # requests in what was received last
        self._between = True  # whether all that came so far were whole requests
        self._repeated = -math.inf  # when a request was last answered without being read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Take a new connection; where there are too many, in place of the one that was waited for longest."""
        super().connection_made(transport)
        if len(self.connections) > self.settings.connections:
            if not self.waiting:
                self._answer(OverloadedError("This service has too many connections. Please try again in a moment."))
                transport.close()
                return
            oldest, _ = self.waiting.popitem(last=False)
            oldest.transport.abort()
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self.waiting.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, as far as the bounds allow."""
        if self._linger is not None:
            self._linger -= len(data)
            if self._linger < 0:
                self.transport.abort()
        if self._refused or self.transport.is_closing():
            return
        digest = digest_of(data) if self._at_rest() else None
        if digest is not None and self._repeat(digest):
            return
        if self in self.waiting:
            self._head_size += len(data)
        self._begun = 0
        super().data_received(data)
        if digest is not None and self._came_alone():
            self.scope[CACHE_LOOKUP] = CacheLookup(digest)  # type: ignore[literal-required]  # its task has not begun yet
        if self in self.waiting and not self._refused:
            if self._head_size > self.settings.header_limit_bytes + self.settings.url_limit_bytes:
                self._refuse(self._too_large())
            elif self._head_size and "head" not in self._timers:
                self._await_head()

    def _await_head(self) -> None:
        """A request's head has so many seconds, from the connection's or its own first byte on."""
        self.waiting[self] = None
        self._after("head", self.settings.client_timeout_seconds, self._too_slow)

    def _at_rest(self) -> bool:
        """Whether what comes now is the beginning of a request, and may be answered at once."""
        return (
            self._between
            and self in self.waiting
            and not self._head_size
            and self.bounds.app.repeats is not None
            and not self.flow.write_paused
            and not self.app_state.get("draining")
        )

    def _came_alone(self) -> bool:
        """Whether what was received was one whole request, after which the connection stays as it is."""
        return (
            self._begun == 1
            and self._between
            and not self._refused
            and self.scope["method"] in KNOWN_AGAIN
            and self.cycle.keep_alive
            and not self.expect_100_continue
            and not self.parser.should_upgrade()
        )

    def _repeat(self, digest: bytes) -> bool:
        """Answer a request that is known from before."""
        app = self.bounds.app
        if self._number is None:
            self._number = app.repeats.client(self.client[0] if self.client else None) if app.repeats else 0
        response = app.again(digest, self._number)
        if response is None:
            return False
        ours = header_lines(self.server_state.default_headers)
        self.transport.writelines(
            (b"".join((STATUS_LINE[response.status], ours, response.head, b"\r\n")), response.body)
        )
        self.server_state.total_requests += 1
        self._stop("head")
        self.waiting.move_to_end(self)
        self._repeated = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_handler()
        return True

    def on_message_begin(self) -> None:
        """Another request begins."""
        super().on_message_begin()
        self._begun += 1
        self._between = False
        self._fields = self._fields_size = 0

    def on_url(self, url: bytes) -> None:
        """Hold the target to its bound."""
        super().on_url(url)
        if len(self.url) > self.settings.url_limit_bytes:
            limit = self.settings.url_limit_bytes
            self._fault = UriTooLongError(f"Path and query may have at most {limit} bytes.", limit=limit)
            raise _RefusedError

    def on_header(self, name: bytes, value: bytes) -> None:
        """Hold the headers to their bounds."""
        super().on_header(name, value)
        self._fields += 1
        self._fields_size += len(name) + len(value)
        if self._fields > MOST_HEADERS or self._fields_size > self.settings.header_limit_bytes:
            self._fault = self._too_large()
            raise _RefusedError

    def on_headers_complete(self) -> None:
        """The head is read: the application takes over."""
        self._stop("head")
        self.waiting.pop(self, None)
        self._head_size = 0
        super().on_headers_complete()
        if self.app_state.get("draining") and self.cycle is not None:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        """The whole request was read, if perhaps after its answer."""
        super().on_message_complete()
        self._between = True
        if self._linger is not None:
            self._linger = None
            self._stop("linger")
            self.cycle.more_body = False
            self.on_response_complete()

    def on_response_complete(self) -> None:
        """The answer is on its way: see to it that it is taken, and what was refused unread is not sent for ever."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._after("send", SEND_SECONDS, self.transport.abort)
        elif not self.cycle.response_complete:
            return  # the next request was here already
        elif self.cycle.more_body and self._linger is None:
            self._linger = LINGER_BYTES
            self._after("linger", LINGER_SECONDS, self.transport.abort)
        else:
            self.waiting[self] = None

    def pause_writing(self) -> None:
        """The client takes its answer slowly: it has so many seconds."""
        super().pause_writing()
        self._after("send", SEND_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has caught up."""
        super().resume_writing()
        self._stop("send")

    def timeout_keep_alive_handler(self) -> None:
        """Nothing more came, or only what was answered without being read, since when there is time again."""
        left = self._repeated + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self.timeout_keep_alive_task = self.loop.call_later(left, self.timeout_keep_alive_handler)
            return
        super().timeout_keep_alive_handler()
        self._after("send", SEND_SECONDS, self.transport.abort)

    def shutdown(self) -> None:
        """The process is about to end: answer what is on its way, then close."""
        self.last_request()
        self._after("last", LAST_SECONDS, self._close_at_rest)

    def last_request(self) -> None:
        """Close the connection after the answer that it works on, unless that has begun to say something else."""
        if self.cycle is not None and not self.cycle.response_started:
            self.cycle.keep_alive = False

    def _close_at_rest(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        else:
            self._after("last", LAST_SECONDS, self._close_at_rest)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words; ours are better
        """Refuse what the parser could not read, or what was found too large while reading."""
        self._refuse(self._fault or BadRequestError("The request is not valid HTTP."))

    def _too_large(self) -> HeadTooLargeError:
        limit = self.settings.header_limit_bytes
        return HeadTooLargeError(
            f"The headers may have at most {MOST_HEADERS} lines and {limit} bytes together.", limit=limit
        )

    def _too_slow(self) -> None:
        if self._head_size and not self.transport.is_closing():
            self._refuse(
                SlowClientError(f"The request did not arrive within {self.settings.client_timeout_seconds:g} seconds.")
            )
        else:
            self.transport.close()

    def _refuse(self, error: ServiceError) -> None:
        """Answer on the bare connection and end it; where another answer is on its way, end it after that.

        What the client still sends is read for a moment: closed at once, its side would drop the answer unread.
        """
        self._refused = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False
            return
        self._answer(error)
        self._linger = LINGER_BYTES
        self._after("linger", LINGER_SECONDS, self.transport.abort)
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _answer(self, error: ServiceError) -> None:
        answer = self.bounds.app.reject(error)
        ours = (*SECURITY_HEADERS, CROSS_ORIGIN, (b"connection", b"close"))
        fields = [*self.server_state.default_headers, *answer.raw_headers, *ours]
        self.transport.write(b"".join((STATUS_LINE[error.status], header_lines(fields), b"\r\n", answer.body)))

    def _after(self, name: str, seconds: float, do: Callable[[], None]) -> None:
        self._stop(name)
        self._timers[name] = self.loop.call_later(seconds, do)

    def _stop(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()


def bounded(settings: Settings, app: TelemetryMiddleware) -> type[Connection]:
    """The class of a server's connections."""
    return type("Bounded", (Connection,), {"bounds": Bounds(settings, app)})
