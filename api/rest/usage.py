"""Public usage totals: `/usage`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Request
from starlette.responses import Response

from api import models
from api.context import unknown_parameters
from api.http import envelope
from api.parameters import UsageParameters, names_of
from api.rest.openapi_examples import route_options
from api.telemetry.usage_report import SUPPRESSED_BELOW

if TYPE_CHECKING:
    from fastapi import APIRouter

    from api.context import AppContext


def add_usage_route(router: APIRouter, context: AppContext) -> None:
    """Add `/usage`."""

    @router.get("/usage", **route_options("usage", models.UsageTotals))
    async def usage(request: Request, parameters: Annotated[UsageParameters, Query()]) -> Response:
        """Count the requests of each day by transport, route and status; small numbers are suppressed."""
        totals = {"days": await context.usage_report.days(parameters.days), "suppressed_below": SUPPRESSED_BELOW}
        warnings = unknown_parameters(request, names_of(UsageParameters))
        body = {**totals, "warnings": warnings} if warnings else totals
        content = envelope.dumps(context.envelope.wrap_body(body, context.engine.release))
        return Response(content, media_type=envelope.JSON, headers={"Cache-Control": "public, max-age=60"})
