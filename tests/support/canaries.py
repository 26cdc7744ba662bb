"""Every place where a client can put text: raw requests, each with a word of its own that can be looked for later."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

ADDRESS = "127.77.66.55"  # where all of them come from: on this machine, and nobody else's
FORWARDED = "203.0.113.199"
AT_ONCE = 6
PATIENCE = 30.0  # seconds

TARGETS = (
    *("/search?query=@", "/search?query=adhd%20@", "/search?query=%22@%22*~(", "/search?query=%ff%00@", "/search?@=1"),
    *("/search?query=a&@=1", "/search?query=a&limit=@", "/search?query=a&scope=@", "/search?query=a&synonyms=@"),
    *("/suggest?query=@", "/suggest?query=@&scope=@", "/connections?from=@&to=telework", "/connections?from=adhd&to=@"),
    *("/disability?ids=@", "/disability?offset=@", "/disability/@", "/disability/@/neighbors?edge=affects"),
    *("/disability/crohns-disease/neighbors?edge=@", "/related_conditions/@", "/export/@", "/export/entities.ndjson@"),
    *("/@", "/@/telework", "/@/x/neighbors?edge=a", "/a/b/c/@", "//@//", "/%2e%2e/@", "/usage?days=@", "/usage?@=1"),
    *("/explore/search?query=@", "/explore/disability/@", "/explore/@", "/explore/@/x/y", "/explore/static/@"),
    *("/explore/recommend?disability=@", "/explore/connections?from=@&to=adhd", "/explore/compare?first=@&second=adhd"),
    *("/healthz?@=1", "/readyz/@", "/openapi.json?@=1", "/mcp?@=1", "/mcp/@", "/metrics?@", "/graph#@", "*@"),
)
FIELDS = (
    *("User-Agent", "Referer", "Cookie", "Authorization", "Accept", "Accept-Language", "If-None-Match", "Range"),
    *("Origin", "X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Request-Id", "traceparent", "Host", "Content-Type"),
    *("Expect", "Upgrade", "Transfer-Encoding", "Content-Length", "Mcp-Session-Id", "MCP-Protocol-Version", "X-@"),
)
BODIES = (
    *('{"disability": "@"}', '{"limitation": "@"}', '{"work_function": "@"}', '{"occupation": "@"}', '{"@": 1}'),
    *('{"disability": "adhd", "limit": "@"}', '{"disability": ["@"]}', '"@"', '["@"]', '{"disability": "@', "@"),
    *('{"disability": "\\ud800@"}', '{"disability": {"@": {"@": NaN}}}', '{"disability": "@", "disability": "b"}'),
)
PIECES = (  # what is hardly a request any more
    *(
        "@ /search HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /search HTTP/@\r\n\r\n",
        "@\r\n\r\n",
        "CONNECT @:80 HTTP/1.1\r\n\r\n",
    ),
    *("GET http://@/search?query=@ HTTP/1.1\r\nHost: @\r\n\r\n", "GET /a HTTP/1.1\r\n@\r\n\r\n", "GET /@", "DELETE /@"),
    *("DELETE /disability/@ HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS /@ HTTP/1.1\r\nHost: a\r\nOrigin: @\r\n\r\n"),
    "POST /recommend HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n@",
    "POST /recommend HTTP/1.1\r\nHost: a\r\nContent-Type: text/@\r\nContent-Length: 2\r\n\r\n{}",
    "POST /mcp HTTP/1.1\r\nHost: [::1]\r\nTransfer-Encoding: chunked\r\n\r\n3;@=1\r\n{@}\r\n0\r\nX-Trailer: @\r\n\r\n",
    "GET /search?query=@" + "a" * 20_000 + " HTTP/1.1\r\n\r\n",
    "GET /search?query=a HTTP/1.1\r\nX-Long: @" + "a" * 40_000 + "\r\n\r\n",
)
ARGUMENTS: dict[str, dict[str, str]] = {
    "search_accommodations": {"query": "@", "scope": "@", "@": "1"},
    "recommend_accommodations": {"disability": "@", "limitation": "@", "work_function": "@", "occupation": "@"},
    "get_entity": {"id": "@", "type": "@"},
    "get_related": {"id": "disability:crohns-disease", "edge": "@"},
    "related_conditions": {"id": "crohns-disease", "other": "@"},
    "connections": {"start": "@", "end": "adhd"},
    "list_entities": {"type": "@"},
    "search": {"query": "@"},
    "fetch": {"id": "disability:@"},
    "@": {},
}
CALLS: tuple[dict[str, Any], ...] = (
    *({"method": "tools/call", "params": {"name": name, "arguments": given}} for name, given in ARGUMENTS.items()),
    {
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "a"}, "_meta": {"progressToken": "@"}},
    },
    {"method": "tools/call", "params": "@"},
    {"method": "@", "params": {"@": "@"}},
    {"method": "resources/read", "params": {"uri": "akg://entity/disability/@"}},
    {"method": "resources/read", "params": {"uri": "@"}},
    {"method": "prompts/get", "params": {"name": "@", "arguments": {"@": "@"}}},
    {"method": "prompts/get", "params": {"name": "explain_connection", "arguments": {"first": "@", "second": "@"}}},
    {"method": "logging/setLevel", "params": {"level": "@"}},
    {"method": "initialize", "params": {"clientInfo": {"name": "@", "version": "@"}, "protocolVersion": "@"}},
    {"method": "notifications/@"},
    {"jsonrpc": "@"},
    {"id": "@", "method": "ping"},
)


@dataclass(frozen=True, slots=True)
class Canary:
    """A request that holds its word once or more, in one kind of place."""

    place: str
    word: str
    sent: bytes


class Flock:
    """Canaries of one kind: all their words begin with the same letters, which nothing else holds."""

    def __init__(self) -> None:
        self.beginning = f"zq{secrets.token_hex(6)}"
        self._numbers = itertools.count(1)

    def __iter__(self) -> Iterator[Canary]:
        """All of them, with fresh words each time."""
        for target in TARGETS:
            yield self._one(target, f"GET {target} HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n")
        for name in FIELDS:
            value = "text/@, 1" if name == "Accept" else "@"
            yield self._one(name, f"GET /search?query=adhd HTTP/1.1\r\nConnection: close\r\n{name}: {value}\r\n\r\n")
            yield self._one(f"{name} of MCP", _post("/mcp", '{"method": "ping"}', f"{name}: {value}\r\n"))
        for body in (*BODIES, '{"disability": "@' + "a" * 70_000 + '"}'):
            yield self._one(f"/recommend {body[:40]}", _post("/recommend", body))
        for call in CALLS:
            body = orjson.dumps({"jsonrpc": "2.0", "id": 1, **call}).decode()
            yield self._one(body, _post("/mcp", body))
        for piece in PIECES:
            yield self._one(piece[:40], piece)

    def _one(self, place: str, request: str) -> Canary:
        word = f"{self.beginning}{next(self._numbers):04}"
        forwarded = request.replace("\r\n\r\n", f"\r\nX-Forwarded-For: {FORWARDED}\r\n\r\n", 1)
        return Canary(place, word, forwarded.replace("@", word).encode())


def _post(path: str, body: str, fields: str = "") -> str:
    length = len(body.replace("@", "x" * 18))  # a word's length
    kinds = "Content-Type: application/json\r\nAccept: application/json\r\n"
    host = "" if fields.startswith("Host") else "Host: 127.0.0.1\r\n"  # the only kind that MCP answers to
    head = f"POST {path} HTTP/1.1\r\nConnection: close\r\n{host}{kinds}Content-Length: {length}\r\n{fields}"
    return f"{head}\r\n{body}"


async def release(port: int, flock: Flock) -> dict[str, bytes]:
    """Send them all, and give the answers by place."""
    places = asyncio.Semaphore(AT_ONCE)

    async def fly(canary: Canary) -> tuple[str, bytes]:
        async with places, asyncio.timeout(PATIENCE):
            return canary.place, await _answer(port, canary.sent)

    return dict(await asyncio.gather(*map(fly, flock)))


async def _answer(port: int, sent: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(ADDRESS, 0))
    try:
        writer.write(sent)
        if writer.can_write_eof() and b"\r\n\r\n" not in sent:
            writer.write_eof()
        return await reader.read()
    except ConnectionResetError:  # refused while it was still sending
        return b""
    finally:
        writer.close()
