"""Assembles the REST routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter

from api.rest.entities import add_entity_routes
from api.rest.export import add_export_routes
from api.rest.graph import add_graph_routes
from api.rest.health import add_health_routes
from api.rest.recommend import add_recommend_routes
from api.rest.search import add_search_routes
from api.rest.usage import add_usage_route

if TYPE_CHECKING:
    from api.context import AppContext


def rest_router(context: AppContext) -> APIRouter:
    """Return all REST routes. Fixed paths come before `/{type}`, which would match them."""
    router = APIRouter()
    add_health_routes(router, context)
    add_search_routes(router, context)
    add_recommend_routes(router, context)
    add_graph_routes(router, context)
    add_export_routes(router, context)
    add_usage_route(router, context)
    add_entity_routes(router, context)
    return router
