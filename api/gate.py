"""The first door: whose request it is, and whether that client has asked too often. Refusals cost next to nothing.

Each class of routes has an account of its own. What keeps no engine busy and must always work is not counted at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from api.boundary import without_body
from api.clients import numbered, origin
from api.errors import LimitedError
from api.gcra import SECOND, Limiter, Quota
from api.headers import lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from api.errors import ServiceError
    from api.gcra import Verdict
    from api.settings import Settings

DEFAULT, SUGGEST, MCP = "default", "suggest", "mcp"
CLASSES = {"/suggest": SUGGEST, "/mcp": MCP}
UNCOUNTED = frozenset(("/healthz", "/readyz"))
STATE = b"ratelimit"  # the header that says what is left
STATIC = "/explore/static/"  # files in memory, which browsers keep


def quotas(settings: Settings) -> dict[str, Quota]:
    """The quota of each class of routes that has one."""
    if not settings.rate_limit:
        return {}
    given = {DEFAULT: settings.rate_limit, SUGGEST: settings.rate_limit_suggest, MCP: settings.rate_limit_mcp}
    share = settings.rate_burst_seconds / 60
    return {name: Quota(rate, max(1, round(rate * share))) for name, rate in given.items() if rate}


def class_of(path: str) -> str | None:
    """The class whose account a path is counted on; None where it is not counted."""
    plain = path.rstrip("/")
    return None if plain in UNCOUNTED or plain.startswith(STATIC) else CLASSES.get(plain, DEFAULT)


class Limits(Protocol):
    """Who decides: this process alone, or together with others."""

    quotas: Mapping[str, Quota]

    async def ask(self, name: str, client: int) -> Verdict:
        """Count one request of a client in a class that has a quota."""

    async def close(self) -> None:
        """Give back what is held."""


class LocalLimits:
    """The limits as this process counts them. `clock` gives nanoseconds."""

    def __init__(self, quotas: Mapping[str, Quota], clock: Callable[[], int]) -> None:
        self.quotas = quotas
        self._clock = clock
        self._limiters = {name: Limiter(quota) for name, quota in quotas.items()}

    async def ask(self, name: str, client: int) -> Verdict:
        """Count one request of a client in a class that has a quota."""
        return self.decide(name, client)

    def decide(self, name: str, client: int) -> Verdict:
        """The same at once."""
        return self._limiters[name].ask(client, self._clock())

    async def close(self) -> None:
        """Give back what is held: nothing."""


class Gate:
    """Wraps the application. `secret` keeps the numbers of clients from telling who they are."""

    def __init__(
        self,
        app: ASGIApp,
        to_response: Callable[[ServiceError], Response],
        limits: Limits,
        proxies: int,
        secret: bytes,
    ) -> None:
        self._app = app
        self._to_response = to_response
        self._limits = limits
        self._proxies = proxies
        self._secret = secret
        self._local = limits if isinstance(limits, LocalLimits) else None

    @property
    def at_once(self) -> bool:
        """Whether it takes neither headers nor anybody else to tell who asks, and how often that one did."""
        return not self._limits.quotas or (self._local is not None and not self._proxies)

    def client(self, peer: str | None, headers: Iterable[tuple[bytes, bytes]]) -> int:
        """The number under which a caller is counted."""
        return numbered(origin(peer, headers, self._proxies), self._secret)

    def let_in(self, name: str | None, client: int) -> bytes | None:
        """Count one request at once: the line of its answer's head that says what is left; None where it is refused.

        `name` is that of a class with a quota; without one nothing is counted, nor said.
        """
        if name is None or self._local is None:
            return b""
        verdict = self._local.decide(name, client)
        return lines([(STATE, _state(name, verdict))]) if verdict.allowed else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request in, or refuse it."""
        name = None
        if scope["type"] == "http" and scope["method"] != "OPTIONS":  # a preflight asks nothing of the data
            name = class_of(scope["path"])
        if name is None or name not in self._limits.quotas:
            await self._app(scope, receive, send)
            return
        peer = scope["client"][0] if scope.get("client") else None
        verdict = await self._limits.ask(name, self.client(peer, scope["headers"]))
        quota = self._limits.quotas[name]
        told = _with_headers(send, _headers(name, quota, verdict))
        if verdict.allowed:
            await self._app(scope, receive, told)
            return
        refusal = self._to_response(_limited(name, quota, verdict))
        await refusal(scope, receive, without_body(told) if scope["method"] == "HEAD" else told)


def _limited(name: str, quota: Quota, verdict: Verdict) -> LimitedError:
    wait = max(1, _seconds(verdict.retry_after))
    return LimitedError(
        f"One client may make {quota.per_minute:,} of these requests per minute, {quota.burst:,} of them at once. "
        f"Wait {wait} {'second' if wait == 1 else 'seconds'}, or ask this service's keepers for more.",
        retry_after=wait,
        policy=name,
    )


def _seconds(nanoseconds: int) -> int:
    """Whole seconds, rounded up: whoever waits that long has waited long enough."""
    return -(-nanoseconds // SECOND)


def _headers(name: str, quota: Quota, verdict: Verdict) -> list[tuple[bytes, bytes]]:
    """The fields of the IETF draft on rate limits: the policy, and what is left of it."""
    policy = f'"{name}";q={quota.burst};w={quota.window}'
    return [(STATE, _state(name, verdict)), (b"ratelimit-policy", policy.encode())]


def _state(name: str, verdict: Verdict) -> bytes:
    return f'"{name}";r={verdict.remaining};t={_seconds(verdict.reset_after)}'.encode()


def _with_headers(send: Send, more: list[tuple[bytes, bytes]]) -> Send:
    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return told
