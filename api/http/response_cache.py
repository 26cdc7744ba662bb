"""In-memory response cache: one entry per request, valid for one release.

While OpenSearch is unavailable, stale entries are served; `provenance.stale_seconds`, a sentence on a page, and the
headers mark them, and clients may not store them. Their age begins when OpenSearch last confirmed their release. The
least recently used entries are dropped first.

Pages are only kept for that: their ETag is not that of a release.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import orjson
from prometheus_client import Counter
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import OverloadedError
from api.http.coalescing import request_key
from api.http.envelope import etag_matches, is_from_release
from api.http.request_policy import EXPORT_PREFIX, PAGE_PREFIXES, replay
from api.limits.rate_limit import STATIC_PREFIX, UNLIMITED_PATHS
from api.telemetry.usage_counters import RequestFacts, current_request

UNAVAILABLE = frozenset((503, 504))
MAX_BODY_BYTES = 256_000  # one of the largest records would take the space of hundreds of other responses
PUBLIC = b"public"
HIT = (b"cache-status", b"akg; hit")
HEADERS_OF_304 = (b"etag", b"cache-control", HIT[0])
STALE_REPLACES = frozenset((b"etag", b"cache-control", b"content-length", HIT[0]))
HTML = "text/html"
STALE_PLACE = b"<!--stale-->"  # in a page, where it may say that it is stale
STALE_TEXT = '<p class="wide note" role="status">The search engine does not respond. This page is {} old.</p>'
KEPT_PAGES = "/explore"
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response, when it was stored, in seconds, and the facts of its request.

    `etag` and `media_type` are header values, empty if missing.
    """

    body: bytes
    headers: Headers
    stored_at: float
    facts: RequestFacts
    etag: str
    media_type: str


