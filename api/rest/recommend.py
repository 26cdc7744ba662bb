"""Recommendations and related conditions: `/recommend` and `/related_conditions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Request
from starlette.responses import Response  # noqa: TC002 - as above

from api import models
from api.errors import MethodError
from api.parameters import IdPath, RelatedParameters, names_of
from api.rest.openapi_examples import route_options

if TYPE_CHECKING:
    from fastapi import APIRouter

    from api.context import AppContext


def add_recommend_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/recommend` and `/related_conditions/{id}`."""

    @router.post("/recommend", **route_options("recommend", models.RecommendPage))
    async def recommend(request: Request, query: models.RecommendRequest) -> Response:
        """Rank solutions for a condition, a limitation, a work-related function, or several of them together."""
        result = await context.service.recommend(query)
        return context.respond(request, result, etag_parts=[query.model_dump_json()])

    @router.get("/recommend", include_in_schema=False)
    async def reject_get() -> Response:
        """Reject GET, which `/{type}` would match."""
        raise MethodError("Send recommendation requests with POST and a JSON body.", allowed=["POST", "OPTIONS"])

    @router.get("/related_conditions/{id}", **route_options("related_conditions", models.RelatedPage))
    async def related_conditions(
        request: Request, id_: IdPath, parameters: Annotated[RelatedParameters, Query()]
    ) -> Response:
        """List the conditions with the most similar limitations, and the shared ones, most distinctive first."""
        result = await context.service.related(id_, parameters.limit)
        return context.respond(request, result, names_of(RelatedParameters))
