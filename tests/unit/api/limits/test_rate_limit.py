"""The rate limiter around a small application, and the addresses that identify clients."""

from ipaddress import ip_address

import httpx
import pytest
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from api.limits.rate_limit import (
    UNKNOWN,
    RateLimitMiddleware,
    RateLimits,
    bucket_for,
    client_address,
    client_hash,
    pack_address,
    quotas,
)
from api.limits.sliding_window import Quota
from api.models import Problem
from api.settings import Settings
from tests.support.asgi_clients import client_of, to_response

SECRET = b"of this test"
THREE = Settings(rate_limit=3, rate_limit_suggest=2, rate_limit_mcp=4)
SHORT_BURSTS = {"default": Quota(1, 3), "mcp": Quota(2, 3)}
V4 = b"\xc0\x00\x02\x07"
V6 = bytes.fromhex("20010db800010002")


async def respond(scope: Scope, receive: Receive, send: Send) -> None:
    status = 304 if scope["path"] == "/unchanged" else 200
    await (Response(status_code=304) if status == 304 else JSONResponse({}))(scope, receive, send)


def client_with(settings: Settings) -> httpx.AsyncClient:
    limits = RateLimits(quotas(settings), lambda: 0.0)
    return client_of(RateLimitMiddleware(respond, to_response, limits, settings.trusted_proxies, SECRET))


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("default", ["/search", "/disability/adhd", "/", "/recommend", "/nowhere", "/mcp/x"]),
        ("suggest", ["/suggest", "/suggest/"]),
        ("mcp", ["/mcp", "/mcp//"]),
        (None, ["/healthz", "/readyz/"]),
    ],
)
def test_each_path_has_its_bucket(name: str | None, paths: list[str]) -> None:
    assert {path: bucket_for(path) for path in paths} == dict.fromkeys(paths, name)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (Settings(), {"default": Quota(100, 60), "suggest": Quota(300, 60), "mcp": Quota(1200, 60)}),
        (Settings(rate_limit=0), {}),
        (Settings(rate_limit_mcp=0, rate_limit_suggest=0), {"default": Quota(100, 60)}),
        (Settings(rate_limit=10, rate_burst_seconds=3, rate_limit_suggest=0, rate_limit_mcp=40), SHORT_BURSTS),
    ],
)
def test_settings_give_each_bucket_its_quota(settings: Settings, expected: dict[str, Quota]) -> None:
    assert quotas(settings) == expected


async def test_buckets_are_separate_and_exact() -> None:
    async with client_with(THREE) as client:
        for path, limit in (("/disability", 3), ("/suggest", 2), ("/mcp", 4)):
            statuses = [(await client.get(path)).status_code for _ in range(6)]
            assert statuses == [200] * limit + [429] * (6 - limit)
        assert (await client.get("/search?query=x")).status_code == 429  # in the bucket of /disability


async def test_a_rejection_names_limit_and_waiting_time() -> None:
    async with client_with(THREE) as client:
        for left in (2, 1, 0):
            response = await client.get("/disability")
            assert response.headers["ratelimit-policy"] == '"default";q=3;w=61'
            assert response.headers["ratelimit"] == f'"default";r={left};t=61'
        rejection = await client.get("/disability")
        assert (rejection.status_code, rejection.headers["retry-after"]) == (429, "61")
        assert rejection.headers["ratelimit"] == '"default";r=0;t=61'
        assert rejection.headers["cache-control"] == "no-store"
        problem = Problem.model_validate_json(rejection.content)
        assert (problem.status, problem.title) == (429, "Too many requests")
        assert rejection.json()["retry_after"] == 61


@pytest.mark.parametrize(
    ("per_minute", "burst_seconds", "policy"),
    [(100, 60, "q=100;w=61"), (100, 12, "q=20;w=13"), (7, 26, "q=3;w=27"), (6000, 60, "q=6000;w=61")],
)
async def test_the_policy_has_the_burst_and_its_window(per_minute: int, burst_seconds: float, policy: str) -> None:
    async with client_with(Settings(rate_limit=per_minute, rate_burst_seconds=burst_seconds)) as client:
        response = await client.get("/disability")
        assert response.headers["ratelimit-policy"] == f'"default";{policy}'


async def test_a_rejected_head_has_no_body() -> None:
    async with client_with(Settings(rate_limit=1)) as client:
        await client.get("/disability")
        rejection = await client.head("/disability")
        assert (rejection.status_code, rejection.content) == (429, b"")
        assert int(rejection.headers["content-length"]) > 0


@pytest.mark.parametrize(("method", "path"), [("OPTIONS", "/disability"), ("GET", "/healthz"), ("GET", "/readyz")])
async def test_some_requests_do_not_count(method: str, path: str) -> None:
    async with client_with(Settings(rate_limit=1)) as client:
        responses = [await client.request(method, path) for _ in range(5)]
        assert {response.status_code for response in responses} == {200}
        assert "ratelimit" not in responses[0].headers
        assert (await client.get("/disability")).status_code == 200


