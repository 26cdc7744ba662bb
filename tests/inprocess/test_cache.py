"""Answers given again while their release is live, and those that stand in while the engine is away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
from starlette.responses import Response

from api.boundary import Boundary
from api.cache import LARGEST, AnswerCache
from api.envelope import Envelope
from api.errors import DeadlineError, EngineAwayError, NotFoundError, OverloadedError, ServiceError
from api.settings import Settings

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

ENVELOPE = Envelope(Settings())
MOST_BYTES = 8_000_000


def to_response(error: ServiceError) -> Response:
    return ENVELOPE.error(error, None)


class Service:
    """Answers with the question it was asked, until it is told to fail."""

    def __init__(self, seconds: float = 60.0, most: int = MOST_BYTES) -> None:
        self.now = 100.0
        self.live: str | None = None
        self.calls = 0
        self.error: ServiceError | None = None
        self.raises = False
        self.headers = {"Cache-Control": "public, max-age=300", "ETag": '"r1-1"'}
        self.padding = ""
        self.cache = AnswerCache(self.app, most, lambda: self.live, seconds, lambda: self.now)
        transport = httpx.ASGITransport(app=Boundary(self.cache, to_response, 1000))
        self.client = httpx.AsyncClient(transport=transport, base_url="http://test")

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What the real routes do, in short."""
        self.calls += 1
        if self.error and self.raises:
            raise self.error
        answer = to_response(self.error) if self.error else self.answer(scope, (await receive())["body"])
        await answer(scope, receive, send)

    def answer(self, scope: Scope, body: bytes) -> Response:
        """A sealed 200."""
        told = {"asked": f"{scope['path']}?{scope['query_string'].decode()}{body.decode()}", "padding": self.padding}
        sealed = ENVELOPE.seal(told, None)
        return Response(orjson.dumps(sealed), media_type="application/json", headers=self.headers)


AWAY = EngineAwayError("away")
KEPT = [(b"etag", b'"r1-1"'), (b"content-type", b"application/json")]


async def test_the_same_question_gets_its_last_answer_marked_as_old() -> None:
    service = Service()
    fresh = await service.client.get("/search?query=a")
    assert "stale_seconds" not in fresh.json()["provenance"]
    service.error, service.now = AWAY, 130.9
    found = await service.client.get("/search?query=a")
    assert found.status_code == 200
    assert found.json()["provenance"].pop("stale_seconds") == 30
    assert found.json()["asked"] == fresh.json()["asked"]
    marked = {"age": "30", "cache-control": "no-store", "cache-status": "akg; hit; fwd=stale"}
    assert {name: found.headers[name] for name in marked} == marked
    assert "etag" not in found.headers


@pytest.mark.parametrize(
    ("error", "raises", "status"),
    [
        (EngineAwayError("away"), False, 200),
        (DeadlineError("slow"), False, 200),
        (OverloadedError("full"), True, 200),
        (NotFoundError("none", suggestions=[]), False, 404),
        (ServiceError("defect"), False, 500),
    ],
)
async def test_it_stands_in_for_what_is_the_engines_or_the_crowds_fault(
    *, error: ServiceError, raises: bool, status: int
) -> None:
    service = Service()
    await service.client.get("/graph")
    service.error, service.raises = error, raises
    assert (await service.client.get("/graph")).status_code == status
    assert (await service.client.get("/other")).status_code == error.status  # never asked before


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("GET", "/search?query=b", b""), ("GET", "/search", b""), ("GET", "/list?query=a", b""), ("POST", "/list", b"{}")],
)
async def test_another_question_is_another_answer(method: str, path: str, body: bytes) -> None:
    service = Service()
    await service.client.get("/search?query=a")
    service.error = AWAY
    as_json = {"Content-Type": "application/json"}
    assert (await service.client.request(method, path, content=body, headers=as_json)).status_code == 503


