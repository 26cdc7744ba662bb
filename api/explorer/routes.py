"""The routes of the explorer. Each page calls the service as the JSON route with the same data does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import RedirectResponse, Response

from api.explorer.about_pages import add_about_pages, add_home, add_llms_txt
from api.explorer.browse_pages import add_browse_pages, add_search_page
from api.explorer.form_pages import add_form_pages
from api.explorer.static_files import send_static_file
from api.limits.rate_limit import STATIC_PREFIX

if TYPE_CHECKING:
    from api.context import AppContext
    from api.explorer.renderer import Renderer

FileName = Annotated[str, Path(description="The name of a file.")]


def explorer_routers(context: AppContext, renderer: Renderer) -> tuple[APIRouter, APIRouter]:
    """Return the router of `/`, which is part of the API, and that of all other pages.

    Fixed paths come before `/explore/{type}`, which matches them too.
    """
    index_router, router = APIRouter(), APIRouter(include_in_schema=False)
    add_home(index_router, context, renderer)
    _add_static_files(router)
    add_llms_txt(router, context, renderer)
    add_about_pages(router, context, renderer)
    add_search_page(router, context, renderer)
    add_form_pages(router, context, renderer)
    add_browse_pages(router, context, renderer)
    return index_router, router


def _add_static_files(router: APIRouter) -> None:
    @router.get(f"{STATIC_PREFIX}{{name}}")
    async def static(request: Request, name: FileName) -> Response:
        """Return a static file."""
        return send_static_file(name, request)

    @router.get("/explore")
    async def explore() -> Response:
        """Redirect to the home page."""
        return RedirectResponse("/", 308)

    @router.get("/docs")
    async def docs() -> Response:
        """Redirect from FastAPI's usual path to the API reference."""
        return RedirectResponse("/explore/reference", 308)
