"""The REST routes, except those of export files: each calls the service and wraps its result."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from api import models
from api.context import AppContext, IdPath, TypePath, link_parameters, unknown_parameters
from api.errors import EngineUnavailableError
from api.graph import query_bodies
from api.graph.connections import ConnectionsRequest
from api.graph.edge_filters import EdgeFilters
from api.graph.linked_lists import ListPage
from api.graph.neighbors import NeighborsRequest
from api.graph.resolve import EntityReference
from api.http import envelope
from api.http.routing import EntityRoute
from api.parameters import (
    ConnectionParameters,
    GuideParameters,
    ListParameters,
    NeighborParameters,
    RelatedParameters,
    SearchParameters,
    SuggestParameters,
    UsageParameters,
    names_of,
)
from api.recommend.seeds import RecommendQuery
from api.rest.export import add_export_routes
from api.rest.openapi import route_options
from api.result import unused_parameter_warning, unused_without_warning
from api.search.query import ParsedQuery, SearchRequest
from api.telemetry.usage_report import SUPPRESSED_BELOW

PAGING = ("limit", "offset")
LINK_NAMES = ("linked_to", "edge", "inherited")
USAGE_SECONDS = 60  # that clients may keep a response of /usage


def add_health_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/healthz` and `/readyz`."""

    @router.get("/healthz", **route_options("healthz", models.Health))
    async def healthz() -> Response:
        """Report that the process is alive, and whether it reaches the search engine. Always 200."""
        state = "up" if await context.health.engine_is_up() else "down"
        release = context.engine.release
        body = {"status": "ok", "engine": state, "data_version": release.data_version if release else None}
        return _uncached(context.envelope.wrap_body(body, release))

    @router.get("/readyz", **route_options("readyz", models.Health))
    async def readyz(request: Request) -> Response:
        """Return 200 if a real query on the live release works, or if stale responses can be sent while it does not.

        Return 503 otherwise, and while the process shuts down.
        """
        if request.scope.get("state", {}).get("draining"):
            raise EngineUnavailableError("This process is shutting down and accepts no more requests.")
        release, is_degraded = await context.health.ready()
        status, state = ("degraded", "down") if is_degraded else ("ready", "up")
        body = {"status": status, "engine": state, "data_version": release.data_version}
        return _uncached(context.envelope.wrap_body(body, release))


def _uncached(body: dict[str, Any]) -> Response:
    return Response(envelope.dumps(body), media_type=envelope.JSON, headers={"Cache-Control": "no-store"})


def add_search_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/search` and `/suggest`."""

    @router.get("/search", **route_options("search", models.SearchPage))
    async def search(request: Request, parameters: Annotated[SearchParameters, Query()]) -> Response:
        """Search names, aliases and summaries of all types; each hit says why it matches."""
        names = names_of(SearchParameters)
        search_request = SearchRequest(
            ParsedQuery.parse(parameters.query),
            tuple(parameters.scope or ()),
            parameters.limit,
            parameters.offset,
            synonyms=parameters.synonyms == "on",
            spelling=parameters.spelling == "on",
            setting=parameters.setting,
            loose=parameters.matching == "loose",
        )
        result = await context.service.search(
            search_request, link_parameters(request, names, {"scope": parameters.scope})
        )
        return context.respond(request, result, names)

    @router.get("/suggest", **route_options("suggest", models.SuggestPage))
    async def suggest(request: Request, parameters: Annotated[SuggestParameters, Query()]) -> Response:
        """Complete a query while it is typed: the last word is a prefix, and the words before it may have a typo."""
        query = ParsedQuery.parse(parameters.query)
        result = await context.service.suggest(query, tuple(parameters.scope or ()), parameters.limit)
        return context.respond(request, result, names_of(SuggestParameters))


def add_recommend_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/recommend` and `/related_conditions/{id}`."""

    @router.post("/recommend", **route_options("recommend", models.RecommendPage))
    async def recommend(request: Request, query: models.RecommendRequest) -> Response:
        """Rank solutions for a condition, a limitation, a work-related function, or several of them together."""
        result = await context.service.recommend(RecommendQuery.parse(query))
        unknown = query.model_extra or {}  # their values have no effect, and may be text that cannot be encoded
        parts = [query.model_dump_json(exclude=set(unknown)), *unknown]
        return context.respond(request, result, etag_parts=parts)

    @router.get("/related_conditions/{id}", **route_options("related_conditions", models.RelatedPage))
    async def related_conditions(
        request: Request, id_: IdPath, parameters: Annotated[RelatedParameters, Query()]
    ) -> Response:
        """List the conditions with the most similar limitations, and the shared ones, most specific first."""
        result = await context.service.related(EntityReference.parse(id_, "disability"), parameters.limit)
        return context.respond(request, result, names_of(RelatedParameters))


def add_guide_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/guides` and `/guides/{id}`."""

    @router.get("/guides", **route_options("guides", models.GuidePage))
    async def guides(request: Request, parameters: Annotated[GuideParameters, Query()]) -> Response:
        """List the guides to process words, such as 504 plan or reasonable accommodation, by title."""
        params = link_parameters(request, PAGING)
        result = await context.service.guides(parameters.limit, parameters.offset, params)
        return context.respond(request, result, names_of(GuideParameters))

    @router.get("/guides/{id}", **route_options("guide", models.GuideRecord))
    async def guide(request: Request, id_: IdPath) -> Response:
        """Return a guide: a few sentences, official pages, and the entities that it is about."""
        return context.respond(request, await context.service.guide(id_))