async def test_a_posted_question_is_known_by_its_body() -> None:
    service = Service()
    as_json: dict[str, Any] = {"headers": {"Content-Type": "application/json"}}
    await service.client.post("/recommend", content=b'{"disability": "a"}', **as_json)
    service.error = AWAY
    assert (await service.client.post("/recommend", content=b'{"disability": "a"}', **as_json)).status_code == 200
    assert (await service.client.post("/recommend", content=b'{"disability": "b"}', **as_json)).status_code == 503


async def test_head_gets_no_body() -> None:
    service = Service()
    await service.client.get("/graph")
    service.error = AWAY
    found = await service.client.head("/graph")
    assert (found.status_code, found.content, found.headers["age"]) == (200, b"", "0")


async def test_what_is_too_old_does_not_stand_in() -> None:
    service = Service(seconds=60)
    await service.client.get("/graph")
    service.error, service.now = AWAY, 160.1
    assert (await service.client.get("/graph")).status_code == 503


async def test_what_nobody_may_keep_is_not_kept() -> None:
    service = Service()
    service.headers = {"Cache-Control": "no-store"}
    await service.client.get("/healthz")
    service.error = AWAY
    assert (await service.client.get("/healthz")).status_code == 503


@pytest.mark.parametrize(("seconds", "most"), [(0, MOST_BYTES), (60, 0)])
async def test_it_can_be_switched_off(*, seconds: float, most: int) -> None:
    service = Service(seconds, most)
    await service.client.get("/graph")
    service.error = AWAY
    assert (await service.client.get("/graph")).status_code == 503
    assert bool(service.cache.size) == bool(most)


async def test_the_same_question_gets_the_same_answer_again_while_its_release_is_live() -> None:
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
async def test_what_another_release_gave_or_nobody_vouches_for_is_asked_again(live: str | None) -> None:
    service = Service()
    await service.client.get("/search?query=a")
    service.live = live
    await service.client.get("/search?query=a")
    assert service.calls == 2


@pytest.mark.parametrize(("given", "status"), [('"r1-1"', 304), ('W/"r1-1"', 304), ('"r0-1"', 200)])
async def test_who_has_the_answer_gets_a_304_from_memory(given: str, status: int) -> None:
    service = Service()
    await service.client.get("/graph")
    service.live = "r1"
    found = await service.client.get("/graph", headers={"If-None-Match": given})
    assert (service.calls, found.status_code, found.headers["etag"]) == (1, status, '"r1-1"')
    assert found.headers["cache-control"] == "public, max-age=300"
    assert bool(found.content) == (status == 200)


async def test_a_head_from_memory_has_the_headers_alone() -> None:
    service = Service()
    whole = await service.client.get("/graph")
    service.live = "r1"
    found = await service.client.head("/graph")
    assert (service.calls, found.content) == (1, b"")
    assert found.headers["content-length"] == whole.headers["content-length"]


async def test_what_is_asked_again_stays_longest() -> None:
    service = Service(most=2 * LARGEST)
    service.live = "r1"
    for name in (b"a", b"b"):
        service.cache.keep(name, b"x" * LARGEST, KEPT)
    assert service.cache.fresh(b"a")
    service.cache.keep(b"c", b"x" * LARGEST, KEPT)
    assert [bool(service.cache.fresh(name)) for name in (b"a", b"b", b"c")] == [True, False, True]


async def test_memory_is_bounded_and_the_oldest_go_first() -> None:
    service = Service()
    body = b"x" * LARGEST
    for number in range(MOST_BYTES // LARGEST + 10):
        service.cache.keep(number.to_bytes(4, "big"), body, KEPT)
        assert service.cache.size <= MOST_BYTES
    assert service.cache.stale((0).to_bytes(4, "big")) is None
    service.cache.keep(b"huge", body + b"x", KEPT)
    assert service.cache.stale(b"huge") is None


async def test_the_same_answer_again_takes_no_more_room() -> None:
    service = Service()
    for _ in range(3):
        await service.client.get("/graph")
    once = service.cache.size
    await service.client.get("/graph")
    assert service.cache.size == once > 0


async def test_files_are_no_answers_to_keep() -> None:
    service = Service()
    await service.client.get("/export/datapackage.json")
    service.error = AWAY
    assert (await service.client.get("/export/datapackage.json")).status_code == 503
