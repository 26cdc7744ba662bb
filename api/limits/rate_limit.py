"""Rate-limit middleware: identifies the client and rejects requests over quota before any work is done.

Each bucket of routes has its own quota. Routes that do not load OpenSearch and must always work have none. Requests are
counted in a sliding window, in memory or in a Redis that workers share. Redis never fails a request and delays it by at
most `REDIS_TIMEOUT_SECONDS`: while it is down, each worker counts in memory.

Clients are counted by a keyed hash of their address, which they cannot forge. They can write any header, so
`X-Forwarded-For` counts only as far as our own proxies wrote it: each appends one address, so behind n proxies the
client's is the nth from the right.
"""

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address
from math import ceil

from prometheus_client import Counter
from redis.exceptions import RedisClusterException, RedisError
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.asgi import with_headers, without_body
from api.errors import LimitedError, ServiceError
from api.limits.sliding_window import MemoryWindow, Quota, RedisWindow, WindowState
from api.settings import Settings

log = logging.getLogger("akg.limits")

DEFAULT, SUGGEST, MCP = "default", "suggest", "mcp"
BUCKETS = {"/suggest": SUGGEST, "/mcp": MCP}
UNLIMITED_PATHS = frozenset(("/healthz", "/readyz"))
STATIC_PREFIX = "/explore/static/"  # files in memory, which browsers cache
DOCUMENTATION_PREFIX = "/docs/"  # the built site: static files
FILE_PREFIXES = (STATIC_PREFIX, DOCUMENTATION_PREFIX)
FORWARDED = b"x-forwarded-for"
NETWORK_BITS = 64  # of an IPv6 address; a customer can choose the rest freely
DIGEST_BYTES = 8
WITH_PORT = re.compile(r"\[(?P<ipv6>[^\]]*)\](?::\d+)?|(?P<ipv4>[\d.]+):\d+")
UNKNOWN = b"?"
REDIS_TIMEOUT_SECONDS = 0.1  # more than a thousand times what Redis needs on one machine
REDIS_PAUSE_SECONDS = 5.0  # until Redis is tried again
REDIS_ERRORS = (RedisError, RedisClusterException, TimeoutError, OSError)


def quotas(settings: Settings) -> dict[str, Quota]:
    """Return the quota of each bucket that has one."""
    if not settings.rate_limit:
        return {}
    rates = {DEFAULT: settings.rate_limit, SUGGEST: settings.rate_limit_suggest, MCP: settings.rate_limit_mcp}
    seconds = settings.rate_burst_seconds
    return {name: Quota(max(1, round(rate * seconds / 60)), seconds) for name, rate in rates.items() if rate}


def bucket_for(path: str) -> str | None:
    """Return the bucket in which a path counts, or None if it does not count."""
    plain = path.rstrip("/")
    return None if plain in UNLIMITED_PATHS or plain.startswith(FILE_PREFIXES) else BUCKETS.get(plain, DEFAULT)


class RateLimits:
    """Count requests per client and class of routes. `clock` gives seconds. Call `close` at the end."""

    def __init__(
        self,
        quotas: Mapping[str, Quota],
        clock: Callable[[], float],
        redis_url: str = "",
        prefix: str = "akg",
        redis_timeout: float = REDIS_TIMEOUT_SECONDS,
    ) -> None:
        self.quotas = quotas
        self._clock = clock
        self._redis_timeout = redis_timeout
        self._memory = MemoryWindow(quotas, clock)
        self._redis = RedisWindow(quotas, redis_url, prefix) if redis_url and quotas else None
        self._redis_is_down = False
        self._retry_at = 0.0
        self.rejections = Counter(
            "akg_rate_limit_rejections",
            "Requests that got a 429, by quota: default, suggest, mcp.",
            ("quota",),
            registry=None,
        )
        for name in (DEFAULT, SUGGEST, MCP):
            self.rejections.labels(name)  # so that each is 0 before the first rejection

    async def count(self, name: str, client: int) -> WindowState:
        """Count one request of a client in a class that has a quota, in Redis if it is configured and up.

        A rejected request does not count.
        """
        if self._redis is None or (self._redis_is_down and self._clock() < self._retry_at):
            return self._memory.count(name, client)
        try:
            async with asyncio.timeout(self._redis_timeout):
                state = await self._redis.count(name, client)
        except REDIS_ERRORS as error:
            self._pause_redis(type(error).__name__)
            return self._memory.count(name, client)
        if self._redis_is_down:
            self._redis_is_down = False
            log.warning("Redis responds again: limits are shared")
        return state

    async def close(self) -> None:
        """Close the connections to Redis."""
        if self._redis is not None:
            await self._redis.close()

    def _pause_redis(self, error: str) -> None:
        self._retry_at = self._clock() + REDIS_PAUSE_SECONDS
        if not self._redis_is_down:
            self._redis_is_down = True
            log.warning("Redis does not respond (%s): each worker limits for itself", error)