async def test_a_304_counts() -> None:
    async with client_with(Settings(rate_limit=1)) as client:
        first = await client.get("/unchanged")
        assert (first.status_code, first.headers["ratelimit"]) == (304, '"default";r=0;t=61')
        assert (await client.get("/unchanged")).status_code == 429


async def test_without_a_limit_there_are_no_headers() -> None:
    async with client_with(Settings(rate_limit=0)) as client:
        responses = [await client.get("/disability") for _ in range(300)]
        assert {response.status_code for response in responses} == {200}
        assert "ratelimit-policy" not in responses[0].headers


async def test_behind_a_proxy_each_client_has_its_own_quota() -> None:
    async with client_with(Settings(rate_limit=1, trusted_proxies=1)) as client:
        for last in (1, 2, 3):
            forwarded = {"X-Forwarded-For": f"198.51.100.9, 203.0.113.{last}"}
            assert (await client.get("/disability", headers=forwarded)).status_code == 200
        forged = {"X-Forwarded-For": "198.51.100.77, 203.0.113.1"}
        assert (await client.get("/disability", headers=forged)).status_code == 429


@pytest.mark.parametrize(
    ("address", "texts"),
    [
        (V4, ["192.0.2.7", "192.0.2.7:4711", "::ffff:192.0.2.7", "[::ffff:c000:207]:80"]),
        (V6, ["2001:db8:1:2:3:4:5:6", "2001:DB8:1:2::", "[2001:db8:1:2::1]", "[2001:db8:1:2::1]:443"]),
        (bytes.fromhex("20010db800010003"), ["2001:db8:1:3::1"]),
        (bytes.fromhex("fe80000000000000"), ["fe80::1%eth0"]),
        (None, ["", "unknown", "_hidden", "localhost", "192.0.2.256", "192.0.2.7.", "[192.0.2.7", "1" * 5000]),
    ],
)
def test_an_address_identifies_one_customer(address: bytes | None, texts: list[str]) -> None:
    assert {text: pack_address(text) for text in texts} == dict.fromkeys(texts, address)


@pytest.mark.parametrize(
    ("proxies", "forwarded", "caller"),
    [
        (0, [], "192.0.2.1"),
        (0, ["203.0.113.9"], "192.0.2.1"),
        (1, [], "192.0.2.1"),
        (1, ["203.0.113.9"], "203.0.113.9"),
        (1, ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        (1, ["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
        (1, ["a," * 5000 + " 203.0.113.9:5000"], "203.0.113.9"),
        (1, ["203.0.113.9, "], "192.0.2.1"),
        (1, ["203.0.113.9, unknown"], "192.0.2.1"),
        (2, ["203.0.113.9"], "192.0.2.1"),
        (2, ["203.0.113.9, 10.0.0.2"], "203.0.113.9"),
        (2, ["forged, 203.0.113.9, 10.0.0.2"], "203.0.113.9"),
        (2, ["forged, 203.0.113.9", "10.0.0.2"], "203.0.113.9"),
        (3, ["203.0.113.9, 10.0.0.2"], "192.0.2.1"),
    ],
)
def test_trusts_only_the_addresses_that_our_proxies_appended(proxies: int, forwarded: list[str], caller: str) -> None:
    headers = [(b"accept", b"*/*"), *((b"x-forwarded-for", line.encode()) for line in forwarded)]
    assert client_address("192.0.2.1", headers, proxies) == ip_address(caller).packed


@pytest.mark.parametrize("forged", ["203.0.113.{}", "203.0.113.{}, 192.0.2.1", "::{}", "{}"])
def test_a_forged_header_has_no_effect(forged: str) -> None:
    callers = {client_address("192.0.2.1", [(b"x-forwarded-for", forged.format(n).encode())], 0) for n in range(200)}
    behind = {
        client_address("10.0.0.1", [(b"x-forwarded-for", f"{forged.format(n)}, 192.0.2.1".encode())], 1)
        for n in range(200)
    }
    assert callers == behind == {b"\xc0\x00\x02\x01"}


@pytest.mark.parametrize("peer", [None, "", "testclient", "/run/akg.sock"])
def test_all_peers_without_an_address_are_one_client(peer: str | None) -> None:
    assert client_address(peer, [], 0) == UNKNOWN


def test_a_hash_is_stable_and_depends_on_the_secret() -> None:
    first, second = b"\xc0\x00\x02\x01", b"\xc0\x00\x02\x02"
    assert client_hash(first, b"secret") == client_hash(first, b"secret")
    assert len({client_hash(first, b"secret"), client_hash(second, b"secret"), client_hash(first, b"other")}) == 3
    assert 0 <= client_hash(first, b"secret") < 2**64
