"""Reproducible malformed requests, and a check of their responses."""

import asyncio
import itertools
import random
import re
from collections.abc import Callable, Iterator

from pydantic import BaseModel

from api import models
from api.http.request_policy import EXPORT_PREFIX

READ_BYTES = 65_536
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
REFUSAL_SECONDS, ANSWER_SECONDS = 2.0, 60.0  # the second for what OpenSearch answers, on a busy machine
REFUSALS = frozenset((501, 505))  # an unknown transfer coding, an unknown version of HTTP

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
HEADERS = (
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

# The model of a 200 response by path pattern.
MODELS: tuple[tuple[str, type[BaseModel]], ...] = (
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
    """Yield requests without end; most are almost valid, so that they reach a route."""
    rng = random.Random(seed)  # noqa: S311 - must be reproducible
    while True:
        yield _request(rng)


def _request(rng: random.Random) -> bytes:
    if rng.random() < 0.03:
        return rng.randbytes(rng.randrange(1, 400)) + b"\r\n\r\n"
    query = "&".join(f"{rng.choice(NAMES)}={rng.choice(VALUES)}" for _ in range(rng.randrange(4)))
    path = rng.choice(PATHS) if rng.random() < 0.9 else f"/{rng.choice(VALUES)}/{rng.choice(VALUES)}"
    method, version = _mostly(rng, "GET", METHODS), _mostly(rng, "HTTP/1.1", VERSIONS)
    fields = ["Host: 127.0.0.1", *rng.sample(HEADERS, rng.choice((0, 0, 0, 1, 2)))]
    body = b""
    if path in {"/mcp", "/recommend"} or rng.random() < 0.1:
        method = _mostly(rng, "POST", METHODS)
        body = _corrupted(rng, rng.choice(BODIES))
        fields += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    head = f"{method} {path}{'?' + query if query else ''} {version}\r\n" + "".join(f"{field}\r\n" for field in fields)
    return _corrupted(rng, head.encode("latin-1") + b"Connection: close\r\n\r\n") + body


def _mostly(rng: random.Random, usual: str, others: tuple[str, ...]) -> str:
    return usual if rng.random() < 0.8 else rng.choice(others)


def _corrupted(rng: random.Random, text: bytes) -> bytes:
    """Return the text unchanged, or with some bytes changed, removed or repeated."""
    kind = rng.random()
    if kind > 0.15 or not text:
        return text
    place = rng.randrange(len(text))
    if kind < 0.05:
        return text[:place] + rng.randbytes(rng.randrange(1, 4)) + text[place + 1 :]
    return text[:place] + text[place + rng.randrange(1, 9) :] if kind < 0.1 else text[:place] + text[place:] * 2


async def send_requests(
    port: int, sent: Iterator[bytes], at_once: int, on_response: Callable[[], None]
) -> list[tuple[bytes, bytes]]:
    """Send each request on its own connection and return all with their responses."""

    async def worker() -> list[tuple[bytes, bytes]]:
        found = []
        for request in sent:
            found.append((request, await _send(port, request)))
            on_response()
        return found

    return list(itertools.chain(*await asyncio.gather(*(worker() for _ in range(at_once)))))


async def _send(port: int, request: bytes) -> bytes:
    """Return the answer; what has come in time, where the server keeps the connection open."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answer = b""
    try:
        writer.write(request)
        async with asyncio.timeout(REFUSAL_SECONDS if may_be_silent(request) else ANSWER_SECONDS):
            while piece := await reader.read(READ_BYTES):
                answer += piece
                if _is_whole(answer):
                    break
    except (TimeoutError, ConnectionResetError):  # the request is incomplete, or was rejected before all of it was sent
        pass
    finally:
        writer.close()
    return answer.removeprefix(CONTINUE)


def _is_whole(answer: bytes) -> bool:
    head, _, body = answer.removeprefix(CONTINUE).partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    return length is not None and len(body) >= int(length[1])


def may_be_silent(request: bytes) -> bool:
    """Return whether a request gets no answer: one of HTTP/0.9, or one that is not complete."""
    head, blank_line, body = request.partition(b"\r\n\r\n")
    if not blank_line or not re.search(rb" HTTP/\d", head.split(b"\n")[0]):
        return True
    length = re.search(rb"(?i)\ncontent-length: *(\d+)", head)
    return b"chunked" in head or (length is not None and int(length[1]) > len(body))


def response_error(request: bytes, response: bytes) -> str | None:
    """Return what is wrong with a response: a status of a defect, or a body that does not match its model."""
    if not response:
        return None if may_be_silent(request) else "no answer"
    head, _, body = response.partition(b"\r\n\r\n")
    status = int(head.split()[1])
    if status >= 500 and status not in REFUSALS:
        return f"{status}: {body[:300]!r}"
    lines = (line.partition(": ") for line in head.decode("latin-1").split("\r\n"))
    fields = {name.lower(): value for name, _, value in lines}
    if fields.get("transfer-encoding") == "chunked" or not body:
        return None
    model = _model(request, status, fields.get("content-type", ""))
    try:
        if model is not None:
            model.model_validate_json(body)
    except ValueError as error:
        return f"{status}: {error}"[:500]
    return None


def _model(request: bytes, status: int, media_type: str) -> type[BaseModel] | None:
    if media_type.startswith("text/html"):  # a page, where the request accepts HTML
        return None
    if status == 422:
        return models.ValidationProblem
    if media_type == "application/problem+json":
        return models.Problem
    path = request.split(b" ")[1].partition(b"?")[0].decode("latin-1").rstrip("/") if b" " in request else ""
    if path in {"/mcp", "/openapi.json"} or path.startswith(EXPORT_PREFIX):
        return None
    return next((model for pattern, model in MODELS if re.fullmatch(pattern, path)), models.Problem)
