"""Repeated requests, recognized by a digest of their bytes: the response comes from the cache, without parsing.

The first time, a cached response passes through all middleware. It depends only on the request's bytes, the cached
response, the date and the client's remaining quota. So the headers are stored under a digest of the request, and are
sent with the same response while the cache has it. Neither the bytes of a request nor its client are stored.
"""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass

from starlette.types import Message

from api.asgi import header_lines
from api.http.response_cache import CacheLookup, ResponseCache
from api.limits.rate_limit import RATELIMIT_HEADER, RateLimitMiddleware, bucket_for
from api.telemetry.usage_counters import RequestFacts

MAX_REQUEST_BYTES = 8_192
DIGEST_BYTES = 16
ENTRY_BYTES = 600  # of an entry beside its headers, about
OK, NOT_MODIFIED = 200, 304


@dataclass(frozen=True, slots=True)
class Repeat:
    """The header lines before and after the rate-limit state, and the cached response that was sent."""

    status: int
    before: bytes
    after: bytes
    account: str | None
    key: bytes
    version: int
    facts: RequestFacts


@dataclass(frozen=True, slots=True)
class RepeatedResponse:
    """A response: its header lines, without those of the server, and its body."""

    status: int
    head: bytes
    body: bytes
    facts: RequestFacts


class Repeats:
    """Stores at most `max_bytes` of headers; the least recently used are dropped first."""

    def __init__(self, cache: ResponseCache, limiter: RateLimitMiddleware, max_bytes: int) -> None:
        self._cache = cache
        self._limiter = limiter
        self._max_bytes = max_bytes
        self._known: OrderedDict[bytes, Repeat] = OrderedDict()
        self.size = 0

    def client(self, peer: str | None) -> int:
        """Return the hash by which requests from this address are counted."""
        return self._limiter.client(peer, ())

    def again(self, digest: bytes, client: int) -> RepeatedResponse | None:
        """Count the request and return its response; None if the middleware must handle it, perhaps reject it."""
        repeat = self._known.get(digest)
        entry = self._cache.fresh(repeat.key) if repeat else None
        if repeat is None or entry is None:
            return None
        if entry.version != repeat.version:
            self._drop(digest)
            return None
        left = self._limiter.count_now(repeat.account, client)
        if left is None:
            return None
        self._known.move_to_end(digest)
        head = b"".join((repeat.before, left, repeat.after))
        return RepeatedResponse(repeat.status, head, entry.body if repeat.status == OK else b"", repeat.facts)

    def remember(self, lookup: CacheLookup, path: str, start: Message, facts: RequestFacts) -> None:
        """Store the headers of a response from the cache."""
        status, fields = start["status"], start["headers"]
        names = [name for name, _ in fields]
        if lookup.digest in self._known or not (
            status == NOT_MODIFIED or (status == OK and b"content-length" in names)
        ):
            return
        place = names.index(RATELIMIT_HEADER) if RATELIMIT_HEADER in names else len(names)
        account = bucket_for(path) if RATELIMIT_HEADER in names else None
        before, after = header_lines(fields[:place]), header_lines(fields[place + 1 :])
        self._known[lookup.digest] = Repeat(status, before, after, account, lookup.key, lookup.version, facts)
        self.size += _size(self._known[lookup.digest])
        while self.size > self._max_bytes:
            self._drop(next(iter(self._known)))

    def _drop(self, digest: bytes) -> None:
        self.size -= _size(self._known.pop(digest))


def digest_of(request: bytes) -> bytes | None:
    """Return the digest of a request; None if it is too long to be recognized."""
    return hashlib.blake2b(request, digest_size=DIGEST_BYTES).digest() if len(request) <= MAX_REQUEST_BYTES else None


def _size(repeat: Repeat) -> int:
    return ENTRY_BYTES + len(repeat.before) + len(repeat.after)
