"""The limits of the edge and of the service behind it, and the counts of what only the edge answered."""

import socket
import time
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from api import models
from tests.support.edge import HIT, SEARCH, cache_status, edge, kept
from tests.support.fixture_graphs import listening
from tests.support.serving import free_port, process

STRICT = {"AKG_RATE_LIMIT": "", "EDGE_RATE_LIMIT": "60", "EDGE_RATE_BURST": "4"}
TRUSTED = {"usage_months": 0, "trusted_proxies": 1}


def test_the_edge_limits_each_client_and_says_when_to_retry(direct: str, logs: Path) -> None:
    limits = STRICT
    with edge(direct, logs, **limits) as front, httpx.Client(base_url=front.url) as web:
        responses = [web.get("/graph") for _ in range(30)]
        limited = next(response for response in responses if response.status_code == 429)
        assert responses[0].status_code == 200
        assert int(limited.headers["retry-after"]) > 0
        assert models.Problem.model_validate_json(limited.content).title == "Too many requests"
        assert web.get("/healthz").status_code == 200  # probes are never limited
        transport = httpx.HTTPTransport(local_address="127.0.0.2")
        with httpx.Client(base_url=front.url, transport=transport) as other:
            assert other.get("/graph").status_code == 200


def test_a_network_of_ipv6_is_one_client(direct: str, logs: Path) -> None:
    limits = {
        "AKG_RATE_LIMIT": "",
        "EDGE_RATE_LIMIT": "60",
        "EDGE_RATE_BURST": "4",
        "EDGE_TRUSTED_PROXIES": "127.0.0.1",
    }
    networks = {"2001:db8:1:2": 12, "2001:db8:1:3": 2, "::ffff:203.0.113": 1}
    with edge(direct, logs, **limits) as front, httpx.Client(base_url=front.url) as web:
        for network, number in networks.items():
            form = "{}.{}" if "." in network else "{}::{}"
            headers = [{"X-Forwarded-For": form.format(network, place + 1)} for place in range(number)]
            statuses = [web.get("/graph", headers=fields).status_code for fields in headers]
            assert (429 in statuses) == (number > 4), (network, statuses)


def test_the_limits_of_the_service_are_reached_before_those_of_the_edge(node_url: str, logs: Path) -> None:
    """By default, and by a client that sends all that one limit allows at once, after all of another."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with (
        listening(node_url, "akg-world", **TRUSTED) as url,
        edge(url, logs, AKG_RATE_LIMIT="") as front,
        httpx.Client(base_url=front.url) as web,
    ):
        for allowed, path in ((100, "/search?query={}"), (300, "/suggest?query=a{}"), (1_200, "/mcp")):
            method, body = ("POST", call) if path == "/mcp" else ("GET", None)
            responses = [web.request(method, path.format(number), json=body) for number in range(allowed)]
            assert {response.status_code for response in responses} == {200}, responses[0].url
            assert all("ratelimit" in response.headers for response in responses if HIT not in cache_status(response))


def test_foreign_hosts_have_the_limits_too(direct: str, logs: Path) -> None:
    limits = STRICT
    with edge(direct, logs, **limits) as front:
        statuses = [httpx.get(f"{front.url}/x", headers={"Host": "evil.example"}).status_code for _ in range(12)]
    assert (statuses[0], statuses[-1]) == (404, 429)


def test_foreign_hosts_have_the_cap_of_connections(direct: str, logs: Path) -> None:
    drip = b"POST /x HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000\r\n\r\na"
    with edge(direct, logs, EDGE_CONNECTIONS="5") as front, ExitStack() as opened:
        statuses = []
        for _ in range(12):
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", front.port), 10))
            connection.sendall(drip)
            statuses.append(connection.recv(12)[9:])
        assert statuses[:5] == [b"404"] * 5
        assert statuses[-1] == b"429"


@pytest.mark.parametrize("path", ["/search?query=crohns", "/suggest?query=cro", "/mcp"])
def test_the_service_counts_the_clients_behind_the_edge(node_url: str, logs: Path, path: str) -> None:
    limits = {"rate_limit": 3, "rate_limit_suggest": 3, "rate_limit_mcp": 3, "response_cache_bytes": 0}
    method = "POST" if path == "/mcp" else "GET"
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"} if path == "/mcp" else None
    with (
        listening(node_url, "akg-world", **TRUSTED, **limits) as url,
        edge(url, logs) as front,
        httpx.Client(base_url=front.url, headers={"X-Forwarded-For": "203.0.113.9"}) as web,
    ):
        found = []
        for number in range(8):  # a new query each time, so that the edge has none of them
            target = f"{path}{number}" if "?" in path else path
            found.append(web.request(method, target, json=body, headers={"X-Forwarded-For": f"203.0.113.{number}"}))
        assert [response.status_code for response in found[:3]] == [200] * 3
        assert found[-1].status_code == 429
        assert int(found[-1].headers["retry-after"]) > 0
        assert found[0].headers["ratelimit-policy"].split(";")[1] == "q=3"
        with httpx.Client(
            base_url=front.url, transport=httpx.HTTPTransport(local_address="127.0.0.2")
        ) as other:  # another client has its own account
            assert other.request(method, path, json=body).status_code == 200


def test_one_setting_switches_both_limits_off_and_both_say_so(node_url: str, logs: Path) -> None:
    settings = {
        "AKG_OPENSEARCH_URL": node_url,
        "AKG_ALIAS": "akg-world",
        "AKG_RATE_LIMIT": "0",
        "AKG_USAGE_MONTHS": "0",
    }
    with process(settings) as served, edge(served.url, logs) as front, httpx.Client(base_url=front.url) as web:
        call = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for method, path, body in (("GET", "/graph", None), ("GET", "/suggest", None), ("POST", "/mcp", call)):
            responses = [web.request(method, path, json=body) for _ in range(150)]
            assert 429 not in {response.status_code for response in responses}
            assert not any("ratelimit-policy" in response.headers for response in responses)
        assert "NO RATE LIMIT" in front.log.read_text("utf-8")
        assert "AKG_RATE_LIMIT is 0: no client is limited" in served.log.read_text("utf-8")


def test_responses_of_the_edge_are_counted_by_the_service(node_url: str, direct: str, logs: Path) -> None:
    assert direct  # the world is published
    port, admin = free_port(), free_port()
    settings = {
        "AKG_OPENSEARCH_URL": node_url,
        "AKG_ALIAS": "akg-world",
        "AKG_RATE_LIMIT": "0",
        "AKG_USAGE_MONTHS": "0",
        "AKG_ADMIN_PORT": str(admin),
        "AKG_EDGE_COUNTS": f"127.0.0.1:{port}",
    }
    with (
        process(settings) as served,
        edge(served.url, logs, EDGE_COUNTS=f"127.0.0.1:{port}") as front,
        httpx.Client(base_url=front.url) as web,
    ):
        for path in (SEARCH, "/disability/crohns-disease"):
            kept(web, path)
        time.sleep(0.2)
        metrics = httpx.get(f"http://127.0.0.1:{admin}/metrics").text
    counts = [line for line in metrics.splitlines() if line.startswith('akg_answers_total{cache="edge_hit"}')]
    assert counts
    assert float(counts[0].split()[1]) >= 2
    assert 'akg_requests_total{route="/{type}/{id}",status="2xx",transport="rest"}' in metrics
