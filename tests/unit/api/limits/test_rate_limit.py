"""The rate limiter around a small application: buckets, headers and rejections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest
from starlette.responses import JSONResponse, Response
from throttled import Quota, per_min

from api.http.envelope import Envelope
from api.limits.rate_limit import RateLimitMiddleware, bucket_for, quotas
from api.limits.rate_limit_store import RateLimits
from api.models import Problem
from api.settings import Settings

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from api.errors import ServiceError

ENVELOPE = Envelope(Settings())
SECRET = b"of this test"


def to_response(error: ServiceError) -> Response:
    return ENVELOPE.error_response(error, None)


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    status = 304 if scope["path"] == "/unchanged" else 200
    await (Response(status_code=304) if status == 304 else JSONResponse({}))(scope, receive, send)


def gate(settings: Settings) -> httpx.AsyncClient:
    limits = RateLimits(quotas(settings), lambda: 0.0)
    app = RateLimitMiddleware(answer, to_response, limits, settings.trusted_proxies, SECRET)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test")


THREE = Settings(rate_limit=3, rate_limit_suggest=2, rate_limit_mcp=4)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/search", "default"),
        ("/disability/adhd", "default"),
        ("/", "default"),
        ("/recommend", "default"),
        ("/nowhere", "default"),
        ("/suggest", "suggest"),
        ("/suggest/", "suggest"),
        ("/mcp", "mcp"),
        ("/mcp//", "mcp"),
        ("/mcp/x", "default"),
        ("/healthz", None),
        ("/readyz/", None),
    ],
)
def test_each_path_has_its_bucket(path: str, name: str | None) -> None:
    assert bucket_for(path) == name


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (Settings(), {"default": per_min(100, 100), "suggest": per_min(300, 300), "mcp": per_min(1200, 1200)}),
        (Settings(rate_limit=0), {}),
        (Settings(rate_limit_mcp=0, rate_limit_suggest=0), {"default": per_min(100, 100)}),
        (
            Settings(rate_limit=10, rate_burst_seconds=3, rate_limit_suggest=0, rate_limit_mcp=40),
            {"default": per_min(10, 1), "mcp": per_min(40, 2)},
        ),
    ],
)
def test_settings_give_each_class_its_quota(settings: Settings, found: dict[str, Quota]) -> None:
    assert quotas(settings) == found


async def test_buckets_are_separate_and_exact() -> None:
    async with gate(THREE) as client:
        for path, most in (("/disability", 3), ("/suggest", 2), ("/mcp", 4)):
            statuses = [(await client.get(path)).status_code for _ in range(6)]
            assert statuses == [200] * most + [429] * (6 - most)
        assert (await client.get("/search?query=x")).status_code == 429  # on the account of /disability


async def test_a_rejection_names_limit_and_waiting_time() -> None:
    async with gate(THREE) as client:
        for left in (2, 1, 0):
            found = await client.get("/disability")
            assert found.headers["ratelimit-policy"] == '"default";q=3;w=60'
            assert found.headers["ratelimit"] == f'"default";r={left};t={60 - 20 * left}'
        refused = await client.get("/disability")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "20")
        assert refused.headers["ratelimit"] == '"default";r=0;t=60'
        assert refused.headers["cache-control"] == "no-store"
        problem = Problem.model_validate_json(refused.content)
        assert (problem.status, problem.title) == (429, "Too many requests")
        assert refused.json()["retry_after"] == 20


@pytest.mark.parametrize(
    ("per_minute", "burst_seconds", "policy"),
    [(100, 60, "q=100;w=60"), (100, 12, "q=20;w=12"), (7, 26, "q=3;w=26"), (6000, 60, "q=6000;w=60")],
)
async def test_the_policy_has_the_burst_and_its_window(per_minute: int, burst_seconds: float, policy: str) -> None:
    async with gate(Settings(rate_limit=per_minute, rate_burst_seconds=burst_seconds)) as client:
        response = await client.get("/disability")
        assert response.headers["ratelimit-policy"] == f'"default";{policy}'


async def test_a_rejected_head_has_no_body() -> None:
    async with gate(Settings(rate_limit=1)) as client:
        await client.get("/disability")
        refused = await client.head("/disability")
        assert (refused.status_code, refused.content) == (429, b"")
        assert int(refused.headers["content-length"]) > 0


@pytest.mark.parametrize(("method", "path"), [("OPTIONS", "/disability"), ("GET", "/healthz"), ("GET", "/readyz")])
async def test_some_requests_do_not_count(method: str, path: str) -> None:
    async with gate(Settings(rate_limit=1)) as client:
        answers = [await client.request(method, path) for _ in range(5)]
        assert {found.status_code for found in answers} == {200}
        assert "ratelimit" not in answers[0].headers
        assert (await client.get("/disability")).status_code == 200


async def test_a_304_counts() -> None:
    async with gate(Settings(rate_limit=1)) as client:
        first = await client.get("/unchanged")
        assert (first.status_code, first.headers["ratelimit"]) == (304, '"default";r=0;t=60')
        assert (await client.get("/unchanged")).status_code == 429


async def test_without_a_limit_there_are_no_headers() -> None:
    async with gate(Settings(rate_limit=0)) as client:
        answers = [await client.get("/disability") for _ in range(300)]
        assert {found.status_code for found in answers} == {200}
        assert "ratelimit-policy" not in answers[0].headers


async def test_behind_a_proxy_each_client_has_its_own_quota() -> None:
    async with gate(Settings(rate_limit=1, trusted_proxies=1)) as client:
        for last in (1, 2, 3):
            forwarded = {"X-Forwarded-For": f"198.51.100.9, 203.0.113.{last}"}
            assert (await client.get("/disability", headers=forwarded)).status_code == 200
        forged = {"X-Forwarded-For": "198.51.100.77, 203.0.113.1"}
        assert (await client.get("/disability", headers=forged)).status_code == 429
