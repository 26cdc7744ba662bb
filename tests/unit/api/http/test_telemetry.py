"""What the telemetry middleware counts, for every way in which a request can end."""

import logging
from types import SimpleNamespace

import pytest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.http.request_policy import RequestLimits, RequestPolicy
from api.http.telemetry import TelemetryMiddleware
from api.telemetry.usage_counters import UsageCounters, UsageKey, current_request
from tests.support.asgi_clients import client_of, to_response
from tests.support.metric_samples import samples_of

TYPED = "what-a-person-typed"
HEADERS = {
    "stale": {"Cache-Status": "akg; hit; fwd=stale"},
    "hit": {"Cache-Status": "akg; hit", "ETag": '"1"'},
    "found": {"ETag": '"1"'},
}
KEY = UsageKey(
    "rest",
    "unrouted",
    "2xx",
    "<25ms",
    "none",
    did_you_mean=False,
    synonyms="none",
    cache="none",
    limited=False,
    empty_words="none",
    empty_scope="none",
)
KEY_WITH_RESULTS = KEY._replace(route="/{type}/{id}", results="2-10", did_you_mean=True, cache="fresh")


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond by the first part of the path, as the router would."""
    kind = scope["path"].split("/")[1]
    if kind == "found":
        scope["route"] = SimpleNamespace(path="/{type}/{id}")
    if kind == "broken":
        raise RuntimeError(TYPED)
    current_request().add_result({"results": [1, 2, 3], "did_you_mean": [1]} if kind == "found" else {})
    headers = HEADERS.get(kind, {})
    await Response(status_code={"same": 304, "away": 503}.get(kind, 200), headers=headers)(scope, receive, send)


def middleware() -> TelemetryMiddleware:
    ticks = iter(range(1000))
    usage = UsageCounters(["/{type}/{id}", "/{type}/{id}/neighbors", "/found/{id}", "/suggest"])
    policy = RequestPolicy(app, to_response, RequestLimits(1000))
    return TelemetryMiddleware(policy, usage, lambda: next(ticks) / 50, ())


@pytest.mark.parametrize(
    ("method", "path", "key"),
    [
        ("GET", f"/found/{TYPED}", KEY_WITH_RESULTS),
        ("GET", f"/{TYPED}", KEY),
        ("GET", "/same", KEY._replace(status="3xx", cache="revalidated")),
        ("GET", "/stale", KEY._replace(cache="stale")),
        ("GET", "/hit", KEY._replace(cache="hit")),
        ("GET", "/away", KEY._replace(status="5xx")),
        ("GET", "/broken", KEY._replace(status="5xx")),
        ("GET", "/suggest", KEY._replace(route="/suggest")),  # set before routing
        ("GET", "/search", KEY),  # a route that this application does not have
        ("GET", "/away/now/neighbors", KEY._replace(route="/{type}/{id}/neighbors", status="5xx")),  # before routing
        ("GET", "/away/now/", KEY._replace(route="/{type}/{id}", status="5xx")),
        ("GET", f"/hit/{TYPED}", KEY._replace(route="/{type}/{id}", cache="hit")),  # the first that matches
        ("GET", f"/away/{TYPED}/other", KEY._replace(status="5xx")),
        ("POST", "/mcp", KEY._replace(transport="mcp", route="/mcp")),
        ("OPTIONS", f"/{TYPED}", KEY._replace(route="options")),
    ],
)
async def test_counts_each_request_once(method: str, path: str, key: UsageKey) -> None:
    service = middleware()
    async with client_of(service) as client:
        await client.request(method, path)
    assert service.usage.take() == {key: 1}


async def test_logs_failures_and_other_requests_only_at_debug_level(caplog: pytest.LogCaptureFixture) -> None:
    service = middleware()
    async with client_of(service) as client:
        for level, statuses in ((logging.INFO, [503]), (logging.DEBUG, [200, 503])):
            with caplog.at_level(level, "akg.requests"):
                await client.get(f"/found/{TYPED}")
                await client.get("/away")
            lines = [record for record in caplog.records if record.name == "akg.requests"]
            assert [vars(record)["fields"]["status"] for record in lines] == statuses
            assert vars(lines[0])["fields"].keys() == {"transport", "route", "status", "ms"}
            caplog.clear()
    assert TYPED not in caplog.text


async def test_probes_are_counted_apart_from_requests() -> None:
    ticks = iter(range(1000))
    usage = UsageCounters(["/healthz", "/readyz"])
    telemetry = TelemetryMiddleware(app, usage, lambda: next(ticks) / 50, ())
    async with client_of(telemetry) as client:
        for path in ("/readyz", "/readyz/", "/healthz"):
            await client.get(path)
    assert usage.totals == {}
    probes = samples_of(telemetry.collectors, "akg_probes_total")
    assert probes == {("/readyz", "2xx"): 2, ("/healthz", "2xx"): 1}


async def test_a_request_is_in_flight_until_its_response_ends() -> None:
    seen: list[float] = []

    async def look(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend(samples_of(telemetry.collectors, "akg_requests_in_flight").values())
        await app(scope, receive, send)

    telemetry = TelemetryMiddleware(look, UsageCounters(["/readyz"]), lambda: 0.0, ())
    async with client_of(telemetry) as client:
        for path in ("/found/a", "/readyz"):
            await client.get(path)
    assert (seen, telemetry.in_flight) == ([1.0, 0.0], 0)
