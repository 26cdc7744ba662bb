"""What passes through the edge: TLS and HTTP/2, MCP, files and ranges, half-closed and pipelined connections."""

import socket
import ssl
import subprocess
from urllib.parse import urlsplit

import httpx
import pytest

from api.models import SearchPage
from tests.support.edge import Edge

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


def test_http_2(front: Edge) -> None:
    command = [
        "curl",
        "-sk",
        "--http2",
        "-o",
        "/dev/null",
        "-w",
        "%{http_version} %{http_code}",
        f"{front.tls_url}{SEARCH}",
    ]
    result = subprocess.run(command, check=True, timeout=20, capture_output=True, text=True)  # noqa: S603 - on loopback
    assert result.stdout == "2 200"


@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
def test_mcp(front: Edge, tls: ssl.SSLContext, *, secure: bool) -> None:
    call = {"name": "search_accommodations", "arguments": {"query": "crohns"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    with httpx.Client(base_url=front.tls_url if secure else front.url, verify=tls) as web:
        headers = {"Accept": "application/json, text/event-stream", "Origin": "https://chat.example"}
        response = web.post("/mcp", json=body, headers=headers)
    assert response.status_code == 200
    assert not response.json()["result"].get("isError")
    assert response.headers["access-control-allow-origin"] == "*"


def test_a_preflight_of_a_browser(front: Edge) -> None:
    headers = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    response = httpx.options(f"{front.url}/recommend", headers=headers)
    assert (response.status_code, response.headers["access-control-allow-origin"]) == (200, "*")


def test_exports_and_ranges_are_those_of_the_service(front: Edge, direct: str) -> None:
    path = "/export/entities.csv"
    for headers in ({"Accept-Encoding": "identity"}, {"Range": "bytes=10-99"}, {"Range": "bytes=-50"}, {}):
        through, original = (httpx.get(url + path, headers=headers) for url in (front.url, direct))
        assert (through.status_code, through.content) == (original.status_code, original.content)
        for name in ("etag", "content-range", "content-length", "content-encoding", "accept-ranges"):
            assert through.headers.get(name) == original.headers.get(name)
    etag = httpx.get(front.url + path, headers={"Range": "bytes=0-0"}).headers["etag"]
    assert httpx.get(front.url + path, headers={"Range": "bytes=0-0", "If-None-Match": etag}).status_code == 304


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
    paths = [b"/disability/crohns-disease", b"/nowhere/at/all", b"/healthz", b"/search?query=crohns"]
    sent = b"".join(b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n" % path for path in paths)
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(sent + b"GET /graph HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
    statuses = [line.split()[1] for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
    statuses += [part.split()[0] for part in answer.split(b"}HTTP/1.1 ")[1:]]
    assert sorted(statuses) == [b"200", b"200", b"200", b"200", b"404"]


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
