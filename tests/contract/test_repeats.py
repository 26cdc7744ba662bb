"""Repeated requests, byte for byte the same, on a real socket: answered from memory like the first one."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import orjson
import pytest
from pydantic import SecretStr
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from api.app import create_app
from api.asgi import SecurityHeaders
from api.errors import ServiceError
from api.http.envelope import Envelope, etag_matches
from api.http.repeats import ENTRY_BYTES, MAX_REQUEST_BYTES, Repeats, digest_of
from api.http.request_policy import RequestPolicy
from api.http.response_cache import CacheLookup, ResponseCache
from api.http.server import Server, make_server
from api.http.telemetry import TelemetryMiddleware
from api.limits.rate_limit import RateLimitMiddleware, RateLimits, quotas
from api.settings import Settings
from api.telemetry.usage_counters import RequestFacts, UsageCounters, UsageKey, current_request

ENVELOPE = Envelope(Settings())
SETTINGS = Settings(rate_limit=60, rate_limit_suggest=600, client_timeout_seconds=0.3, idle_seconds=1)
MOST = 100_000
TYPED = b"what-a-person-typed"


def to_response(error: ServiceError) -> Response:
    return ENVELOPE.error_response(error, None)


@dataclass
class Stack:
    """All layers as the service has them, around an application that echoes its request.

    `passed` counts requests that ran through every layer, `handled` those that no layer answered.
    """

    settings: Settings = SETTINGS
    live: str | None = "r1"
    release: str = "r1"
    passed: int = 0
    handled: int = 0
    limit_clock: Callable[[], float] = lambda: 0.0
    usage: UsageCounters = field(default_factory=lambda: UsageCounters(["/search", "/suggest", "/recommend"]))

    def __post_init__(self) -> None:
        self.cache = ResponseCache(self.app, MOST, lambda: self.live, 60.0, lambda: 0.0)
        limits = RateLimits(quotas(self.settings), self.limit_clock)
        guarded = RequestPolicy(self.cache, to_response, 10_000)
        gate = RateLimitMiddleware(guarded, to_response, limits, self.settings.trusted_proxies, b"of this test")
        self.inner = SecurityHeaders(CORSMiddleware(gate, allow_origins=["*"], allow_methods=["GET"]))
        self.repeats = Repeats(self.cache, gate, MOST)
        self.observer = TelemetryMiddleware(self.outer, self.usage, to_response, lambda: 0.0, dict, self.repeats)

    async def outer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The inner application that the counters measure."""
        if scope["type"] == "lifespan":
            for done in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{done}.complete"})
            return
        self.passed += 1
        await self.inner(scope, receive, send)

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as a route does."""
        self.handled += 1
        body = (await receive())["body"].decode()
        seen = current_request()
        seen.route = scope["path"]
        seen.add_result({"results": [1, 2, 3]})
        headers = {"ETag": f'"{self.release}-{len(body)}"', "Cache-Control": "public, max-age=300"}
        echo = {"request": f"{scope['path']}?{scope['query_string'].decode()}{body}", "release": self.release}
        given = next((value.decode() for name, value in scope["headers"] if name == b"if-none-match"), "")
        unchanged = etag_matches(given, headers["ETag"])
        answer = Response(status_code=304, headers=headers) if unchanged else Response(orjson.dumps(echo), 200, headers)
        await answer(scope, receive, send)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[tuple[int, Server]]:
        """On a free port."""
        server = make_server(self.observer, self.settings)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            task = asyncio.create_task(server.serve(sockets=[listener]))
            while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
                await asyncio.sleep(0.01)
            try:
                yield listener.getsockname()[1], server
            finally:
                server.should_exit = True
                await task


class Line:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self._writer = writer

    async def ask(self, *pieces: bytes, body: bool = True) -> tuple[bytes, bytes]:
        """Send a request, perhaps in pieces, and read one answer: head and body."""
        for piece in pieces:
            self._writer.write(piece)
            await asyncio.sleep(0.02 if len(pieces) > 1 else 0)
        return await self.answer(body=body)

    async def answer(self, *, body: bool = True) -> tuple[bytes, bytes]:
        """Read one answer."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        return head, await self.reader.readexactly(int(length[1])) if length and body else b""

    def close(self) -> None:
        """Leave."""
        self._writer.close()