class ResponseCache:
    """Middleware that caches at most `max_bytes` of responses.

    `live_tag` returns the ETag prefix of the live release, and asks OpenSearch if that was not confirmed just now; None
    without an answer. Stale entries are served for `stale_seconds`; `clock` returns seconds.
    """

    def __init__(
        self,
        app: ASGIApp,
        max_bytes: int,
        live_tag: Callable[[], Awaitable[str | None]],
        stale_seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._live_tag = live_tag
        self._stale_seconds = stale_seconds
        self._clock = clock
        self._entries: OrderedDict[bytes, CachedResponse] = OrderedDict()
        self._confirmed_tag: str | None = None
        self._confirmed_at = 0.0
        self.size = 0
        self.hits = Counter(
            "akg_response_cache_hits", "Requests that the cache answered with the live release.", registry=None
        )
        self.misses = Counter(
            "akg_response_cache_misses",
            "Requests that it could not answer so, without probes, exports and pages.",
            registry=None,
        )

    @property
    def length(self) -> int:
        """The number of entries."""
        return len(self._entries)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or not self._max_bytes or _is_excluded(scope["path"]):
            await self._app(scope, receive, send)
            return
        first = await receive()
        key = request_key(scope, first.get("body", b""))
        tag = await self._tag_for(key)
        if tag and (entry := self.fresh(key, tag)):
            self.hits.inc()
            current_request().copy_result(entry.facts)
            await _send_entry(entry, scope, send)
            return
        self.misses.inc()
        # Another attempt could take a second deadline; what no release determines needs no OpenSearch.
        if tag is None and self._is_confirmed(self._entries.get(key)) and (response := self.stale(key)):
            await response(scope, receive, send)
            return
        recorder = _Recorder(self, key, send)
        try:
            await self._app(scope, replay(first, receive), recorder.send)
        except OverloadedError:
            if recorder.started or (response := self.stale(key)) is None:
                raise
            await response(scope, receive, send)
            return
        if recorder.failed and (response := self.stale(key)):
            await response(scope, receive, send)
            return
        for message in recorder.held:
            await send(message)

    def store(self, key: bytes, body: bytes, headers: Headers) -> None:
        """Store a response, and drop others that exceed the size."""
        if len(body) > MAX_BODY_BYTES:
            return
        replaced = self._entries.pop(key, None)
        values = dict(headers)
        etag, media_type = (values.get(name, b"").decode("latin-1") for name in (b"etag", b"content-type"))
        stored_at, facts = self._clock(), replace(current_request())
        self._entries[key] = CachedResponse(body, [*headers, HIT], stored_at, facts, etag, media_type)
        self.size += len(body) - (len(replaced.body) if replaced else 0)
        while self.size > self._max_bytes:
            _, dropped = self._entries.popitem(last=False)
            self.size -= len(dropped.body)

    async def _tag_for(self, key: bytes) -> str | None:
        """Return the ETag prefix of the live release, None without an answer, and "" if no entry could be fresh."""
        entry = self._entries.get(key)
        if entry is None or entry.media_type.startswith(HTML):
            return ""
        if (tag := await self._live_tag()) is not None:
            self._confirmed_tag, self._confirmed_at = tag, self._clock()
        return tag

    def fresh(self, key: bytes, tag: str) -> CachedResponse | None:
        """Return the entry if it is from the release with this ETag prefix, and no page."""
        entry = self._entries.get(key)  # perhaps no longer there, after waiting for the tag
        if entry is None or entry.media_type.startswith(HTML) or not is_from_release(entry.etag, tag):
            return None
        self._entries.move_to_end(key)
        return entry

    def stale(self, key: bytes) -> Response | None:
        """Return the entry marked as stale, unless it is too old."""
        entry = self._entries.get(key)
        age = self._age(entry) if entry else 0.0
        if entry is None or age >= self._stale_seconds:
            return None
        current_request().copy_result(entry.facts)
        headers = {"Cache-Control": "no-store", "Age": str(int(age)), "Cache-Status": "akg; hit; fwd=stale"}
        response = Response(_stale_body(entry, age), headers=headers)
        response.raw_headers += [field for field in entry.headers if field[0] not in STALE_REPLACES]
        return response

    def _is_confirmed(self, entry: CachedResponse | None) -> bool:
        """Return whether the entry is from the release that OpenSearch last confirmed as the live one."""
        return bool(entry and self._confirmed_tag and is_from_release(entry.etag, self._confirmed_tag))

    def _age(self, entry: CachedResponse) -> float:
        """Return the seconds since an entry was stored, or since its release was confirmed as the live one."""
        confirmed_at = self._confirmed_at if self._is_confirmed(entry) else entry.stored_at
        return self._clock() - max(entry.stored_at, confirmed_at)


def _stale_body(entry: CachedResponse, age: float) -> bytes:
    if entry.media_type.startswith(HTML):
        minutes = round(age / 60)
        text = STALE_TEXT.format(f"{minutes} minute{'s' * (minutes > 1)}" if minutes else "less than a minute")
        return entry.body.replace(STALE_PLACE, text.encode(), 1)
    body = orjson.loads(entry.body)
    body["provenance"]["stale_seconds"] = int(age)
    return orjson.dumps(body)


class _Recorder:
    """Passes on and stores a cacheable response; holds back a response that says OpenSearch is unavailable."""

    def __init__(self, cache: ResponseCache, key: bytes, send: Send) -> None:
        self._cache = cache
        self._key = key
        self._send = send
        self._headers: Headers | None = None
        self.started = False
        self.failed = False
        self.held: list[Message] = []

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            self.failed = message["status"] in UNAVAILABLE
            headers = list(message["headers"])
            if message["status"] == 200 and dict(headers).get(b"cache-control", b"").startswith(PUBLIC):  # noqa: PLR2004
                self._headers = headers
        elif message.get("more_body"):
            self._headers = None  # a streamed file is not cached
        elif self._headers:
            self._cache.store(self._key, message["body"], self._headers)
        if self.failed:
            self.held.append(message)
        else:
            await self._send(message)


async def _send_entry(entry: CachedResponse, scope: Scope, send: Send) -> None:
    """Send the cached response, or a 304 if the client has it."""
    if_none_match = next((value for name, value in scope["headers"] if name == b"if-none-match"), None)
    status, headers, body = 200, entry.headers, entry.body
    if if_none_match is not None and etag_matches(if_none_match.decode("latin-1"), entry.etag):
        status, body = 304, b""
        headers = [field for field in entry.headers if field[0] in HEADERS_OF_304]
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})  # middleware appends to it
    await send({"type": "http.response.body", "body": body})


def _is_excluded(path: str) -> bool:
    """Return whether the path is not cached: probes, counts, files, and pages outside of the explorer."""
    if path in UNLIMITED_PATHS:
        return True
    if path.startswith(KEPT_PAGES):
        return path.startswith(STATIC_PREFIX)
    return path.startswith((EXPORT_PREFIX, *PAGE_PREFIXES, "/openapi.json", "/usage"))