def add_graph_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/connections`, `/graph` and `/graph/changes`."""

    @router.get("/connections", **route_options("connections", models.ConnectionPage))
    async def connections(request: Request, parameters: Annotated[ConnectionParameters, Query()]) -> Response:
        """Explain how two entities are connected: paths of up to four edges, the most specific first."""
        query = ConnectionsRequest.parse(parameters.start, parameters.end, parameters.limit)
        return context.respond(request, await context.service.connections(query), names_of(ConnectionParameters))

    @router.get("/graph", **route_options("graph", models.GraphSummary))
    async def graph(request: Request) -> Response:
        """Describe the graph: its types and edges with counts, inverse names and an example call each."""
        return context.respond(request, await context.service.graph())

    @router.get("/graph/changes", **route_options("graph_changes", models.GraphChanges))
    async def graph_changes(request: Request) -> Response:
        """List what the live release changed: entities, edges and synonym rules added, changed or removed."""
        return context.respond(request, await context.service.changes())


def add_usage_route(router: APIRouter, context: AppContext) -> None:
    """Add `/usage`."""

    @router.get("/usage", **route_options("usage", models.UsageTotals))
    async def usage(request: Request, parameters: Annotated[UsageParameters, Query()]) -> Response:
        """Count the requests of each day by transport, route and status; small numbers are suppressed."""
        totals = {"days": await context.usage_report.days(parameters.days), "suppressed_below": SUPPRESSED_BELOW}
        warnings = unknown_parameters(request, names_of(UsageParameters))
        body = {**totals, "warnings": warnings} if warnings else totals
        content = envelope.dumps(context.envelope.wrap_body(body, context.engine.release))
        if_none_match = request.headers.get("if-none-match")
        return context.envelope.respond_content(content, envelope.JSON, if_none_match, USAGE_SECONDS)


def add_openapi_route(router: APIRouter, context: AppContext) -> None:
    """Add `/openapi.json`."""

    @router.get("/openapi.json", include_in_schema=False)
    async def openapi(request: Request) -> Response:
        """Return the OpenAPI document."""
        content = envelope.dumps(request.app.openapi())
        return context.envelope.respond_content(content, envelope.JSON, request.headers.get("if-none-match"))


def add_entity_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/{type}/{id}/neighbors` and `/{type}/{id}`."""

    @router.get("/{type}/{id}/neighbors", **route_options("neighbors", models.NeighborPage))
    async def neighbors(
        request: Request, type_: TypePath, id_: IdPath, parameters: Annotated[NeighborParameters, Query()]
    ) -> Response:
        """List all neighbors of an entity over one edge, best first."""
        names = names_of(NeighborParameters)
        params = link_parameters(request, names)
        filters = EdgeFilters(**parameters.model_dump(exclude={"edge", "limit", "offset"}))
        query = NeighborsRequest(type_, id_, parameters.edge, parameters.limit, parameters.offset, params, filters)
        return context.respond(request, await context.service.neighbors(query), names)

    @router.get("/{type}/{id}", **route_options("entity", models.Record))
    async def entity(request: Request, type_: TypePath, id_: IdPath) -> Response:
        """Return the complete record of one entity."""
        return context.respond(request, await context.service.entity(type_, id_))


def add_list_route(router: APIRouter, context: AppContext) -> None:
    """Add `/{type}`."""

    @router.get("/{type}", **route_options("list", models.CardPage))
    async def entities(request: Request, type_: TypePath, parameters: Annotated[ListParameters, Query()]) -> Response:
        """List all entities of a type by name, main conditions before narrower conditions; or only those in `ids`.

        `setting` filters solutions, `grouping` conditions and limitations, `kind` conditions. `linked_to` lists only
        entities with an edge to another one, such as accommodations for fatigue.
        """
        values = {"setting": parameters.setting, "grouping": parameters.grouping, "kind": parameters.kind}
        filter_names, filters = query_bodies.list_filters(type_, values)
        names = (*filter_names, *LINK_NAMES, *PAGING, "ids")
        if parameters.ids is not None:
            sent = [name for name in (*filter_names, *LINK_NAMES, *PAGING) if name in request.query_params]
            unused = [unused_parameter_warning(name, "ids") for name in sent]
            batch = await context.service.batch(type_, parameters.ids)
            return context.respond(request, batch, names, warnings=unused)
        links = {"linked_to": parameters.linked_to, "edge": parameters.edge}
        params = link_parameters(request, (*filter_names, *LINK_NAMES, *PAGING), links)
        page = ListPage(parameters.inherited, parameters.limit, parameters.offset, filters, params)
        listed = await context.service.entities(type_, page, parameters.linked_to, parameters.edge)
        ignored = () if parameters.linked_to else LINK_NAMES
        unused = [unused_without_warning(name, "linked_to") for name in ignored if name in request.query_params]
        return context.respond(request, listed, names, warnings=unused)


def rest_router(context: AppContext) -> APIRouter:
    """Return all REST routes."""
    router = APIRouter(route_class=EntityRoute)
    add_health_routes(router, context)
    add_search_routes(router, context)
    add_recommend_routes(router, context)
    add_guide_routes(router, context)
    add_graph_routes(router, context)
    add_export_routes(router, context)
    add_usage_route(router, context)
    add_openapi_route(router, context)
    add_entity_routes(router, context)
    add_list_route(router, context)
    return router
