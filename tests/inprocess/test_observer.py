"""What the outermost layer counts, for every way in which a request can end."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import TYPE_CHECKING

import httpx
import pytest
from starlette.responses import Response

from api.boundary import Boundary
from api.envelope import Envelope
from api.errors import BadRequestError, ServiceError
from api.observation import current
from api.observer import Observer
from api.settings import Settings
from api.usage import Cell, Usage
from api.words import words

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

ENVELOPE = Envelope(Settings())
TYPED = "what-a-person-typed"


def to_response(error: ServiceError) -> Response:
    return ENVELOPE.error(error, None)


HEADERS = {
    "stale": {"Cache-Status": "akg; hit; fwd=stale"},
    "hit": {"Cache-Status": "akg; hit", "ETag": '"1"'},
    "found": {"ETag": '"1"'},
}


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer by the first part of the path, as the router would."""
    kind = scope["path"].split("/")[1]
    if kind == "found":
        scope["route"] = SimpleNamespace(path="/{type}/{id}")
    if kind == "broken":
        raise RuntimeError(TYPED)
    words(TYPED)
    current().answered({"results": [1, 2, 3], "did_you_mean": [1]} if kind == "found" else {})
    headers = HEADERS.get(kind, {})
    await Response(status_code={"same": 304, "away": 503}.get(kind, 200), headers=headers)(scope, receive, send)


def observer() -> Observer:
    ticks = iter(range(1000))
    usage = Usage(["/{type}/{id}", "/suggest"])
    return Observer(Boundary(app, to_response, 1000), usage, to_response, lambda: next(ticks) / 50, dict)


CELL = Cell(
    "rest", "unrouted", "2xx", "<25ms", "none", did_you_mean=False, synonyms="none", cache="none", limited=False
)


@pytest.mark.parametrize(
    ("method", "path", "cell"),
    [
        (
            "GET",
            f"/found/{TYPED}",
            CELL._replace(route="/{type}/{id}", results="2-10", did_you_mean=True, cache="fresh"),
        ),
        ("GET", f"/{TYPED}", CELL),
        ("GET", "/same", CELL._replace(status="3xx", cache="revalidated")),
        ("GET", "/stale", CELL._replace(cache="stale")),
        ("GET", "/hit", CELL._replace(cache="hit")),
        ("GET", "/away", CELL._replace(status="5xx")),
        ("GET", "/broken", CELL._replace(status="5xx")),
        ("GET", "/suggest", CELL._replace(route="/suggest")),  # known before it is routed, if at all
        ("GET", "/search", CELL),  # a route that this application does not have
        ("POST", "/mcp", CELL._replace(door="mcp", route="/mcp")),
        ("OPTIONS", f"/{TYPED}", CELL._replace(route="options")),
    ],
)
async def test_each_request_is_counted_once_by_fixed_words(method: str, path: str, cell: Cell) -> None:
    service = observer()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=service), base_url="http://test") as client:
        await client.request(method, path)
    assert service.usage.take() == {cell: 1}


@pytest.mark.parametrize("path", ["/found/1", "/broken", "/away"])
async def test_what_was_worked_out_of_words_is_forgotten_with_the_answer(path: str) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(observer()), base_url="http://test") as client:
        await client.get(path)
    assert not words.cache_info().currsize


def test_what_never_was_a_request_is_counted_too() -> None:
    service = observer()
    assert service.refuse(BadRequestError("no")).status_code == 400
    assert service.usage.take() == {CELL._replace(status="4xx", latency="<5ms"): 1}


async def test_the_log_has_a_line_for_failures_and_for_the_rest_only_when_asked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    service = observer()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=service), base_url="http://test") as client:
        for level, told in ((logging.INFO, [503]), (logging.DEBUG, [200, 503])):
            with caplog.at_level(level, "akg.requests"):
                await client.get(f"/found/{TYPED}")
                await client.get("/away")
            lines = [record for record in caplog.records if record.name == "akg.requests"]
            assert [vars(record)["fields"]["status"] for record in lines] == told
            assert vars(lines[0])["fields"].keys() == {"door", "route", "status", "ms"}
            caplog.clear()
    assert TYPED not in caplog.text
