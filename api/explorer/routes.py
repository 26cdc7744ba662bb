"""The routes of the explorer: home, release, usage and reference pages, static files, and those of the other modules.

Each page calls the service as the JSON route with the same data does.
"""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from api import about, models
from api.context import AppContext, IdPath
from api.errors import NotFoundError
from api.explorer.browse_pages import add_browse_pages
from api.explorer.form_pages import add_form_pages
from api.explorer.renderer import Page, Renderer
from api.explorer.static_files import send_static_file
from api.explorer.view_models import ApiCall, usage_chart
from api.http import envelope
from api.http.request_headers import prefers_html
from api.http.routing import EntityRoute
from api.limits.rate_limit import DOCUMENTATION_PREFIX, STATIC_PREFIX
from api.parameters import Days
from api.rest.openapi import build_index, render_llms_txt, route_options
from api.telemetry.usage_report import SUPPRESSED_BELOW

TEXT = "text/plain; charset=utf-8"
ICON = "mark.svg"
ROBOTS_TXT = f"""\
# {about.SCRAPING_POLICY}
# Files of the whole graph: {{base_url}}/export
# Every call of the API: {{base_url}}/openapi.json
# Sources and their terms: {{base_url}}/export/attributions.txt
# {about.NOTICE}

User-agent: *
Disallow: /explore/
"""
GRAPH = ApiCall("/graph", tool="describe_graph")

FileName = Annotated[str, Path(description="The name of a file.")]


def _respond(context: AppContext, request: Request, content: bytes, media_type: str) -> Response:
    return context.envelope.respond_content(content, media_type, request.headers.get("if-none-match"))


def explorer_routers(context: AppContext, renderer: Renderer) -> tuple[APIRouter, APIRouter]:
    """Return the router of `/`, which is part of the API, and that of all other pages."""
    index_router, router = APIRouter(), APIRouter(include_in_schema=False, route_class=EntityRoute)
    _add_home(index_router, context, renderer)
    _add_files(router, context, renderer)
    _add_about_pages(router, context, renderer)
    _add_guides(router, context, renderer)
    _add_documentation(router, renderer)
    add_form_pages(router, context, renderer)
    add_browse_pages(router, context, renderer)
    return index_router, router


