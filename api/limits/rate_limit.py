"""Rate-limit middleware: identifies the client and rejects requests over quota before any work is done.

Each bucket of routes has its own quota. Routes that do not load OpenSearch and must always work have none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from throttled import per_min

from api.asgi import header_lines, without_body
from api.errors import LimitedError
from api.limits.client_id import client_address, client_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from throttled import Quota, RateLimitResult

    from api.errors import ServiceError
    from api.limits.rate_limit_store import RateLimits
    from api.settings import Settings

DEFAULT, SUGGEST, MCP = "default", "suggest", "mcp"
BUCKETS = {"/suggest": SUGGEST, "/mcp": MCP}
UNLIMITED_PATHS = frozenset(("/healthz", "/readyz"))
RATELIMIT_HEADER = b"ratelimit"  # the header with the remaining quota
STATIC_PREFIX = "/explore/static/"  # files in memory, which browsers cache


def quotas(settings: Settings) -> dict[str, Quota]:
    """Return the quota of each bucket that has one."""
    if not settings.rate_limit:
        return {}
    rates = {DEFAULT: settings.rate_limit, SUGGEST: settings.rate_limit_suggest, MCP: settings.rate_limit_mcp}
    burst_minutes = settings.rate_burst_seconds / 60
    return {name: per_min(rate, max(1, round(rate * burst_minutes))) for name, rate in rates.items() if rate}


def bucket_for(path: str) -> str | None:
    """Return the bucket in which a path counts, or None if it does not count."""
    plain = path.rstrip("/")
    return None if plain in UNLIMITED_PATHS or plain.startswith(STATIC_PREFIX) else BUCKETS.get(plain, DEFAULT)


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

    @property
    def counts_now(self) -> bool:
        """Whether counting a request needs neither its headers nor Redis."""
        return not self._limits.quotas or (self._limits.in_memory and not self._proxies)

    def client(self, peer: str | None, headers: Iterable[tuple[bytes, bytes]]) -> int:
        """Return the hash by which a client is counted."""
        return client_hash(client_address(peer, headers, self._proxies), self._secret)

    def count_now(self, name: str | None, client: int) -> bytes | None:
        """Count one request in memory and return the header line with the remaining quota; None if it is over quota.

        `name` is that of a bucket with a quota; without it, nothing is counted and the line is empty.
        """
        if name is None or not self._limits.in_memory:
            return b""
        result = self._limits.count_in_memory(name, client)
        return None if result.limited else header_lines([(RATELIMIT_HEADER, _state(name, result))])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or reject one request."""
        name = None
        if scope["type"] == "http" and scope["method"] != "OPTIONS":  # preflights are not limited
            name = bucket_for(scope["path"])
        if name is None or name not in self._limits.quotas:
            await self._app(scope, receive, send)
            return
        peer = scope["client"][0] if scope.get("client") else None
        result = await self._limits.count(name, self.client(peer, scope["headers"]))
        quota = self._limits.quotas[name]
        send_limited = _with_headers(send, _headers(name, quota, result))
        if not result.limited:
            await self._app(scope, receive, send_limited)
            return
        rejection = self._to_response(_limited(name, quota, result))
        await rejection(scope, receive, without_body(send_limited) if scope["method"] == "HEAD" else send_limited)


def _limited(name: str, quota: Quota, result: RateLimitResult) -> LimitedError:
    wait = max(1, _seconds(result.state.retry_after))
    return LimitedError(
        f"One client may make {quota.get_limit():,} of these requests per minute, {quota.burst:,} of them at once. "
        f"Retry in {wait} {'second' if wait == 1 else 'seconds'}, or ask the operator for a higher limit.",
        retry_after=wait,
        policy=name,
    )


def _seconds(seconds: float) -> int:
    """Round up to whole seconds, so that a client that waits as long is allowed; 20.000000001 is 20."""
    return math.ceil(round(seconds, 6))


def _headers(name: str, quota: Quota, result: RateLimitResult) -> list[tuple[bytes, bytes]]:
    """Return the fields of the IETF draft on rate limits: the state and the policy, with the window of the burst."""
    window = -(-60 * quota.burst // quota.get_limit())
    policy = f'"{name}";q={quota.burst};w={window}'
    return [(RATELIMIT_HEADER, _state(name, result)), (b"ratelimit-policy", policy.encode())]


def _state(name: str, result: RateLimitResult) -> bytes:
    return f'"{name}";r={result.state.remaining};t={_seconds(result.state.reset_after)}'.encode()


def _with_headers(send: Send, headers: list[tuple[bytes, bytes]]) -> Send:
    async def add_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *headers]}
        await send(message)

    return add_headers
