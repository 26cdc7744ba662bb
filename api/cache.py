"""Answers that were given once: given again while their release is live, and marked as old while the engine is away.

Answers are kept in memory only, as bytes, the least recently used ones going first when they are too many. They are
found by a hash of the question. One that is given again is the very same answer. One that stands in for an engine that
does not answer says so in `provenance.stale_seconds` and in its headers, and nobody may keep it.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

import orjson
from starlette.responses import Response

from api.boundary import FILES, PAGES, replayed
from api.envelope import matches, of_release
from api.errors import OverloadedError
from api.observation import current

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from api.observation import Observation

TROUBLE = frozenset((503, 504))
LARGEST = 256_000  # bytes of one answer; the largest records are left out rather than hundreds of others
PUBLIC = b"public"
HIT = (b"cache-status", b"akg; hit")
FOR_304 = (b"etag", b"cache-control")
ASKED = "akg.asked"  # in the scope: an `Asked`, where somebody wants to know which kept answer is given
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer, its headers, when it was given, in seconds, and what was known of the request.

    `etag` and `media_type` are two of its headers, empty where it has none. `number` tells it from all others.
    """

    body: bytes
    headers: Headers
    given: float
    seen: Observation
    etag: str
    media_type: str
    number: int


@dataclass(slots=True)
class Asked:
    """A request by the digest of its bytes, and the kept answer that it was given, by question and number."""

    digest: bytes
    question: bytes = b""
    number: int = 0


class AnswerCache:
    """Wraps the application.

    `most` bytes of answers are kept. `live` names the release that is certainly live now, as ETags begin with it, or
    None. `seconds` is how long an answer may stand in while the engine is away; `clock` gives seconds.
    """

    def __init__(
        self, app: ASGIApp, most: int, live: Callable[[], str | None], seconds: float, clock: Callable[[], float]
    ) -> None:
        self._app = app
        self._most = most
        self._live = live
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[bytes, Kept] = OrderedDict()
        self._numbers = count(1)
        self.size = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or not self._most or _not_ours(scope["path"]):
            await self._app(scope, receive, send)
            return
        first = await receive()
        question = _question(scope, first.get("body", b""))
        if (kept := self.fresh(question)) is not None:
            current().like(kept.seen)
            if (asked := scope.get(ASKED)) is not None:
                asked.question, asked.number = question, kept.number
            await _give(kept, scope, send)
            return
        watched = _Watched(self, question, send)
        try:
            await self._app(scope, replayed(first, receive), watched.send)
        except OverloadedError:
            if not watched.begun and (answer := self.stale(question)):
                await answer(scope, receive, send)
                return
            raise
        if watched.failed and (answer := self.stale(question)):
            await answer(scope, receive, send)
            return
        for message in watched.held:
            await send(message)

    def keep(self, question: bytes, body: bytes, headers: Headers) -> None:
        """Remember an answer."""
        if len(body) > LARGEST:
            return
        old = self._kept.pop(question, None)
        named = dict(headers)
        etag, media_type = (named.get(name, b"").decode("latin-1") for name in (b"etag", b"content-type"))
        given, seen, number = self._clock(), replace(current()), next(self._numbers)
        self._kept[question] = Kept(body, [*headers, HIT], given, seen, etag, media_type, number)
        self.size += len(body) - (len(old.body) if old else 0)
        while self.size > self._most:
            _, gone = self._kept.popitem(last=False)
            self.size -= len(gone.body)

    def fresh(self, question: bytes) -> Kept | None:
        """The kept answer that the live release gave."""
        kept = self._kept.get(question)
        live = self._live() if kept else None
        if kept is None or live is None or not of_release(kept.etag, live):
            return None
        self._kept.move_to_end(question)
        return kept

    def stale(self, question: bytes) -> Response | None:
        """The kept answer, marked; None where there is none that is young enough."""
        kept = self._kept.get(question)
        age = self._clock() - kept.given if kept else 0.0
        if kept is None or age >= self._seconds:
            return None
        current().like(kept.seen)
        body = orjson.loads(kept.body)
        body["provenance"]["stale_seconds"] = int(age)
        headers = {"Cache-Control": "no-store", "Age": str(int(age)), "Cache-Status": "akg; hit; fwd=stale"}
        return Response(orjson.dumps(body), media_type=kept.media_type, headers=headers)


class _Watched:
    """What the application sends: passed on and remembered when it is good, held back when the engine failed."""

    def __init__(self, cache: AnswerCache, question: bytes, send: Send) -> None:
        self._cache = cache
        self._question = question
        self._send = send
        self._headers: Headers | None = None
        self.begun = False
        self.failed = False
        self.held: list[Message] = []

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            self.failed = message["status"] in TROUBLE
            headers = list(message["headers"])
            if message["status"] == 200 and dict(headers).get(b"cache-control", b"").startswith(PUBLIC):  # noqa: PLR2004
                self._headers = headers
        elif message.get("more_body"):
            self._headers = None  # a file that is sent in pieces is no answer to remember
        elif self._headers:
            self._cache.keep(self._question, message["body"], self._headers)
        if self.failed:
            self.held.append(message)
        else:
            await self._send(message)


async def _give(kept: Kept, scope: Scope, send: Send) -> None:
    """The answer as it was given, or a 304 where the caller has it."""
    asked = next((value for name, value in scope["headers"] if name == b"if-none-match"), None)
    status, headers, body = 200, kept.headers, kept.body
    if asked is not None and matches(asked.decode("latin-1"), kept.etag):
        status, headers, body = 304, _only((*FOR_304, HIT[0]), kept.headers), b""
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})  # others add theirs
    await send({"type": "http.response.body", "body": body})


def _only(names: Sequence[bytes], headers: Headers) -> Headers:
    return [(name, value) for name, value in headers if name in names]


def _not_ours(path: str) -> bool:
    """Files and pages have caches of their own; the first page is one for some and an answer for others."""
    return path.startswith((FILES, *PAGES)) or not path.strip("/")


def _question(scope: Scope, body: bytes) -> bytes:
    parts = (scope["method"].encode(), scope["path"].encode("utf-8", "surrogateescape"), scope["query_string"], body)
    return hashlib.blake2b(b"\0".join(parts), digest_size=16).digest()
