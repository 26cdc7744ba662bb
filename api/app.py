"""`create_app(settings, …)` builds the whole service. Importing this module does nothing."""

from __future__ import annotations

import hashlib
import secrets
import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

from api import results
from api.admission import Admission
from api.answers import Answers
from api.boundary import Boundary
from api.cache import AnswerCache
from api.dictionary import english_words
from api.engine import Engine
from api.envelope import Envelope, release_tag
from api.errors import InternalError, InvalidError, MethodError, NotFoundError, ServiceError
from api.explorer.rendering import Renderer
from api.explorer.routes import explorer
from api.explorer.troubles import Troubles
from api.gate import Gate, LocalLimits, quotas
from api.headers import Secured
from api.health import Health
from api.mcp import mcp_server
from api.mcp_transport import PATH, Connector
from api.observer import Observer
from api.openapi import document
from api.repeats import Repeats
from api.routes import Door, rest
from api.settings import mappings_folder
from api.straight import Straight
from api.tools import TOOLS
from api.usage import Usage
from api.usage_store import UsageStore, usage_body
from api.usage_totals import Totals
from api.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp

    from api.gate import Limits
    from api.settings import Settings

    ToResponse = Callable[[ServiceError], Response]

EXPOSED = (
    *("ETag", "Retry-After", "Location", "Allow", "Accept-Ranges", "Content-Range", "Content-Disposition"),
    *("RateLimit", "RateLimit-Policy"),
)
PREFLIGHT_SECONDS = 86_400
REPEATS_SHARE = 8  # one part in so many of what answers may take is for requests that are known again
METHODS = ("GET", "HEAD", "POST", "OPTIONS")


