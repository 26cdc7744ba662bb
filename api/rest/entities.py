"""Lists, records and neighbors of entities: `/{type}`, `/{type}/{id}` and `/{type}/{id}/neighbors`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Request
from starlette.responses import Response  # noqa: TC002 - as above

from api import models
from api.context import link_parameters
from api.graph import query_bodies
from api.graph.neighbors import NeighborsRequest
from api.parameters import IdPath, ListParameters, NeighborParameters, TypePath, names_of
from api.problems import unused_parameter_warning
from api.rest.openapi_examples import route_options

if TYPE_CHECKING:
    from fastapi import APIRouter

    from api.context import AppContext

PAGING = ("limit", "offset")


def add_entity_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/{type}/{id}/neighbors`, `/{type}/{id}` and `/{type}`."""

    @router.get("/{type}/{id}/neighbors", **route_options("neighbors", models.NeighborPage))
    async def neighbors(
        request: Request, type_: TypePath, id_: IdPath, parameters: Annotated[NeighborParameters, Query()]
    ) -> Response:
        """List all neighbors of an entity over one edge, best first."""
        names = names_of(NeighborParameters)
        params = link_parameters(request, names)
        walk = NeighborsRequest(
            context.require_type(type_), id_, parameters.edge, parameters.limit, parameters.offset, params
        )
        return context.respond(request, await context.service.neighbors(walk), names)

    @router.get("/{type}/{id}", **route_options("entity", models.Record))
    async def entity(request: Request, type_: TypePath, id_: IdPath) -> Response:
        """Return the complete record of one entity."""
        return context.respond(request, await context.service.entity(context.require_type(type_), id_))

    @router.get("/{type}", **route_options("list", models.CardPage))
    async def entities(request: Request, type_: TypePath, parameters: Annotated[ListParameters, Query()]) -> Response:
        """List all entities of a type by name, main conditions before narrower conditions; or only those in `ids`.

        `setting` filters solutions, `grouping` conditions and limitations, `kind` conditions.
        """
        type_name = context.require_type(type_)
        values = {"setting": parameters.setting, "grouping": parameters.grouping, "kind": parameters.kind}
        filter_names, filters = query_bodies.list_filters(type_name, values)
        names = (*filter_names, *PAGING, "ids")
        if parameters.ids is not None:
            sent = [name for name in (*filter_names, *PAGING) if name in request.query_params]
            unused = [unused_parameter_warning(name, "ids") for name in sent]
            batch = await context.service.batch(type_name, parameters.ids)
            return context.respond(request, batch, names, warnings=unused)
        params = link_parameters(request, (*filter_names, *PAGING))
        page = await context.service.entities(type_name, parameters.limit, parameters.offset, params, filters)
        return context.respond(request, page, names)