def client_address(peer: str | None, headers: Iterable[tuple[bytes, bytes]], proxies: int) -> bytes:
    """Return the client's IPv4 address or IPv6 network as bytes, behind that many proxies of our own.

    With fewer forwarded addresses than proxies, or with one that cannot be parsed, return that of the peer.
    """
    if proxies:
        values = [value for name, value in headers if name == FORWARDED]
        hops = b",".join(values).rsplit(b",", proxies)[-proxies:] if values else []
        if len(hops) >= proxies and (address := pack_address(hops[0].decode("latin-1").strip())):
            return address
    return pack_address(peer or "") or UNKNOWN


def pack_address(text: str) -> bytes | None:
    """Return the four bytes of an IPv4 or mapped address, or the eight of an IPv6 network; ignore a port."""
    with_port = WITH_PORT.fullmatch(text)
    try:
        address = ip_address((with_port["ipv6"] or with_port["ipv4"] or "") if with_port else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        mapped: IPv4Address | None = address.ipv4_mapped
        return mapped.packed if mapped else address.packed[: NETWORK_BITS // 8]
    return address.packed


def client_hash(address: bytes, secret: bytes) -> int:
    """Return a number for a client that cannot be computed without the secret."""
    return int.from_bytes(hashlib.blake2b(address, digest_size=DIGEST_BYTES, key=secret).digest(), "big")


class RateLimitMiddleware:
    """Wraps the application. `secret` is the key of the client hashes."""

    def __init__(
        self,
        app: ASGIApp,
        to_response: Callable[[ServiceError], Response],
        limits: RateLimits,
        proxies: int,
        secret: bytes,
    ) -> None:
        self._app = app
        self._to_response = to_response
        self._limits = limits
        self._proxies = proxies
        self._secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or reject one request."""
        name = None
        if scope["type"] == "http" and scope["method"] != "OPTIONS":  # preflights are not limited
            name = bucket_for(scope["path"])
        if name is None or name not in self._limits.quotas:
            await self._app(scope, receive, send)
            return
        peer = scope["client"][0] if scope.get("client") else None
        address = client_address(peer, scope["headers"], self._proxies)
        state = await self._limits.count(name, client_hash(address, self._secret))
        quota = self._limits.quotas[name]
        send_limited = with_headers(send, _headers(name, quota, state))
        if not state.limited:
            await self._app(scope, receive, send_limited)
            return
        self._limits.rejections.labels(name).inc()
        rejection = self._to_response(_limited(name, quota, state))
        await rejection(scope, receive, without_body(send_limited) if scope["method"] == "HEAD" else send_limited)


def _limited(name: str, quota: Quota, state: WindowState) -> LimitedError:
    wait = max(1, ceil(state.retry_after))
    return LimitedError(
        f"One client may make {quota.limit:,} of these requests in {quota.window_seconds:g} seconds. "
        f"Retry in {wait} {'second' if wait == 1 else 'seconds'}, or ask the operator for a higher limit.",
        retry_after=wait,
        policy=name,
    )


def _headers(name: str, quota: Quota, state: WindowState) -> list[tuple[bytes, bytes]]:
    """Return the fields of the IETF draft on rate limits: the state, and the policy with the seconds that count."""
    policy = f'"{name}";q={quota.limit};w={ceil(quota.counted_seconds)}'
    return [(b"ratelimit", _remaining(name, state)), (b"ratelimit-policy", policy.encode())]


def _remaining(name: str, state: WindowState) -> bytes:
    return f'"{name}";r={state.remaining};t={ceil(state.reset_after)}'.encode()
