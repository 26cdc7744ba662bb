"""Liveness and readiness: `/healthz` and `/readyz`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import Request  # noqa: TC002 - FastAPI reads the annotation
from starlette.responses import Response

from api import models
from api.errors import EngineUnavailableError
from api.http import envelope
from api.rest.openapi_examples import route_options

if TYPE_CHECKING:
    from fastapi import APIRouter

    from api.context import AppContext


def add_health_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/healthz` and `/readyz`."""

    @router.get("/healthz", **route_options("healthz", models.Health))
    async def healthz() -> Response:
        """Report that the process is alive, and whether it reaches the search engine. Always 200."""
        state = "up" if await context.health.engine_is_up() else "down"
        release = context.engine.release
        version = release.data_version if release else None
        body = {"status": "ok", "engine": state, "data_version": version}
        return _uncached(context.envelope.wrap_body(body, release))

    @router.get("/readyz", **route_options("readyz", models.Health))
    async def readyz(request: Request) -> Response:
        """Return 200 only if a real query on the live release works and the process is not shutting down."""
        if request.scope.get("state", {}).get("draining"):
            raise EngineUnavailableError("This process is shutting down and accepts no more requests.")
        release = await context.health.ready()
        body = {"status": "ready", "engine": "up", "data_version": release.data_version}
        return _uncached(context.envelope.wrap_body(body, release))


def _uncached(body: dict[str, Any]) -> Response:
    return Response(envelope.dumps(body), media_type=envelope.JSON, headers={"Cache-Control": "no-store"})
