"""The graph as a whole, its changes, and connections between entities: `/graph` and `/connections`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Request
from starlette.responses import Response  # noqa: TC002 - as above

from api import models
from api.graph.connections import ConnectionsRequest
from api.parameters import ConnectionParameters, names_of
from api.rest.openapi_examples import route_options

if TYPE_CHECKING:
    from fastapi import APIRouter

    from api.context import AppContext


def add_graph_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/connections`, `/graph` and `/graph/changes`."""

    @router.get("/connections", **route_options("connections", models.ConnectionPage))
    async def connections(request: Request, parameters: Annotated[ConnectionParameters, Query()]) -> Response:
        """Explain how two entities are connected: paths of up to four edges, the most specific first."""
        result = await context.service.connections(
            ConnectionsRequest(parameters.start, parameters.end, parameters.limit)
        )
        return context.respond(request, result, names_of(ConnectionParameters))

    @router.get("/graph", **route_options("graph", models.GraphSummary))
    async def graph(request: Request) -> Response:
        """Describe the graph: its types and edges with counts, inverse names and an example call each."""
        return context.respond(request, await context.service.graph())

    @router.get("/graph/changes", **route_options("graph_changes", models.GraphChanges))
    async def graph_changes(request: Request) -> Response:
        """List what the live release changed: entities, edges and synonym rules added, changed or removed."""
        return context.respond(request, await context.service.changes())
