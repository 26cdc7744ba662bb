"""What passes through the edge: TLS and HTTP/2, MCP, files and ranges, half-closed and pipelined connections."""

import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import orjson
import pytest
from aiohttp import web as aiohttp_web

from api.models import Problem, SearchPage
from tests.support.edge import Edge, edge, parse
from tests.support.http_servers import http_server

SEARCH = "/search?query=crohns"


@pytest.fixture
def tls(front: Edge) -> ssl.SSLContext:
    """Trust the certificate that the edge made for this run."""
    return ssl.create_default_context(cafile=front.folder / "trial.pem")


def test_tls_with_hsts(front: Edge, tls: ssl.SSLContext) -> None:
    with httpx.Client(base_url=front.tls_url, verify=tls) as web:
        response = web.get(SEARCH)
        assert SearchPage.model_validate_json(response.content).results
        assert response.headers["strict-transport-security"] == "max-age=31536000"
        assert web.get("/nowhere", headers={"Host": "evil.example"}).headers["strict-transport-security"]
    assert "strict-transport-security" not in httpx.get(front.url + SEARCH).headers


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_old_versions_of_tls_are_refused(front: Edge, version: str) -> None:
    command = ["curl", "-sk", "--tls-max", version, f"{front.tls_url}/healthz"]
    assert subprocess.run(command, check=False, timeout=20).returncode == 35  # noqa: S603 - no common version


def over_http_2(front: Edge, path: str, *options: str) -> tuple[str, str]:
    """Send a request over HTTP/2; return version, status and media type, and the body."""
    written = ("-w", "\n%{http_version} %{http_code} %{content_type}")
    command = ["curl", "-sk", "--http2", *written, *options, f"{front.tls_url}{path}"]
    result = subprocess.run(command, check=True, timeout=20, capture_output=True, text=True)  # noqa: S603 - on loopback
    body, _, facts = result.stdout.rpartition("\n")
    return facts, body


def test_http_2(front: Edge) -> None:
    assert over_http_2(front, SEARCH)[0] == "2 200 application/json"