def _add_home(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/", **route_options("index", models.ApiIndex))
    async def home(request: Request) -> Response:
        """List the calls of this API, each with an example. Clients that prefer HTML get the explorer."""
        if not prefers_html(request.headers.get("accept", "")):
            body = context.envelope.wrap_body(build_index(request.app.openapi()), context.engine.release)
            response = _respond(context, request, envelope.dumps(body), envelope.JSON)
            response.headers["Vary"] = "Accept"
            return response
        graph = renderer.body(await context.service.graph())
        counts = {entity_type["name"]: entity_type["total"] for entity_type in graph["types"]}
        calls = (ApiCall("/", link="/graph"), GRAPH)
        data = {"counts": counts, "totals": graph["totals"]}
        return renderer.send(Page("home.html", about.SERVICE_NAME, [graph], calls, data=data), request)


def _add_about_pages(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/explore/release")
    async def release(request: Request) -> Response:
        """Show what the live release contains, its changes, its files and its sources."""
        result = await context.service.graph()
        graph = renderer.body(result)
        changes = renderer.body(await context.service.changes())
        bodies, calls = [graph, changes], [GRAPH, ApiCall("/graph/changes")]
        try:
            files = renderer.body(await context.service.export())
            bodies.append(files)
            calls.append(ApiCall("/export"))
        except NotFoundError:  # the release was built without files
            files = None
        sources = context.envelope.wrap_body({}, result.release, result.release.sources)["provenance"]["sources"]
        data = {"graph": graph, "changes": changes, "files": files, "all_sources": sources}
        return renderer.send(Page("release.html", "Release", bodies, calls, (("Release", ""),), data), request)

    @router.get("/explore/usage")
    async def usage(request: Request, days: Annotated[Days, Query()] = 30) -> Response:
        """Show the number of requests per day."""
        totals = await context.usage_report.days(days)
        body = context.envelope.wrap_body(
            {"days": totals, "suppressed_below": SUPPRESSED_BELOW}, context.engine.release
        )
        chart = usage_chart(totals, days, totals[0]["date"]) if totals else None
        calls = (ApiCall("/usage", (("days", str(days)),)),)
        data = {"response": body, "chart": chart, "days": days}
        return renderer.send(Page("usage.html", "Usage", [body], calls, (("Usage", ""),), data), request)

    @router.get("/explore/reference")
    async def reference(request: Request) -> Response:
        """Show every call of the API, with forms to try them."""
        body = context.envelope.wrap_body(build_index(request.app.openapi()), context.engine.release)
        title, calls = "API reference", (ApiCall("/openapi.json"),)
        return renderer.send(Page("reference.html", title, [body], calls, ((title, ""),), {"index": body}), request)


def _add_guides(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/explore/guides")
    async def guides(request: Request) -> Response:
        """List the guides to process words."""
        body = renderer.body(await context.service.guides())
        calls = (ApiCall("/guides"),)
        return renderer.send(
            Page("guides.html", "Guides", [body], calls, (("Guides", ""),), {"response": body}), request
        )

    @router.get("/explore/guides/{id}")
    async def guide(request: Request, id_: IdPath) -> Response:
        """Show a guide with its links, and the entities that it is about."""
        body = renderer.body(await context.service.guide(id_))
        by_type: dict[str, list[str]] = {}
        for entity in body["entities"]:
            by_type.setdefault(entity.partition(":")[0], []).append(entity)
        cards = [
            card
            for type_, ids in by_type.items()
            for card in renderer.body(await context.service.batch(type_, ids))["results"]
        ]
        calls = (ApiCall(f"/guides/{body['id']}"),)
        breadcrumbs = (("Guides", "/explore/guides"), (body["title"], ""))
        data = {"response": body, "entities": cards}
        return renderer.send(Page("guide.html", body["title"], [body], calls, breadcrumbs, data), request)


def _add_files(router: APIRouter, context: AppContext, renderer: Renderer) -> None:
    @router.get("/llms.txt")
    async def llms_txt(request: Request) -> Response:
        """Describe the service and its calls to language models."""
        body = context.envelope.wrap_body(build_index(request.app.openapi()), context.engine.release)
        text = render_llms_txt(body, renderer.public_url)
        return _respond(context, request, text.encode(), TEXT)

    @router.get("/robots.txt")
    async def robots_txt(request: Request) -> Response:
        """Tell crawlers what to read instead of the pages."""
        text = ROBOTS_TXT.format(base_url=renderer.public_url)
        return _respond(context, request, text.encode(), TEXT)

    @router.get("/favicon.ico")
    async def favicon(request: Request) -> Response:
        """Return the icon of the pages."""
        return send_static_file(ICON, request)

    @router.get(f"{STATIC_PREFIX}{{name}}")
    async def static(request: Request, name: FileName) -> Response:
        """Return a static file."""
        return send_static_file(name, request)

    @router.get("/explore")
    async def explore() -> Response:
        """Redirect to the home page."""
        return RedirectResponse("/", 308)


def _add_documentation(router: APIRouter, renderer: Renderer) -> None:
    @router.get("/docs")
    async def docs(request: Request) -> Response:
        """Return the first page of the documentation; redirect to it, or to the API reference where it is not built."""
        if not renderer.documentation:
            # A browser must not keep this redirect: the site may be built later.
            return RedirectResponse("/explore/reference", 307)
        if not request.scope["raw_path"].endswith(b"/"):
            return RedirectResponse(DOCUMENTATION_PREFIX, 308)
        return renderer.documentation.send("", request)

    @router.get(f"{DOCUMENTATION_PREFIX}{{path:path}}")
    async def documentation_file(request: Request, path: FileName) -> Response:
        """Return a file of the documentation."""
        return renderer.documentation.send(path, request)
