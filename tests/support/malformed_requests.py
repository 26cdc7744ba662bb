"""Malformed requests, the same for the same seed, and a check of their responses."""

from __future__ import annotations

import asyncio
import itertools
import random
import re
from typing import TYPE_CHECKING

from api import models
from api.http.request_policy import EXPORT_PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pydantic import BaseModel

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
TIMEOUT_SECONDS = 60.0

PATHS = (
    *("/search", "/suggest", "/graph", "/export", "/export/entities.csv", "/usage", "/healthz", "/readyz"),
    *("/connections", "/disability", "/disability/crohns-disease", "/disability/crohns-disease/neighbors"),
    *("/related_conditions/adhd", "/occupation", "/solution/telework", "/mcp", "/recommend", "/openapi.json"),
    *("/", "//", "/nowhere/at/all"),
)
NAMES = (
    *("query", "limit", "offset", "scope", "edge", "ids", "from", "to", "days", "synonyms", "spelling", "facets"),
    "x[]",
)
VALUES = (
    *("adhd", "", "0", "-1", "1e9", "99999999999999999999", "NaN", "null", "true", "on", "[]", "{}", "%00", "%ff%fe"),
    *("%F0%9F%A6%BD", "%ED%A0%80", "a" * 501, "*:*", "%22%22", "OR%20AND%20NOT", "..%2f..%2f", "disability:adhd", "%"),
    *("%u0041", "'%3B--", "%E2%80%8B", "solution", "crohns-disease", "affects", "has_limitation", "%0d%0aX:%201"),
)
FIELDS = (
    *("Accept: text/html", "Accept: */*;q=0", "Accept: ,;,;", "If-None-Match: *", 'If-None-Match: "a'),
    *("Range: bytes=-", "Range: bytes=5-1,9-", "Expect: 100-continue"),
    *("Content-Length: 0", "Content-Length: 9e9", "Content-Length: -5"),
    *("Transfer-Encoding: chunked", "Transfer-Encoding: gzip", "Connection: upgrade", "Upgrade: websocket", "Host:"),
    *("Content-Type: application/json", "Content-Type: text/plain", "Content-Type:", "X-Forwarded-For: ,,,"),
    *("Te: \xff", "MCP-Protocol-Version: 1", "Origin: null", "Cookie: a=b; ;"),
    *("broken", ": empty", " folded: a", "X: " + "y" * 9000),
)
BODIES = (
    *(b'{"disability": "adhd"}', b'{"disability": "adhd", "limit": 3}', b"{}", b"[]", b"null", b""),
    b'{"limit": 1e400}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"adhd"}}}',
    *(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', b'{"occupation": "\\ud800"}', b'\xff\xfe{"a": 1}'),
    *(b"[" * 3000, b'{"disability": {"$gt": ""}}', b'{"disability": "' + b"a" * 700 + b'"}'),
    b'{"a":' * 200 + b"1" + b"}" * 200,
)
METHODS = (
    *("GET", "GET", "GET", "HEAD", "POST", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"),
    *("get", "FETCH", ""),
)
VERSIONS = ("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9", "HTCPCP/1.0", "")

# What a 200 at these paths holds; the longest match counts.
SHAPES: tuple[tuple[str, type[BaseModel]], ...] = (
    (r"", models.ApiIndex),
    (r"/search", models.SearchPage),
    (r"/suggest", models.SuggestPage),
    (r"/recommend", models.RecommendPage),
    (r"/related_conditions/[^/]+", models.RelatedPage),
    (r"/connections", models.ConnectionPage),
    (r"/graph", models.GraphSummary),
    (r"/graph/changes", models.GraphChanges),
    (r"/export", models.ExportPage),
    (r"/usage", models.UsageTotals),
    (r"/healthz|/readyz", models.Health),
    (r"/[^/]+/[^/]+/neighbors", models.NeighborPage),
    (r"/[^/]+/[^/]+", models.Record),
    (r"/[^/]+", models.CardPage),
)


def requests(seed: int) -> Iterator[bytes]:
    """Yield endlessly many requests; most are almost valid, so that they reach a route."""
    chance = random.Random(seed)  # noqa: S311 - the same each time is the point
    while True:
        yield _request(chance)


def _request(chance: random.Random) -> bytes:
    if chance.random() < 0.03:
        return chance.randbytes(chance.randrange(1, 400)) + b"\r\n\r\n"
    query = "&".join(f"{chance.choice(NAMES)}={chance.choice(VALUES)}" for _ in range(chance.randrange(4)))
    path = chance.choice(PATHS) if chance.random() < 0.9 else f"/{chance.choice(VALUES)}/{chance.choice(VALUES)}"
    method, version = _mostly(chance, "GET", METHODS), _mostly(chance, "HTTP/1.1", VERSIONS)
    fields = ["Host: 127.0.0.1", *chance.sample(FIELDS, chance.choice((0, 0, 0, 1, 2)))]
    body = b""
    if path in {"/mcp", "/recommend"} or chance.random() < 0.1:
        method = _mostly(chance, "POST", METHODS)
        body = _torn(chance, chance.choice(BODIES))
        fields += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    head = f"{method} {path}{'?' + query if query else ''} {version}\r\n" + "".join(f"{one}\r\n" for one in fields)
    return _torn(chance, head.encode("latin-1") + b"Connection: close\r\n\r\n") + body


def _mostly(chance: random.Random, usual: str, others: tuple[str, ...]) -> str:
    return usual if chance.random() < 0.8 else chance.choice(others)


def _torn(chance: random.Random, text: bytes) -> bytes:
    """As it is, or with some bytes changed, left out or doubled."""
    kind = chance.random()
    if kind > 0.15 or not text:
        return text
    place = chance.randrange(len(text))
    if kind < 0.05:
        return text[:place] + chance.randbytes(chance.randrange(1, 4)) + text[place + 1 :]
    return text[:place] + text[place + chance.randrange(1, 9) :] if kind < 0.1 else text[:place] + text[place:] * 2


async def answers(
    port: int, sent: Iterator[bytes], at_once: int, on_response: Callable[[], None]
) -> list[tuple[bytes, bytes]]:
    """Send each request on its own connection and return all with their responses."""

    async def work() -> list[tuple[bytes, bytes]]:
        found = []
        for request in sent:
            found.append((request, await _answer(port, request)))
            on_response()
        return found

    return list(itertools.chain(*await asyncio.gather(*(work() for _ in range(at_once)))))


async def _answer(port: int, request: bytes) -> bytes:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(request)
            return (await reader.read()).removeprefix(CONTINUE)
        except ConnectionResetError:  # more was on its way when the rest was refused
            return b""
        finally:
            writer.close()


def wrong(request: bytes, answer: bytes) -> str | None:
    """Return what is wrong with a response: a failure of the service, or a body that does not fit its model."""
    if not answer:
        return None  # the request never ended, or the service closed the connection before reading all of it
    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split()[1])
    if status >= 500:
        return f"{status}: {body[:300]!r}"
    lines = (line.partition(": ") for line in head.decode("latin-1").split("\r\n"))
    fields = {name.lower(): value for name, _, value in lines}
    if fields.get("transfer-encoding") == "chunked" or not body:
        return None
    shape = _shape(request, status, fields.get("content-type", ""))
    try:
        if shape is not None:
            shape.model_validate_json(body)
    except ValueError as error:
        return f"{status}: {error}"[:500]
    return None


def _shape(request: bytes, status: int, media_type: str) -> type[BaseModel] | None:
    if media_type.startswith("text/html"):  # a page, where the request accepts HTML
        return None
    if status == 422:
        return models.ValidationProblem
    if media_type == "application/problem+json":
        return models.Problem
    path = request.split(b" ")[1].partition(b"?")[0].decode("latin-1").rstrip("/") if b" " in request else ""
    if path in {"/mcp", "/openapi.json"} or path.startswith(EXPORT_PREFIX):
        return None
    return next((model for pattern, model in SHAPES if re.fullmatch(pattern, path)), models.Problem)