@asynccontextmanager
async def line(port: int) -> AsyncIterator[Line]:
    opened = Line(*await asyncio.open_connection("127.0.0.1", port))
    try:
        yield opened
    finally:
        opened.close()


def get(target: bytes, *fields: bytes, version: bytes = b"1.1", method: bytes = b"GET") -> bytes:
    lines = b"".join(one + b"\r\n" for one in fields)
    return b"%b %b HTTP/%b\r\nHost: test\r\n%b\r\n" % (method, target, version, lines)


def post(body: bytes) -> bytes:
    fields = (b"Content-Type: application/json", b"Content-Length: %d" % len(body))
    return get(b"/recommend", *fields, method=b"POST") + body


SEARCH = b"/search?query=" + TYPED
REQUEST = get(SEARCH)


def plain(head: bytes) -> bytes:
    """A head without what differs from one answer to the next."""
    return re.sub(rb"(date|ratelimit): [^\r]*|r=\d+;t=\d+", rb"", head)


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (REQUEST, 200),
        (get(SEARCH, b"Origin: https://a.example", b"Accept: application/json"), 200),
        (get(b"/search/?query=a"), 200),
        (get(b"/suggest?query=a"), 200),
        (get(SEARCH, b'If-None-Match: "r1-0"'), 304),
        (get(SEARCH, b'If-None-Match: W/"r0-0", "r1-0"'), 304),
        (get(SEARCH, b'If-None-Match: "r0-0"'), 200),
        (post(b'{"disability": "adhd"}'), 200),
    ],
)
async def test_a_repeated_request_gets_the_same_response(request_: bytes, status: int) -> None:
    stack = Stack()
    async with stack.listening() as (port, _), line(port) as one, line(port) as other:
        if status == 304:
            await one.ask(REQUEST)
        else:
            await one.ask(request_)
        head, body = await one.ask(request_)
        passed = stack.passed
        again = [await each.ask(request_) for each in (one, other, one)]
    assert (int(head.split()[1]), stack.handled, stack.passed) == (status, 1, passed)
    assert b"cache-status: akg; hit\r\n" in head
    assert {(plain(each), text) for each, text in again} == {(plain(head), body)}
    kept = stack.usage.take()
    assert sum(kept.values()) == passed + 3
    assert {cell.cache for cell in kept} == {"fresh", "hit" if status == 200 else "revalidated"}


async def test_repeated_requests_are_counted_like_the_first() -> None:
    stack = Stack()
    async with stack.listening() as (port, _), line(port) as one:
        for _ in range(5):
            await one.ask(REQUEST)
    cell = UsageKey(
        "rest", "/search", "2xx", "<5ms", "2-10", did_you_mean=False, synonyms="none", cache="hit", limited=False
    )
    assert stack.usage.take() == {cell._replace(cache="fresh"): 1, cell: 4}
    assert stack.passed == 2


async def test_rate_limits_apply_to_repeated_requests() -> None:
    stack = Stack(replace_settings(rate_limit=5))
    lefts = []
    async with stack.listening() as (port, _), line(port) as one, line(port) as other:
        for each in (one, other, one, other, one):
            head, _ = await each.ask(REQUEST)
            lefts.append(re.findall(rb'ratelimit: "default";r=(\d+);t=(\d+)\r\n', head))
        assert lefts == [[(b"%d" % left, b"61")] for left in (4, 3, 2, 1, 0)]
        assert stack.passed == 2
        refused, body = await one.ask(REQUEST)
        assert refused.startswith(b"HTTP/1.1 429 ")
        assert b"retry-after: 61\r\n" in refused
        assert orjson.loads(body)["title"] == "Too many requests"
    assert stack.passed == 3


