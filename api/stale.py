"""While the engine is away, the last answer to the very same question, marked as what it is.

Answers are kept in memory only, for some minutes, the least recently given ones going first when they are too many.
They are found by a hash of the question. A stale answer says so in `provenance.stale_seconds` and in its headers, and
nobody may keep it.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson
from starlette.responses import Response

from api.boundary import FILES
from api.errors import OverloadedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TROUBLE = frozenset((503, 504))
MOST_BYTES = 32_000_000
LARGEST = 256_000  # bytes of one answer; the largest records are left out rather than hundreds of others
PUBLIC = b"public"


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer and when it was given, in seconds."""

    body: bytes
    media_type: str
    given: float


class Stale:
    """Wraps the application. `seconds` is how long an answer may stand in; `clock` gives seconds."""

    def __init__(self, app: ASGIApp, seconds: float, clock: Callable[[], float]) -> None:
        self._app = app
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[bytes, Kept] = OrderedDict()
        self.size = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or not self._seconds or scope["path"].startswith(FILES):
            await self._app(scope, receive, send)
            return
        first = await receive()
        question = _question(scope, first.get("body", b""))
        watched = _Watched(self, question, send)
        try:
            await self._app(scope, _again(first, receive), watched.send)
        except OverloadedError:
            if not watched.begun and (answer := self.find(question)):
                await answer(scope, receive, send)
                return
            raise
        if watched.failed and (answer := self.find(question)):
            await answer(scope, receive, send)
            return
        for message in watched.held:
            await send(message)

    def keep(self, question: bytes, body: bytes, media_type: str) -> None:
        """Remember an answer."""
        if len(body) > LARGEST:
            return
        old = self._kept.pop(question, None)
        self._kept[question] = Kept(body, media_type, self._clock())
        self.size += len(body) - (len(old.body) if old else 0)
        while self.size > MOST_BYTES:
            _, gone = self._kept.popitem(last=False)
            self.size -= len(gone.body)

    def find(self, question: bytes) -> Response | None:
        """The kept answer, marked; None where there is none that is young enough."""
        kept = self._kept.get(question)
        age = self._clock() - kept.given if kept else 0.0
        if kept is None or age > self._seconds:
            return None
        body = orjson.loads(kept.body)
        body["provenance"]["stale_seconds"] = int(age)
        headers = {"Cache-Control": "no-store", "Age": str(int(age)), "Cache-Status": "akg; hit; fwd=stale"}
        return Response(orjson.dumps(body), media_type=kept.media_type, headers=headers)


class _Watched:
    """What the application sends: passed on and remembered when it is good, held back when the engine failed."""

    def __init__(self, stale: Stale, question: bytes, send: Send) -> None:
        self._stale = stale
        self._question = question
        self._send = send
        self._media_type: str | None = None
        self.begun = False
        self.failed = False
        self.held: list[Message] = []

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            self.failed = message["status"] in TROUBLE
            headers = dict(message["headers"])
            if message["status"] == 200 and headers.get(b"cache-control", b"").startswith(PUBLIC):  # noqa: PLR2004
                self._media_type = headers[b"content-type"].decode()
        elif message.get("more_body"):
            self._media_type = None  # a file that is sent in pieces is no answer to remember
        elif self._media_type:
            self._stale.keep(self._question, message["body"], self._media_type)
        if self.failed:
            self.held.append(message)
        else:
            await self._send(message)


def _question(scope: Scope, body: bytes) -> bytes:
    parts = (scope["method"].encode(), scope["path"].encode("utf-8", "surrogateescape"), scope["query_string"], body)
    return hashlib.blake2b(b"\0".join(parts), digest_size=16).digest()


def _again(first: Message, receive: Receive) -> Receive:
    pending = [first]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
