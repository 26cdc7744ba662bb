"""The response cache: hits of the live release, and stale responses while OpenSearch is unavailable."""

import orjson
import pytest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.errors import DeadlineError, EngineUnavailableError, NotFoundError, OverloadedError, ServiceError
from api.http.envelope import Envelope
from api.http.request_policy import RequestLimits, RequestPolicy
from api.http.response_cache import MAX_BODY_BYTES, ResponseCache
from api.settings import Settings
from tests.support.asgi_clients import client_of, to_response
from tests.support.metric_samples import samples_of

ENVELOPE = Envelope(Settings())
MAX_BYTES = 8_000_000


class Service:
    """Echoes the request, until `error` is set."""

    def __init__(self, seconds: float = 60.0, max_bytes: int = MAX_BYTES) -> None:
        self.now = 100.0
        self.live: str | None = None
        self.calls = 0
        self.error: ServiceError | None = None
        self.raises = False
        self.headers = {"Cache-Control": "public, max-age=300", "ETag": '"r1-1"'}
        self.cache = ResponseCache(self.app, max_bytes, self.live_tag, seconds, lambda: self.now)
        self.client = client_of(RequestPolicy(self.cache, to_response, RequestLimits(1000)))

    async def live_tag(self) -> str | None:
        """Return the prefix of the live release's ETags."""
        return self.live

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond like a route."""
        self.calls += 1
        if self.error and self.raises:
            raise self.error
        response = to_response(self.error) if self.error else self.echo(scope, (await receive())["body"])
        await response(scope, receive, send)

    def echo(self, scope: Scope, body: bytes) -> Response:
        """Return a wrapped 200."""
        echo = {"request": f"{scope['path']}?{scope['query_string'].decode()}{body.decode()}"}
        wrapped = ENVELOPE.wrap_body(echo, None)
        return Response(orjson.dumps(wrapped), media_type="application/json", headers=self.headers)


AWAY = EngineUnavailableError("away")
HEADERS = [(b"etag", b'"r1-1"'), (b"content-type", b"application/json")]


async def after_request(path: str, live: str | None = None, error: ServiceError | None = None) -> Service:
    """Return a service that has responded to one request, with its state after that."""
    service = Service()
    await service.client.get(path)
    service.live, service.error = live, error
    return service


async def test_a_stale_response_is_marked() -> None:
    service = Service()
    fresh = await service.client.get("/search?query=a")
    assert "stale_seconds" not in fresh.json()["provenance"]
    service.error, service.now = AWAY, 130.9
    stale = await service.client.get("/search?query=a")
    assert stale.status_code == 200
    assert stale.json()["provenance"].pop("stale_seconds") == 30
    assert stale.json()["request"] == fresh.json()["request"]
    marks = {"age": "30", "cache-control": "no-store", "cache-status": "akg; hit; fwd=stale"}
    assert {name: stale.headers[name] for name in marks} == marks
    assert "etag" not in stale.headers


@pytest.mark.parametrize(
    ("error", "raises", "status"),
    [
        (EngineUnavailableError("away"), False, 200),
        (DeadlineError("slow"), False, 200),
        (OverloadedError("full"), True, 200),
        (NotFoundError("none", suggestions=[]), False, 404),
        (ServiceError("defect"), False, 500),
    ],
)
async def test_serves_stale_responses_when_opensearch_or_the_service_is_overloaded(
    *, error: ServiceError, raises: bool, status: int
) -> None:
    service = await after_request("/graph", live="r2", error=error)
    service.raises = raises
    assert (await service.client.get("/graph")).status_code == status
    assert (await service.client.get("/other")).status_code == error.status  # never cached


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("GET", "/search?query=b", b""), ("GET", "/search", b""), ("GET", "/list?query=a", b""), ("POST", "/list", b"{}")],
)
async def test_another_request_misses_the_cache(method: str, path: str, body: bytes) -> None:
    service = await after_request("/search?query=a", error=AWAY)
    as_json = {"Content-Type": "application/json"}
    assert (await service.client.request(method, path, content=body, headers=as_json)).status_code == 503


async def test_the_key_of_a_post_includes_its_body() -> None:
    service = Service()
    await service.client.post("/recommend", json={"disability": "a"})
    service.error = AWAY
    assert (await service.client.post("/recommend", json={"disability": "a"})).status_code == 200
    assert (await service.client.post("/recommend", json={"disability": "b"})).status_code == 503


async def test_head_gets_no_body() -> None:
    service = await after_request("/graph", error=AWAY)
    response = await service.client.head("/graph")
    assert (response.status_code, response.content, response.headers["age"]) == (200, b"", "0")


@pytest.mark.parametrize(
    ("path", "cache_control", "seconds_later"),
    [
        ("/graph", "public, max-age=300", 60.1),  # too old
        ("/healthz", "no-store", 0),
        ("/export/datapackage.json", "public, max-age=300", 0),  # a file
    ],
)
async def test_serves_neither_old_responses_nor_those_that_are_never_cached(
    path: str, cache_control: str, seconds_later: float
) -> None:
    service = Service(seconds=60)
    service.headers["Cache-Control"] = cache_control
    await service.client.get(path)
    service.error, service.now = AWAY, service.now + seconds_later
    assert (await service.client.get(path)).status_code == 503


@pytest.mark.parametrize(("seconds", "max_bytes"), [(0, MAX_BYTES), (60, 0)])
async def test_size_zero_disables_the_cache(seconds: float, max_bytes: int) -> None:
    service = Service(seconds, max_bytes)
    await service.client.get("/graph")
    service.error = AWAY
    assert (await service.client.get("/graph")).status_code == 503
    assert bool(service.cache.size) == bool(max_bytes)


async def test_hits_the_cache_while_the_release_is_live() -> None:
    service = Service()
    first = await service.client.get("/search?query=a")
    assert "cache-status" not in first.headers
    service.live = "r1"
    again = await service.client.get("/search?query=a")
    assert (service.calls, again.content, again.headers.pop("cache-status")) == (1, first.content, "akg; hit")
    assert again.headers == first.headers
    await service.client.get("/search?query=b")
    assert service.calls == 2


@pytest.mark.parametrize("live", ["r2", None])
async def test_misses_the_cache_if_the_release_was_never_confirmed_as_live(live: str | None) -> None:
    service = await after_request("/search?query=a", live=live)
    await service.client.get("/search?query=a")
    assert service.calls == 2


async def test_a_response_is_stale_at_once_if_opensearch_does_not_confirm_its_release() -> None:
    """Another attempt would take the time of a second deadline."""
    service = await after_request("/search?query=a", live="r1")
    await service.client.get("/search?query=a")
    service.live = None
    response = await service.client.get("/search?query=a")
    assert (response.headers["cache-status"], service.calls) == ("akg; hit; fwd=stale", 1)
    service.now += 60.0  # too old
    assert (await service.client.get("/search?query=a")).headers.get("cache-status") is None
    assert service.calls == 2


async def test_the_age_of_a_stale_response_begins_when_its_release_was_last_confirmed() -> None:
    service = await after_request("/search?query=a", live="r1")
    await service.client.get("/search?query=b")
    service.now += 1_000.0
    await service.client.get("/search?query=b")
    service.live, service.error = None, AWAY
    service.now += 30.0
    for name in ("a", "b"):
        stale = await service.client.get(f"/search?query={name}")
        assert (stale.status_code, stale.headers["age"]) == (200, "30")
        assert stale.json()["provenance"]["stale_seconds"] == 30


async def test_a_response_of_an_earlier_release_has_the_age_at_which_it_was_stored() -> None:
    service = await after_request("/search?query=a", live="r2")
    service.error, service.now = AWAY, service.now + 30.0
    assert (await service.client.get("/search?query=a")).headers["age"] == "30"
    service.now += 30.0
    assert (await service.client.get("/search?query=a")).status_code == 503


@pytest.mark.parametrize(("if_none_match", "status"), [('"r1-1"', 304), ('W/"r1-1"', 304), ('"r0-1"', 200)])
async def test_a_cache_hit_can_be_a_304(if_none_match: str, status: int) -> None:
    service = await after_request("/graph", live="r1")
    response = await service.client.get("/graph", headers={"If-None-Match": if_none_match})
    assert (service.calls, response.status_code, response.headers["etag"]) == (1, status, '"r1-1"')
    assert response.headers["cache-control"] == "public, max-age=300"
    assert bool(response.content) == (status == 200)


async def test_a_cache_hit_for_head_has_no_body() -> None:
    service = await after_request("/graph", live="r1")
    get, head = await service.client.get("/graph"), await service.client.head("/graph")
    assert (service.calls, head.content) == (1, b"")
    assert head.headers["content-length"] == get.headers["content-length"]


async def test_drops_the_least_recently_used_first() -> None:
    service = Service(max_bytes=2 * MAX_BODY_BYTES)
    service.live = "r1"
    for name in (b"a", b"b"):
        service.cache.store(name, b"x" * MAX_BODY_BYTES, HEADERS)
    assert service.cache.fresh(b"a", "r1")
    service.cache.store(b"c", b"x" * MAX_BODY_BYTES, HEADERS)
    assert [bool(service.cache.fresh(name, "r1")) for name in (b"a", b"b", b"c")] == [True, False, True]


async def test_memory_is_limited_and_the_oldest_entries_are_dropped() -> None:
    service = Service()
    body = b"x" * MAX_BODY_BYTES
    for number in range(MAX_BYTES // MAX_BODY_BYTES + 10):
        service.cache.store(number.to_bytes(4, "big"), body, HEADERS)
        assert service.cache.size <= MAX_BYTES
    assert service.cache.stale((0).to_bytes(4, "big")) is None
    service.cache.store(b"huge", body + b"x", HEADERS)
    assert service.cache.stale(b"huge") is None


async def test_replacing_an_entry_takes_no_more_memory() -> None:
    service = Service()
    for _ in range(3):
        await service.client.get("/graph")
    once = service.cache.size
    await service.client.get("/graph")
    assert service.cache.size == once > 0


@pytest.mark.parametrize(("seconds", "age"), [(20, "less than a minute"), (60, "1 minute"), (150, "2 minutes")])
async def test_a_stale_page_says_that_it_is(seconds: int, age: str) -> None:
    service, now = Service(600.0), 100.0
    page = b"<html><!--stale--><main></main></html>"
    page_headers = [*HEADERS[:1], (b"content-type", b"text/html; charset=utf-8"), (b"vary", b"Accept")]
    service.cache.store(b"page", page, page_headers)
    service.now, service.live = now + seconds, "r1"
    assert service.cache.fresh(b"page", "r1") is None
    stale = service.cache.stale(b"page")
    assert stale is not None
    assert f"This page is {age} old." in bytes(stale.body).decode()
    assert bytes(stale.body).endswith(b"<main></main></html>")
    assert (stale.headers["content-type"], stale.headers["vary"]) == ("text/html; charset=utf-8", "Accept")
    assert (stale.headers["cache-control"], "etag" in stale.headers) == ("no-store", False)


async def test_counts_hits_misses_and_entries() -> None:
    service = Service()
    for path in ("/graph", "/healthz", "/graph", "/export/entities.csv"):
        await service.client.get(path)
        service.live = "r1"
    counters = [service.cache.hits, service.cache.misses]
    counts = [samples_of(counters, f"akg_response_cache_{name}_total")[()] for name in ("hits", "misses")]
    assert (counts, service.cache.length) == ([1, 1], 1)  # probes and exports are not looked up