async def test_a_limited_request_succeeds_after_retry_after() -> None:
    now = 0.0
    stack = Stack(replace_settings(rate_limit=300, rate_burst_seconds=1), limit_clock=lambda: now)
    async with stack.listening() as (port, _), line(port) as one:
        while not (refused := (await one.ask(REQUEST))[0]).startswith(b"HTTP/1.1 429 "):
            pass
        assert b"retry-after: 2\r\n" in refused
        passed = stack.passed
        now = 2.0
        assert (await one.ask(REQUEST))[0].startswith(b"HTTP/1.1 200 ")
    assert stack.passed == passed


def replace_settings(**changed: int) -> Settings:
    return Settings(**{**SETTINGS.model_dump(), **changed})


HALF = len(REQUEST) // 2


@pytest.mark.parametrize(
    "pieces",
    [
        [get(SEARCH, b"X-Other: 1")],
        [get(SEARCH + b"&limit=1")],
        [get(SEARCH, method=b"HEAD")],
        [get(SEARCH, version=b"1.0")],
        [get(SEARCH, b"Connection: close")],
        [get(SEARCH, b"Connection: Upgrade", b"Upgrade: other")],
        [get(SEARCH, b"X-Long: " + b"a" * MAX_REQUEST_BYTES)],
        [REQUEST[:HALF], REQUEST[HALF:]],
        [post(b"{}")[:-2], b"{}"],
        [b"\r\n", REQUEST],
    ],
    ids=lambda pieces: str(pieces[-1])[:60],
)
async def test_requests_that_differ_run_through_every_layer(pieces: list[bytes]) -> None:
    stack = Stack()
    body = not pieces[0].startswith(b"HEAD")
    async with stack.listening() as (port, _):
        async with line(port) as one:
            for _ in range(3):
                await one.ask(REQUEST)
        passed = stack.passed
        async with line(port) as one:
            assert (await one.ask(*pieces, body=body))[0].split()[1] == b"200"
    assert stack.passed == passed + 1


@pytest.mark.parametrize(
    "pieces",
    [
        [get(SEARCH, method=b"HEAD")],
        [get(SEARCH, b"Expect: 100-continue")],
        [get(SEARCH, b"Connection: Upgrade", b"Upgrade: other")],
        [get(SEARCH, b"X-Long: " + b"a" * MAX_REQUEST_BYTES)],
    ],
    ids=lambda pieces: str(pieces[-1])[:60],
)
async def test_responses_that_vary_are_never_repeated(pieces: list[bytes]) -> None:
    stack = Stack()
    body = not pieces[0].startswith(b"HEAD")
    async with stack.listening() as (port, _):
        for _ in range(4):
            async with line(port) as one:
                await one.ask(*pieces, body=body)
    assert (stack.passed, stack.handled, stack.repeats.size) == (4, 1, 0)


async def test_pipelined_requests_are_all_answered_in_order() -> None:
    stack = Stack()
    async with stack.listening() as (port, _), line(port) as one:
        for _ in range(3):
            await one.ask(REQUEST)
        other = get(b"/search?query=b")
        found = [await one.ask(REQUEST + other + REQUEST + other[:9]), await one.answer(), await one.answer()]
        found += [await one.ask(other[9:]), await one.ask(REQUEST)]
    echoes = [orjson.loads(body)["request"].rpartition("=")[2] for _, body in found]
    assert echoes == [TYPED.decode(), "b", TYPED.decode(), "b", TYPED.decode()]


