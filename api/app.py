"""Builds the service: engine, transports and middleware."""

import hashlib
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from api import about
from api.asgi import SecurityHeaders
from api.context import AppContext
from api.engine.search_engine import SearchEngine
from api.errors import ServiceError
from api.explorer.renderer import ErrorPages, Renderer
from api.explorer.routes import explorer_routers
from api.health import Health
from api.http.coalescing import EqualRequests
from api.http.edge import EdgeHeaders
from api.http.envelope import Envelope, release_tag
from api.http.request_policy import RequestLimits, RequestPolicy, ToResponse, add_exception_handlers
from api.http.response_cache import ResponseCache
from api.http.routing import METHODS, has_route
from api.http.service_metrics import ServiceMetrics
from api.http.telemetry import TelemetryMiddleware
from api.limits.concurrency import ConcurrencyLimit
from api.limits.rate_limit import RateLimitMiddleware, RateLimits, quotas
from api.mcp.server import mcp_server
from api.mcp.tools import TOOLS
from api.mcp.transport import PATH, Connector
from api.rest.openapi import openapi_document
from api.rest.routes import rest_router
from api.service import GraphService
from api.settings import Settings, mappings_folder
from api.telemetry.edge_counts import EdgeCounts
from api.telemetry.usage_counters import UsageCounters
from api.telemetry.usage_report import UsageReport
from api.telemetry.usage_writer import UsageWriter, usage_index_body
from schema.english_words import english_words
from schema.vocabulary import read_vocabulary

EXPOSED_HEADERS = (
    *("ETag", "Retry-After", "Location", "Allow", "Accept-Ranges", "Content-Range", "Content-Disposition"),
    *("RateLimit", "RateLimit-Policy", "Link"),
)
PREFLIGHT_SECONDS = 86_400


def create_app(settings: Settings, engine_urls: Sequence[str] = ()) -> TelemetryMiddleware:
    """Build the service on the given OpenSearch URLs, or on those of the settings."""
    urls = engine_urls or settings.engine_urls
    engine = SearchEngine(settings, urls)
    mappings = mappings_folder(settings)
    vocabulary = read_vocabulary(mappings)
    envelope = Envelope(settings)
    service = GraphService(engine, vocabulary, english_words())
    connector = Connector(mcp_server(service, envelope, settings), settings, service, envelope)
    stale_seconds = settings.stale_seconds if settings.response_cache_bytes else 0
    health = Health(engine, service, time.monotonic, stale_seconds)
    now = partial(datetime.now, UTC)
    usage_report = UsageReport(engine, time.monotonic, now)
    context = AppContext(engine, service, envelope, vocabulary, health, usage_report)
    renderer = Renderer(envelope, settings, vocabulary)
    app, routes = _application(context, connector, renderer)
    usage = UsageCounters([*(route.path for route in routes if isinstance(route, Route)), *TOOLS])
    versions = partial(_versions, engine)
    writer = UsageWriter(settings, urls, usage, usage_index_body(mappings), now, versions, secrets.token_hex(4))
    limits = RateLimits(quotas(settings), time.monotonic, settings.rate_limit_url.get_secret_value(), settings.alias)

    def to_response(error: ServiceError) -> Response:
        return envelope.error_response(error, engine.release)

    edge_counts = EdgeCounts(usage, settings.edge_counts)
    app.router.lifespan_context = partial(_lifespan, connector, (writer, edge_counts), (limits, engine))
    add_exception_handlers(app, to_response)
    concurrency = ConcurrencyLimit(app, settings, time.monotonic)
    cache = _response_cache(concurrency, engine, settings)
    limiter = _rate_limiter(EqualRequests(cache), to_response, settings, limits, routes)
    outer = EdgeHeaders(_outer_middleware(limiter, settings, renderer), time.time)
    metrics = ServiceMetrics(engine, concurrency, cache, limits, usage, writer, now)
    return TelemetryMiddleware(outer, usage, time.perf_counter, metrics.collectors())


@asynccontextmanager
async def _lifespan(
    connector: Connector,
    counters: Sequence[UsageWriter | EdgeCounts],
    connections: Sequence[RateLimits | SearchEngine],
    _: FastAPI,
) -> AsyncIterator[None]:
    """Start what counts, and close everything at the end."""
    for counter in counters:
        counter.start()
    async with connector.running():
        yield
    for resource in (*reversed(counters), *connections):
        await resource.close()


def _application(context: AppContext, connector: Connector, renderer: Renderer) -> tuple[FastAPI, list[BaseRoute]]:
    """Build the FastAPI app with the REST, MCP and explorer routes, without middleware; return its routes in order."""
    app = FastAPI(title=about.SERVICE_NAME, version=about.VERSION, openapi_url=None, redirect_slashes=False)
    app.router.routes.append(Route(PATH, endpoint=connector, methods=["POST"]))  # a mount would redirect
    routers = (*explorer_routers(context, renderer), rest_router(context))
    routes = [*app.routes, *(route for router in routers for route in router.routes)]
    for router in routers:
        app.include_router(router)
    app.openapi = partial(_openapi, app, context)  # type: ignore[method-assign]
    return app, routes


def _openapi(app: FastAPI, context: AppContext) -> dict[str, Any]:
    """Return the OpenAPI document with `x-provenance` and `x-notice`."""
    blocks = context.envelope.wrap_body({}, context.engine.release)
    return {**openapi_document(app, context.vocabulary), **{f"x-{name}": block for name, block in blocks.items()}}


def _versions(engine: SearchEngine) -> dict[str, Any]:
    release = engine.release
    of_release = {"data_version": release.data_version, "released": release.released} if release else {}
    return {"service_version": about.VERSION, **of_release}


def _response_cache(app: ASGIApp, engine: SearchEngine, settings: Settings) -> ResponseCache:
    async def live_tag() -> str | None:
        with suppress(ServiceError):
            return release_tag(await engine.live_release())
        return None

    return ResponseCache(app, settings.response_cache_bytes, live_tag, settings.stale_seconds, time.monotonic)


def _rate_limiter(
    app: ASGIApp, to_response: ToResponse, settings: Settings, limits: RateLimits, routes: Sequence[BaseRoute]
) -> RateLimitMiddleware:
    """Add the request policy and, outside of it, the rate limiter."""
    request_limits = RequestLimits(
        settings.body_limit_bytes,
        settings.url_limit_bytes,
        {PATH: settings.mcp_body_limit_bytes},
        settings.client_timeout_seconds,
    )
    policy = RequestPolicy(app, to_response, request_limits, partial(has_route, routes))
    return RateLimitMiddleware(policy, to_response, limits, settings.trusted_proxies, _client_hash_key(settings))


def _outer_middleware(app: ASGIApp, settings: Settings, renderer: Renderer) -> ASGIApp:
    """Add CORS, so that pages can read rejections, errors as HTML, and the security headers."""
    with_cors = CORSMiddleware(
        app,
        allow_origins=settings.allowed_origins or ["*"],
        allow_methods=METHODS,
        allow_headers=["*"],
        expose_headers=EXPOSED_HEADERS,
        max_age=PREFLIGHT_SECONDS,
    )
    return SecurityHeaders(ErrorPages(with_cors, renderer))


def _client_hash_key(settings: Settings) -> bytes:
    """Return a random key, or one that all processes share if they share the limits."""
    url = settings.rate_limit_url.get_secret_value()
    return hashlib.sha256(url.encode()).digest() if url else secrets.token_bytes(32)