def create_app(settings: Settings, engine_urls: Sequence[str] = ()) -> Observer:
    """The service over the given engine addresses (the settings' own where none are given)."""
    urls = engine_urls or settings.engine_urls
    engine = Engine(settings, urls)
    mappings = mappings_folder(settings)
    vocabulary = read_vocabulary(mappings)
    envelope = Envelope(settings)
    answers = Answers(engine, vocabulary, english_words())
    health = Health(engine, answers, time.monotonic)
    connector = Connector(mcp_server(answers, envelope, settings), settings)
    door = Door(engine, answers, envelope, vocabulary, health, Totals(engine, time.monotonic, _now))
    renderer = Renderer(envelope, settings)
    app, routes, plain = _doors(door, connector, renderer)
    usage = Usage([*(route.path for route in routes if isinstance(route, Route)), *TOOLS])
    store = UsageStore(settings, urls, usage, usage_body(mappings), _now, _live(engine), secrets.token_hex(4))
    limits = _limits(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        store.start()
        async with connector.running():
            yield
        for each in (store, limits, engine):
            await each.close()

    app.router.lifespan_context = lifespan

    def to_response(error: ServiceError) -> Response:
        return envelope.error(error, engine.release)

    _handle(app, to_response)
    admission = Admission(Straight(app, routes, plain, to_response), settings, time.monotonic)
    cache = _cached(admission, engine, settings)
    gate = _gate(cache, to_response, settings, limits)
    fronted, repeats = _fronted(gate, settings, renderer), _repeats(cache, gate, settings)
    return Observer(fronted, usage, to_response, time.perf_counter, lambda: _gauges(admission, engine, store), repeats)


def _doors(door: Door, connector: Connector, renderer: Renderer) -> tuple[FastAPI, list[BaseRoute], list[BaseRoute]]:
    """The application with both doors and nothing in front of it yet, its routes in order, and those of REST."""
    app = FastAPI(title=results.SERVICE, version=results.VERSION, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.router.routes.append(Route(PATH, endpoint=connector))  # a mount would answer 307; before `/{type}` takes it
    *_, own = routers = (*explorer(door, renderer), rest(door))  # pages before `/{type}/{id}` takes them
    routes = [*app.routes, *(route for router in routers for route in router.routes)]
    for router in routers:
        app.include_router(router)
    app.openapi = lambda: document(app, door.vocabulary)  # type: ignore[method-assign]
    return app, routes, own.routes


def _now() -> datetime:
    return datetime.now(UTC)


def _live(engine: Engine) -> Callable[[], dict[str, Any]]:
    """What tells the versions that answer right now."""

    def live() -> dict[str, Any]:
        release = engine.release
        versions = {"data_version": release.data_version, "released": release.released} if release else {}
        return {"service_version": results.VERSION, **versions}

    return live


def _gauges(admission: Admission, engine: Engine, store: UsageStore) -> dict[str, tuple[str, float]]:
    """Numbers of this moment, each with what it says."""
    return {
        "requests_running": ("Requests that are worked on.", admission.running),
        "requests_waiting": ("Requests that wait for a place.", admission.waiting),
        "engine_away": ("1 while the circuit breaker is open.", engine.away),
        "usage_waiting": ("Counts of usage that are not written yet.", len(store.queue)),
        "usage_dropped": ("Counts of usage that were lost.", store.dropped),
    }


def _cached(inner: ASGIApp, engine: Engine, settings: Settings) -> AnswerCache:
    def live() -> str | None:
        release = engine.confirmed()
        return release_tag(release) if release else None

    most = settings.answers_bytes - settings.answers_bytes // REPEATS_SHARE
    return AnswerCache(inner, most, live, settings.stale_seconds, time.monotonic)


def _repeats(cache: AnswerCache, gate: Gate, settings: Settings) -> Repeats | None:
    """What answers a request that comes again before it is read; nothing, where that takes reading or waiting."""
    most = settings.answers_bytes // REPEATS_SHARE
    return Repeats(cache, gate, most) if most and gate.at_once else None


def _gate(inner: ASGIApp, to_response: ToResponse, settings: Settings, limits: Limits) -> Gate:
    """The boundary, and the gate before it."""
    posts = {PATH: settings.mcp_body_limit_bytes}
    guarded = Boundary(inner, to_response, settings.body_limit_bytes, posts, settings.client_seconds)
    return Gate(guarded, to_response, limits, settings.trusted_proxies, _secret(settings))


def _fronted(gate: Gate, settings: Settings, renderer: Renderer) -> ASGIApp:
    """What stands before the gate: CORS that lets pages read refusals, errors as pages, our own headers."""
    readable = CORSMiddleware(
        gate,
        allow_origins=settings.allowed_origins or ["*"],
        allow_methods=METHODS,
        allow_headers=["*"],
        expose_headers=EXPOSED,
        max_age=PREFLIGHT_SECONDS,
    )
    return Secured(Troubles(readable, renderer))


def _limits(settings: Settings) -> Limits:
    local = LocalLimits(quotas(settings), time.monotonic_ns)
    url = settings.rate_limit_url.get_secret_value()
    if not url or not local.quotas:
        return local
    from api.shared_limits import SharedLimits  # noqa: PLC0415 - takes a second to import, and few share their limits

    return SharedLimits(local, url, settings.alias, time.monotonic_ns)


def _secret(settings: Settings) -> bytes:
    """What hides clients: this process's own, or where limits are shared, the same for all that share them."""
    url = settings.rate_limit_url.get_secret_value()
    return hashlib.sha256(url.encode()).digest() if url else secrets.token_bytes(32)


def _handle(app: FastAPI, to_response: Any) -> None:  # noqa: ANN401 - a closure over the app's own state
    async def service_error(_: Request, error: Exception) -> Response:
        found: Response = to_response(error)
        return found

    async def invalid(_: Request, error: Exception) -> Response:
        problems = [dict(problem) for problem in error.errors()] if isinstance(error, RequestValidationError) else []
        found: Response = to_response(InvalidError(problems))
        return found

    async def routing(request: Request, error: Exception) -> Response:
        found: Response = to_response(_routing_error(request, error))
        return found

    async def defect(_: Request, __: Exception) -> Response:
        found: Response = to_response(InternalError())
        return found

    app.add_exception_handler(Exception, defect)  # Starlette would answer in plain text; the boundary logs it
    app.add_exception_handler(ServiceError, service_error)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, routing)


def _routing_error(request: Request, error: Exception) -> ServiceError:
    """Starlette's own 404 and 405, in this service's words."""
    headers = error.headers or {} if isinstance(error, HTTPException) else {}
    if isinstance(error, HTTPException) and error.status_code == 405:  # noqa: PLR2004 - the status is its own name
        allowed = [method.strip() for method in headers.get("Allow", "GET").split(",")]
        allowed += ["HEAD"] if "GET" in allowed else []
        listed = [*dict.fromkeys(allowed), "OPTIONS"]
        return MethodError(f"{request.method} does not work here; allowed: {', '.join(listed)}.", allowed=listed)
    if isinstance(error, HTTPException) and error.status_code == 400:  # noqa: PLR2004 - a body that is not readable text
        return InvalidError([{"loc": ["body"], "msg": "The body could not be read as JSON", "type": "json_invalid"}])
    return NotFoundError(
        "There is no such path. GET /graph describes the data, GET /openapi.json the calls; MCP clients use POST /mcp."
    )