async def test_a_repeated_response_is_never_older_than_the_cached_one() -> None:
    stack = Stack()
    async with stack.listening() as (port, _), line(port) as one:

        async def released() -> str:
            found: str = orjson.loads((await one.ask(REQUEST))[1])["release"]
            return found

        assert [await released() for _ in range(3)] == ["r1"] * 3
        stack.live = None  # nobody vouches for it
        assert (await released(), stack.handled) == ("r1", 2)
        stack.live = stack.release = "r2"
        assert [await released() for _ in range(4)] == ["r2"] * 4
        assert stack.handled == 3
        stack.live = stack.release = "r1"
        assert [await released() for _ in range(4)] == ["r1"] * 4
        assert stack.handled == 4


async def test_a_process_that_shuts_down_closes_all_connections() -> None:
    stack = Stack()
    async with stack.listening() as (port, server), line(port) as one:
        for _ in range(3):
            await one.ask(REQUEST)
        server.lifespan.state["draining"] = True
        head, _ = await one.ask(REQUEST)
        assert b"connection: close\r\n" in head
        assert await one.reader.read() == b""


async def test_an_active_connection_stays_open_and_an_idle_one_is_closed() -> None:
    stack = Stack()
    async with stack.listening() as (port, _), line(port) as first:
        for _ in range(2):
            await first.ask(REQUEST)
        async with line(port) as one:
            for _ in range(4):  # longer in all than a head may take, and than a connection may rest
                assert (await one.ask(REQUEST))[0].startswith(b"HTTP/1.1 200 ")
                await asyncio.sleep(0.4)
            assert await one.reader.read() == b""
    assert stack.passed == 2


async def test_an_active_connection_is_not_closed_for_a_new_one() -> None:
    stack = Stack(replace_settings(connections=2))
    async with stack.listening() as (port, _), line(port) as one, line(port) as idle:
        for each in (one, one, idle, one):
            await each.ask(REQUEST)
        async with line(port) as newcomer:
            await newcomer.ask(REQUEST)
            await one.ask(REQUEST)
            assert await idle.reader.read() == b""
    assert stack.passed == 2


def started(status: int = 200, length: int = 100) -> Message:
    return {"status": status, "headers": [(b"x-padding", b"x" * length), (b"content-length", b"1")]}


def test_memory_is_bounded_and_contains_no_text_of_requests() -> None:
    stack = Stack()
    stack.cache.store(b"question", b"{}", [(b"etag", b'"r1-1"')])
    number = stack.cache.fresh(b"question").version  # type: ignore[union-attr]
    for place in range(1_000):
        digest = digest_of(b"%d %b" % (place, REQUEST))
        assert digest is not None
        stack.repeats.remember(CacheLookup(digest, b"question", number), "/search", started(), RequestFacts())
        assert stack.repeats.size <= MOST
        assert stack.repeats.again(digest, 0) is not None
        assert stack.repeats.again(digest_of(b"0 %b" % REQUEST) or b"", 0) is not None  # the requested entry stays
    assert stack.repeats.size > MOST - 2 * ENTRY_BYTES
    assert TYPED.decode() not in repr(vars(stack.repeats))


@pytest.mark.parametrize(
    "start",
    [{"status": 200, "headers": []}, started(404), started(503), started(206)],
)
def test_only_complete_responses_are_stored(start: Message) -> None:
    stack = Stack()
    stack.repeats.remember(CacheLookup(b"digest", b"question", 1), "/search", start, RequestFacts())
    assert stack.repeats.size == 0


@pytest.mark.parametrize(
    ("settings", "known"),
    [
        (Settings(), True),
        (Settings(rate_limit=0, rate_limit_suggest=0, rate_limit_mcp=0, trusted_proxies=2), True),
        (Settings(trusted_proxies=1), False),  # the headers name the client
        (Settings(rate_limit_url=SecretStr("redis://127.0.0.1:9/0")), False),  # how often, somebody else knows
        (Settings(response_cache_bytes=0), False),
    ],
)
async def test_repetition_is_enabled_only_if_it_needs_no_io(settings: Settings, *, known: bool) -> None:
    assert (create_app(settings, ["http://127.0.0.1:9"]).repeats is not None) == known
