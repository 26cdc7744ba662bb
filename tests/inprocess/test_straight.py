"""The short way to a route: the same arguments as FastAPI would give it, or FastAPI itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fastapi import APIRouter, FastAPI, Request
from starlette.responses import JSONResponse, Response

from api import routes as own  # noqa: TC001 - FastAPI reads it when it runs
from api.envelope import Envelope
from api.errors import NotFoundError, ServiceError
from api.settings import Settings
from api.straight import Straight

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

ENVELOPE = Envelope(Settings())


def to_response(error: ServiceError) -> Response:
    return ENVELOPE.error(error, None)


def told(request: Request, **arguments: Any) -> Response:  # noqa: ANN401 - whatever a route takes
    """What a route got."""
    place = {"route": request.scope["route"].path, "path": request.scope["path_params"]}
    return JSONResponse({**place, "url": str(request.url), "arguments": arguments})


def routes() -> tuple[APIRouter, APIRouter]:
    """Pages, which FastAPI calls, and the rest."""
    pages, rest = APIRouter(), APIRouter()

    @pages.get("/page/{id}")
    async def page(request: Request, id_: own.IdPath) -> Response:
        return told(request, id=id_)

    @rest.get("/alive")
    async def alive() -> Response:
        return JSONResponse("alive")

    @rest.get("/search")
    async def search(request: Request, query: own.Text, scope: own.Scope = None, limit: own.Limit = 20) -> Response:
        return told(request, query=query, scope=scope, limit=limit)

    @rest.get("/between")
    async def between(request: Request, from_: own.From, spelling: own.Switch = "on") -> Response:
        return told(request, from_=from_, spelling=spelling)

    @rest.post("/told")
    async def by_post(request: Request) -> Response:
        return told(request)

    @rest.get("/{type}/{id}/neighbors")
    async def neighbors(
        request: Request, type_: own.TypePath, id_: own.IdPath, edge: own.EdgeQuery, offset: own.Offset = 0
    ) -> Response:
        return told(request, type=type_, id=id_, edge=edge, offset=offset)

    @rest.get("/{type}/{id}")
    async def entity(request: Request, type_: own.TypePath, id_: own.IdPath) -> Response:
        if id_ == "missing":
            raise NotFoundError("none", suggestions=[])
        return told(request, type=type_, id=id_)

    @rest.get("/{type}")
    async def entities(
        request: Request, type_: own.TypePath, ids: own.Ids = None, kind: own.KindQuery = None
    ) -> Response:
        return told(request, type=type_, ids=ids, kind=kind)

    return pages, rest


class Doors:
    """One application, asked through FastAPI alone and the short way; `passed` counts what that left to FastAPI."""

    def __init__(self) -> None:
        self.passed = 0
        self._app = FastAPI()
        before = list(self._app.routes)
        pages, rest = routes()
        for router in (pages, rest):
            self._app.include_router(router)

        async def refused(_: Request, error: Exception) -> Response:
            assert isinstance(error, ServiceError)
            return to_response(error)

        self._app.add_exception_handler(ServiceError, refused)
        self._straight = Straight(self._count, [*before, *pages.routes, *rest.routes], rest.routes, to_response)

    async def _count(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.passed += 1
        await self._app(scope, receive, send)

    async def both(self, method: str, path: str) -> list[tuple[int, dict[str, str], bytes]]:
        """Status, headers and body of FastAPI's answer, and of the one that came the short way."""
        return [await self._ask(app, method, path) for app in (self._app, self._straight)]

    async def _ask(self, app: ASGIApp, method: str, path: str) -> tuple[int, dict[str, str], bytes]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
            found = await client.request(method, path)
            return found.status_code, dict(found.headers), found.content


@pytest.mark.parametrize(
    ("path", "straight"),
    [
        ("/alive", True),
        ("/search?query=a", True),
        ("/search?query=a+b%20c%26&limit=3&more=1", True),
        ("/search?query=a&query=b", True),  # the last one counts
        ("/search?query=%F0%9F%91%8B%FF", True),
        ("/search?limit=3", False),
        ("/search?query=", False),
        ("/search?query=a&limit=0", False),
        ("/search?query=a&limit=three", False),
        ("/search?query=a&limit=%203", True),
        ("/search?query=a&limit=3.0", True),
        ("/search?query=a&limit=", False),
        ("/search?query=a&scope=product", False),
        ("/search?query=a&scope=product&scope=vendor", False),
        ("/search?query=a&scope=none", False),
        ("/between?from=a&spelling=off", True),
        ("/between?from_=a", False),
        ("/between?from=a&spelling=maybe", False),
        ("/disability", True),
        ("/disability?kind=main", True),
        ("/disability?kind=none", False),
        ("/disability?ids=a,b", False),
        ("/disability/adhd", True),
        ("/disability/a%2Fb%20c", False),
        ("/alive/adhd", True),
        ("/disability/missing", True),
        ("/disability/adhd/neighbors?edge=recommends&offset=2", True),
        ("/disability/adhd/neighbors", False),
        ("/page/a", False),  # a page
        ("/page", True),  # none
        ("/told", True),
        ("/a/b/c/d", False),
        ("/", False),
        ("//", False),
        ("/openapi.json", False),
    ],
)
async def test_it_gives_what_fastapi_would(path: str, *, straight: bool) -> None:
    doors = Doors()
    by_fastapi, short = await doors.both("GET", path)
    assert short == by_fastapi
    assert doors.passed == (not straight)


@pytest.mark.parametrize(("method", "path"), [("POST", "/told"), ("POST", "/alive"), ("DELETE", "/disability/adhd")])
async def test_other_methods_are_fastapis(method: str, path: str) -> None:
    doors = Doors()
    by_fastapi, short = await doors.both(method, path)
    assert (short, doors.passed) == (by_fastapi, 1)
