"""Pages that tell of the service itself: the first page, the release, usage, the reference of the API, `llms.txt`."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from api import envelope, models, results
from api.errors import NotFoundError
from api.examples import described
from api.explorer.calls import Call
from api.explorer.charts import usage_chart
from api.explorer.indexing import index, llms
from api.explorer.looking import sealed
from api.explorer.preference import wants_page
from api.explorer.rendering import Page
from api.usage_totals import MOST_DAYS, SMALLEST

if TYPE_CHECKING:
    from fastapi import APIRouter

    from api.explorer.rendering import Renderer
    from api.routes import Door

Body = dict[str, Any]
GRAPH = Call("/graph", tool="describe_graph")
CHANGES = Call("/graph/changes")
Days = Annotated[int, Query(ge=1, le=MOST_DAYS)]


def home(router: APIRouter, door: Door, renderer: Renderer) -> None:
    """The first page, and what programs get in its place."""

    @router.get("/", **described("index", models.Index))
    async def first(request: Request) -> Response:
        """Say what can be asked here, with an example of each call. Whoever asks for HTML gets the explorer."""
        if not wants_page(request.headers.get("accept", "")):
            body = door.envelope.seal(index(request.app.openapi()), door.engine.release)
            tag = f'"{hashlib.blake2b(envelope.dumps(body), digest_size=16).hexdigest()}"'
            answer = door.envelope.answer(body, tag, request.headers.get("if-none-match"))
            answer.headers["Vary"] = "Accept"
            return answer
        graph = sealed(door, await door.answers.graph())
        counts = {one["name"]: one["total"] for one in graph["types"]}
        calls = (Call("/", link="/graph"), GRAPH)
        page = Page("home.html", results.SERVICE, [graph], calls, (), {"counts": counts, "totals": graph["totals"]})
        return renderer.send(page, request)


def for_models(router: APIRouter, door: Door, renderer: Renderer) -> None:
    """What language models read first."""

    @router.get("/llms.txt")
    async def llms_txt(request: Request) -> Response:
        """Tell language models what there is and how to ask for it."""
        text = llms(index(request.app.openapi()), renderer.base(request), door.envelope.notice)
        headers = {"Cache-Control": door.envelope.cache}
        return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


def about(router: APIRouter, door: Door, renderer: Renderer) -> None:
    """The release, usage, and the reference."""

    @router.get("/explore/release")
    async def release(request: Request) -> Response:
        """Tell what the live release holds, what is new, where it comes from, and in which files it can be had."""
        reply = await door.answers.graph()
        graph = sealed(door, reply)
        changes = sealed(door, await door.answers.changes())
        bodies, calls = [graph, changes], [GRAPH, CHANGES]
        try:
            files = sealed(door, await door.answers.export())
            bodies.append(files)
            calls.append(Call("/export"))
        except NotFoundError:  # a release that was built before there were files
            files = None
        everything = door.envelope.seal({}, reply.release, reply.release.sources)
        shown = {"graph": graph, "changes": changes, "files": files}
        shown["all_sources"] = everything["provenance"]["sources"]
        crumbs = (("This release", ""),)
        return renderer.send(Page("release.html", "This release", bodies, calls, crumbs, shown), request)

    @router.get("/explore/usage")
    async def usage(request: Request, days: Days = 30) -> Response:
        """Show how much the service is used."""
        told = await door.totals.days(days)
        body = door.envelope.seal({"days": told, "smallest": SMALLEST}, door.engine.release)
        chart = usage_chart(told, days, told[0]["date"]) if told else None
        calls = (Call("/usage", (("days", str(days)),)),)
        shown = {"answer": body, "chart": chart, "days": days}
        return renderer.send(Page("usage.html", "Usage", [body], calls, (("Usage", ""),), shown), request)

    @router.get("/explore/reference")
    async def reference(request: Request) -> Response:
        """Describe every call, to be read and tried."""
        body = door.envelope.seal(index(request.app.openapi()), door.engine.release)
        crumbs = (("API reference", ""),)
        calls = (Call("/openapi.json"),)
        return renderer.send(Page("reference.html", "API reference", [body], calls, crumbs, {"index": body}), request)
