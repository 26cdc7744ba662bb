"""Answers that stand in while the engine is away: which, how long, and how they are marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import orjson
import pytest
from starlette.responses import Response

from api.boundary import Boundary
from api.envelope import Envelope
from api.errors import DeadlineError, EngineAwayError, NotFoundError, OverloadedError, ServiceError
from api.settings import Settings
from api.stale import LARGEST, MOST_BYTES, Stale

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

ENVELOPE = Envelope(Settings())


def to_response(error: ServiceError) -> Response:
    return ENVELOPE.error(error, None)


class Service:
    """Answers with the question it was asked, until it is told to fail."""

    def __init__(self, seconds: float = 60.0) -> None:
        self.now = 100.0
        self.error: ServiceError | None = None
        self.raises = False
        self.headers = {"Cache-Control": "public, max-age=300", "ETag": '"1"'}
        self.padding = ""
        self.stale = Stale(self.app, seconds, lambda: self.now)
        transport = httpx.ASGITransport(app=Boundary(self.stale, to_response, 1000))
        self.client = httpx.AsyncClient(transport=transport, base_url="http://test")

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What the real routes do, in short."""
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


async def test_it_can_be_switched_off() -> None:
    service = Service(seconds=0)
    await service.client.get("/graph")
    service.error = AWAY
    assert (await service.client.get("/graph")).status_code == 503
    assert service.stale.size == 0


async def test_memory_is_bounded_and_the_oldest_go_first() -> None:
    service = Service()
    body = b"x" * LARGEST
    for number in range(MOST_BYTES // LARGEST + 10):
        service.stale.keep(number.to_bytes(4, "big"), body, "application/json")
        assert service.stale.size <= MOST_BYTES
    assert service.stale.find((0).to_bytes(4, "big")) is None
    service.stale.keep(b"huge", body + b"x", "application/json")
    assert service.stale.find(b"huge") is None


async def test_the_same_answer_again_takes_no_more_room() -> None:
    service = Service()
    for _ in range(3):
        await service.client.get("/graph")
    once = service.stale.size
    await service.client.get("/graph")
    assert service.stale.size == once > 0


async def test_files_are_no_answers_to_keep() -> None:
    service = Service()
    await service.client.get("/export/datapackage.json")
    service.error = AWAY
    assert (await service.client.get("/export/datapackage.json")).status_code == 503
