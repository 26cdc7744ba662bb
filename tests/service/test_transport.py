"""`POST /mcp`: allowed hosts and origins, older clients, bodies, and a log without input. OpenSearch is not reached."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.mcp.transport import add_blocks, hostname
from api.settings import Settings
from tests.support.fixture_graphs import running

NOWHERE = "http://127.0.0.1:9"  # nothing listens there
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PAGE = "https://page.example.org"
Outcome = tuple[int, str | None]  # status and allowed origin


@asynccontextmanager
async def serving(**settings: Any) -> AsyncIterator[httpx.AsyncClient]:  # noqa: ANN401 - values of any setting
    app = create_app(Settings(deadline_seconds=0.2, **settings), [NOWHERE])
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
    async with running(app), httpx.AsyncClient(transport=transport, base_url="http://localhost:8080") as opened:
        yield opened


@pytest.fixture(scope="module")
async def service() -> AsyncIterator[httpx.AsyncClient]:
    """The service as it is without settings, under a name of this machine."""
    async with serving() as opened:
        yield opened


@pytest.fixture(scope="module")
async def guarded() -> AsyncIterator[httpx.AsyncClient]:
    """The service for one web origin, behind a proxy with another host name."""
    async with serving(allowed_origins=(PAGE,), allowed_hosts=("akg.example.org",)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("localhost:8080", "localhost"),
        ("Example.ORG", "example.org"),
        ("[::1]:8080", "[::1]"),
        ("[::1]", "[::1]"),
        ("", ""),
    ],
)
def test_a_host_is_compared_without_port_and_case(header: str, expected: str) -> None:
    assert hostname(header) == expected


@pytest.mark.parametrize(
    ("host", "here", "there"),
    [
        ("localhost:8080", 200, 421),
        ("127.0.0.1", 200, 421),
        ("akg.example.org:443", 421, 200),
        ("evil.example.com", 421, 421),
        ("localhost.evil.example.com", 421, 421),
    ],
)
async def test_only_allowed_host_names_are_accepted(
    service: httpx.AsyncClient, guarded: httpx.AsyncClient, host: str, here: int, there: int
) -> None:
    for opened, status in ((service, here), (guarded, there)):
        response = await opened.post("/mcp", json=PING, headers={**JSON, "Host": host})
        assert response.status_code == status, response.text
        assert status == 200 or "AKG_ALLOWED_HOSTS" in response.json()["detail"]


@pytest.mark.parametrize(
    ("origin", "here", "there"),
    [
        (PAGE, (200, "*"), (200, PAGE)),
        ("https://other.example.org", (200, "*"), (403, None)),
        ("null", (200, "*"), (403, None)),
        (None, (200, None), (200, None)),
    ],
)
async def test_web_pages_are_accepted_according_to_cors(
    service: httpx.AsyncClient, guarded: httpx.AsyncClient, origin: str | None, here: Outcome, there: Outcome
) -> None:
    headers = JSON if origin is None else {**JSON, "Origin": origin}
    for opened, host, (status, cors) in ((service, "localhost", here), (guarded, "akg.example.org", there)):
        response = await opened.post("/mcp", json=PING, headers={**headers, "Host": host})
        assert response.status_code == status, response.text
        assert response.headers.get("access-control-allow-origin") == cors
        rest = await opened.get("/nowhere/at/all", headers=headers)
        assert rest.headers.get("access-control-allow-origin") == cors


@pytest.mark.parametrize(
    ("method", "accept"), [("GET", "text/event-stream"), ("GET", "*/*"), ("DELETE", "*/*"), ("PUT", "*/*")]
)
async def test_streams_and_sessions_of_older_clients_are_rejected(
    service: httpx.AsyncClient, method: str, accept: str
) -> None:
    response = await service.request(method, "/mcp", headers={"Accept": accept})
    assert (response.status_code, response.headers["allow"]) == (405, "POST, OPTIONS")
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_the_path_never_redirects(service: httpx.AsyncClient, path: str) -> None:
    response = await service.post(path, json=PING, headers=JSON)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert "mcp-session-id" not in response.headers


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b" " * 100_000 + b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}', {}, 200),
        (b" " * 262_145, {}, 413),
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"{}", {"Accept": "text/event-stream"}, 406),
        (b"{", {}, 400),
        (b"[]", {}, 400),
        (b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', {}, 202),
    ],
)
async def test_bodies_are_bounded_and_must_be_json(
    service: httpx.AsyncClient, content: bytes, headers: dict[str, str], status: int
) -> None:
    response = await service.post("/mcp", content=content, headers={**JSON, **headers})
    assert response.status_code == status, response.text


async def test_spaces_around_a_header_are_ignored(service: httpx.AsyncClient) -> None:
    protocol = "io.modelcontextprotocol"
    meta = {f"{protocol}/protocolVersion": "2026-07-28", f"{protocol}/clientCapabilities": {}}
    params = {"name": "plan_accommodations", "arguments": {"need": "a"}, "_meta": meta}
    request = {**PING, "method": "prompts/get", "params": params}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "prompts/get", "Mcp-Name": "  plan_accommodations "}
    response = await service.post("/mcp", json=request, headers={**JSON, **headers})
    assert response.status_code == 200, response.text


TYPED = "a sentence that a person typed"
CALLS: list[object] = [
    {"name": "search_accommodations", "arguments": {"query": TYPED}},
    {"name": "search_accommodations", "arguments": {TYPED: TYPED}},
    {"name": "get_entity", "arguments": {"id": TYPED}},
    {"name": TYPED, "arguments": {}},
    {"name": "get_entity", "arguments": [TYPED]},
    TYPED,
]


@pytest.mark.parametrize("version", [None, "2026-07-28", TYPED])
async def test_nothing_that_was_sent_is_logged(
    service: httpx.AsyncClient, caplog: pytest.LogCaptureFixture, version: str | None
) -> None:
    headers = {**JSON, "X-Extra": TYPED, "Mcp-Method": "tools/call"}
    headers |= {"MCP-Protocol-Version": version} if version else {}
    with caplog.at_level(logging.WARNING):
        for params in CALLS:
            request = {"jsonrpc": "2.0", "id": TYPED, "method": "tools/call", "params": params}
            assert (await service.post("/mcp", json=request, headers=headers)).status_code in (200, 400)
        await service.post("/mcp", content=TYPED.encode(), headers=headers)
        await service.post("/mcp", json=PING, headers={**headers, "Host": TYPED.replace(" ", "-")})
    assert "typed" not in caplog.text


@pytest.mark.parametrize("version", [None, "1999-01-01", "2026-07-28"])
@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("{", {-32700}),
        ("[]", {-32600, -32602}),
        ("5", {-32600, -32602}),
        ('{"jsonrpc": "2.0", "id": 1}', {-32600, -32602}),
        ('{"jsonrpc": "2.0", "id": 1, "method": "nothing"}', {-32601, -32602}),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 5}}', {-32602}),
    ],
)
async def test_every_protocol_error_has_provenance_and_notice(
    service: httpx.AsyncClient, body: str, codes: set[int], version: str | None
) -> None:
    headers = {**JSON, "Accept-Encoding": "identity", **({"MCP-Protocol-Version": version} if version else {})}
    response = await service.post("/mcp", content=body, headers=headers)
    assert response.headers["content-length"] == str(len(response.content))
    error = response.json()["error"]
    assert error["code"] in codes
    assert error["data"]["provenance"]["service"] == "Accommodation Knowledge Graph"
    assert "not legal, medical or HR advice" in error["data"]["notice"]["text"]


def test_a_result_that_only_mentions_an_error_is_unchanged() -> None:
    body = b'{"result":{"error":{"code":1}}}'
    assert add_blocks(body, {}) == body
