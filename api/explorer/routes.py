"""All addresses of the pages. Each asks `answers` as the JSON route of the same question does, and draws the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import RedirectResponse, Response

from api.explorer import looking, telling
from api.explorer.asking import asking
from api.explorer.files import served
from api.gate import STATIC

if TYPE_CHECKING:
    from api.explorer.rendering import Renderer
    from api.routes import Door

NamePath = Annotated[str, Path(description="The name of a file.")]


def explorer(door: Door, renderer: Renderer) -> tuple[APIRouter, APIRouter]:
    """The first page, which is a call of the API too, and all others. Fixed paths stand before `/explore/{type}`."""
    first, router = APIRouter(), APIRouter(include_in_schema=False)
    telling.home(first, door, renderer)
    _files(router)
    telling.for_models(router, door, renderer)
    telling.about(router, door, renderer)
    looking.searching(router, door, renderer)
    asking(router, door, renderer)
    looking.browsing(router, door, renderer)
    return first, router


def _files(router: APIRouter) -> None:
    @router.get(f"{STATIC}{{name}}")
    async def static(request: Request, name: NamePath) -> Response:
        """Send one file of the pages."""
        return served(name, request)

    @router.get("/explore")
    async def explore() -> Response:
        """Send people who left off the rest to the first page."""
        return RedirectResponse("/", 308)

    @router.get("/docs")
    async def docs() -> Response:
        """Send people to the reference from where other services have theirs."""
        return RedirectResponse("/explore/reference", 308)