@pytest.mark.parametrize(
    ("status", "path", "options"),
    [
        (413, "/recommend", ["-H", "Content-Type: application/json", "--data-binary", "a" * 100_000]),
        (413, "/recommend", ["-X", "GET", "--data-binary", "a" * 100_000]),
        (414, f"/search?query={'a' * 9_000}", []),  # compressed, it is below 8 kB
        (431, "/graph", ["-H", f"Accept: {'a' * 13_000}"]),
        (404, "/graph", ["-H", "Host: evil.example"]),
        (400, "/graph", ["-H", "Host: localhost:80:90"]),
        (405, "/graph", ["-X", "TRACE"]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_refusal_over_http_2_is_a_problem_document(front: Edge, status: int, path: str, options: list[str]) -> None:
    facts, body = over_http_2(front, path, *options)
    assert facts == f"2 {status} application/problem+json"
    assert Problem.model_validate_json(body).status == status


HUFFMAN_A, HUFFMAN_Z = 13_107, 8_192  # letters in 8 kB: HTTP/2 writes `a` with 5 bits, and `Z` with 8


def unread(*lengths: int, letter: str = "a") -> list[str]:
    """Return headers that the service does not read, as options of curl."""
    return [f"-HX-{number}: {letter * length}" for number, length in enumerate(lengths)]


@pytest.mark.parametrize("options", [unread(HUFFMAN_A), unread(HUFFMAN_Z, letter="Z"), unread(*(790,) * 40)])
def test_http_2_measures_a_header_compressed_and_all_uncompressed(front: Edge, options: list[str]) -> None:
    assert over_http_2(front, "/graph", *options)[0] == "2 200 application/json"


@pytest.mark.parametrize(
    "options", [unread(HUFFMAN_A + 1), unread(HUFFMAN_Z + 1, letter="Z"), unread(*(790,) * 42)], ids=["a", "Z", "all"]
)
def test_above_that_nginx_closes_the_http_2_connection(front: Edge, options: list[str]) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        over_http_2(front, "/graph", *options)
    assert failed.value.stdout.split()[-1] == "000"  # no response


@pytest.fixture(params=["http", "https"])
def web(request: pytest.FixtureRequest, front: Edge, tls: ssl.SSLContext) -> Iterator[httpx.Client]:
    """A client of the edge, with and without TLS."""
    url = front.tls_url if request.param == "https" else front.url
    with httpx.Client(base_url=url, verify=tls, timeout=30) as found:
        yield found


def test_mcp(web: httpx.Client) -> None:
    headers = {"Accept": "application/json, text/event-stream", "Origin": "https://chat.example"}
    client = {"name": "test", "version": "1"}
    initialize = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    call = {"name": "search_accommodations", "arguments": {"query": "crohns"}}
    responses = []
    for number, (method, params) in enumerate([("initialize", initialize), ("tools/list", {}), ("tools/call", call)]):
        body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        responses.append(web.post("/mcp", json=body, headers={**headers, "MCP-Protocol-Version": "2025-06-18"}))
    assert {response.status_code for response in responses} == {200}
    first, tools, called = (response.json()["result"] for response in responses)
    assert first["protocolVersion"] == "2025-06-18"
    assert len(tools["tools"]) > 5
    assert not called.get("isError")
    assert responses[2].headers["access-control-allow-origin"] == "*"


def test_a_preflight_of_a_browser(front: Edge) -> None:
    headers = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    response = httpx.options(f"{front.url}/recommend", headers=headers)
    assert (response.status_code, response.headers["access-control-allow-origin"]) == (200, "*")


def test_exports_and_ranges_are_those_of_the_service(web: httpx.Client, direct: str) -> None:
    path = "/export/entities.csv"
    for headers in ({"Accept-Encoding": "identity"}, {"Range": "bytes=10-99"}, {"Range": "bytes=-50"}, {}):
        through, original = web.get(path, headers=headers), httpx.get(direct + path, headers=headers)
        assert (through.status_code, through.content) == (original.status_code, original.content)
        for name in ("etag", "content-range", "content-length", "content-encoding", "accept-ranges"):
            assert through.headers.get(name) == original.headers.get(name)
    etag = web.get(path, headers={"Range": "bytes=0-0"}).headers["etag"]
    assert web.get(path, headers={"Range": "bytes=0-0", "If-None-Match": etag}).status_code == 304


def test_head_is_get_without_the_body(front: Edge) -> None:
    get, head = (
        httpx.request(method, front.url + SEARCH, headers={"Accept-Encoding": "identity"}) for method in ("GET", "HEAD")
    )
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == get.headers["etag"]


def test_errors_of_the_service_pass_unchanged(front: Edge, direct: str) -> None:
    for path in ("/disability/none", "/search", "/search?query=a&limit=x"):
        through, original = (httpx.get(url + path) for url in (front.url, direct))
        assert (through.status_code, through.json()) == (original.status_code, original.json())


def test_a_half_closed_client_gets_its_response(front: Edge) -> None:
    for path in (b"/healthz", b"/search?query=half", b"/disability/crohns-disease"):
        with socket.create_connection(("127.0.0.1", front.port), 10) as connection:
            connection.sendall(b"GET %b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % path)
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(100).startswith(b"HTTP/1.1 200 ")


@pytest.fixture(params=["edge", "direct"])
def port(request: pytest.FixtureRequest, front: Edge, direct: str) -> int:
    """The port of the edge, and that of the service itself."""
    return front.port if request.param == "edge" else urlsplit(direct).port or 0


def test_pipelined_requests_are_answered_in_order(port: int) -> None:
    paths = ["/disability/crohns-disease", "/nowhere/at/all", "/healthz", "/search?query=crohns", "/graph"]
    alone = [httpx.get(f"http://127.0.0.1:{port}{path}") for path in paths]
    expected = [(response.status_code, set(response.json())) for response in alone]
    assert len({frozenset(names) for _, names in expected}) == len(paths)  # the answers differ
    sent = [f"GET {path} HTTP/1.1\r\nHost: localhost\r\n" for path in paths]
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(("\r\n".join(sent) + "Connection: close\r\n\r\n").encode())
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
    assert [(status, set(orjson.loads(body))) for status, body in split(answer)] == expected


def split(answer: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield status and body of each response on a connection."""
    while answer:
        status, headers, rest = parse(answer)
        length = int(headers["content-length"])
        yield status, rest[:length]
        answer = rest[length:]


def test_no_inner_request_is_answered(port: int) -> None:
    inner = b"GET /export HTTP/1.1\r\nHost: localhost\r\n\r\n"
    chunks = b"0\r\n\r\n" + inner
    attempts = [
        b"POST /recommend HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n"
        % len(chunks),
        b"POST /recommend HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n",
        b"POST /recommend HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n\r\n",
        b"POST /recommend HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"GET /graph HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0, %d\r\n\r\n" % len(chunks),
    ]
    for attempt in attempts:
        with socket.create_connection(("127.0.0.1", port), 3) as connection:
            connection.sendall(attempt + chunks)
            answer = b""
            try:
                while piece := connection.recv(65_536):
                    answer += piece
            except (TimeoutError, ConnectionResetError):
                pass
        assert b"entities.csv" not in answer, attempt


UNTRUSTED = (
    *(
        "X-Real-IP",
        "Via",
        "X-Forwarded-Server",
        "X-Forwarded-Ssl",
        "X-Forwarded-Scheme",
        "X-Forwarded-Host",
        "Forwarded",
    ),
    *("True-Client-IP", "X-Method-Override", "X-HTTP-Method-Override", "Proxy-Connection", "Proxy-Authorization"),
    *("Trailer", "Keep-Alive", "TE", "Upgrade", "Cookie", "Authorization", "X-Original-URL", "X-Named"),
)
OF_THE_EDGE = {"Host", "X-Forwarded-For", "X-Forwarded-Proto", "Content-Length"}


@pytest.mark.parametrize("path", ["/search?query=a", "/recommend", "/export/entities.csv", "/mcp", "/healthz"])
async def test_the_service_gets_no_header_that_it_does_not_need(path: str, logs: Path) -> None:
    got: dict[str, str] = {}

    async def respond(request: aiohttp_web.Request) -> aiohttp_web.Response:
        got.update(request.headers)
        return aiohttp_web.json_response({})

    needed = {"Accept": "application/json", "Content-Type": "application/json"}
    forged = {**dict.fromkeys(UNTRUSTED, "203.0.113.9"), "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "evil"}
    async with http_server(respond) as (url, _):
        with edge(url, logs) as front:
            async with httpx.AsyncClient(base_url=front.url) as client:
                fields = {**forged, **needed, "Connection": "X-Named, Accept-Language, keep-alive"}
                await client.post(path, content=b"{}", headers=fields)
    assert {*got} - {"Accept-Encoding"} <= OF_THE_EDGE | {*needed}
    assert (got["X-Forwarded-For"], got["X-Forwarded-Proto"]) == ("127.0.0.1", "http")
    assert {name: got[name] for name in needed} == needed
