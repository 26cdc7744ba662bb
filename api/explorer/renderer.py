"""Renders the templates, and JSON errors as pages, with the headers of pages: CSP, ETag, caching.

Jinja escapes all text.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson
from jinja2 import Environment, FileSystemLoader
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api import about
from api.explorer import labels, view_models
from api.explorer.documentation import Documentation
from api.explorer.static_files import static_file
from api.explorer.view_models import ApiCall
from api.http.envelope import Envelope, etag_matches
from api.http.request_headers import prefers_html
from api.parameters import MAX_QUERY_LENGTH
from api.result import ServiceResult
from api.settings import Settings
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary

TEMPLATES = Path(__file__).parent / "templates"
MEDIA_TYPE = "text/html; charset=utf-8"
# Only the service's own styles, scripts and responses load: no text on a page can become a script.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
Breadcrumbs = tuple[tuple[str, str], ...]  # label and URL; the last URL is empty
EXPLORE = "/explore"
# The page has its own values of these headers; all others of the JSON response are kept, for example Retry-After.
REPLACED_HEADERS = frozenset(("content-type", "content-length", "content-security-policy", "cache-control", "vary"))


@dataclass(frozen=True, slots=True)
class Page:
    """Input of a template. `bodies` are the response bodies it shows, the main one first; `calls` return them."""

    template: str
    title: str
    bodies: Sequence[Mapping[str, Any]]
    calls: Sequence[ApiCall] = ()
    breadcrumbs: Breadcrumbs = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


class Renderer:
    """Renders pages with the data that all of them share."""

    def __init__(self, envelope: Envelope, settings: Settings, vocabulary: Vocabulary) -> None:
        self._envelope = envelope
        self.public_url = settings.public_url
        self.documentation = Documentation(settings.site)
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._templates.globals.update(
            service=about.SERVICE_NAME,
            version=about.VERSION,
            notice=envelope.notice,
            scraping_policy=about.SCRAPING_POLICY,
            max_query_length=MAX_QUERY_LENGTH,
            base_url=settings.base_url,
            labels=labels,
            type_labels={name: entity_type.label for name, entity_type in vocabulary.types.items()},
            view_models=view_models,
            static=lambda name: static_file(name).url,
            has_documentation=bool(self.documentation),
        )
        filters = {"page": "/explore{}".format, "thousands": "{:,}".format}
        self._templates.filters.update(filters, decimal=labels.decimal, shorten=labels.shorten)

    def body(self, result: ServiceResult) -> JsonObject:
        """Return the body that the JSON route sends for this result."""
        return self._envelope.wrap_result(result)

    def send(self, page: Page, request: Request) -> Response:
        """Return the page, or a 304 if the browser has the same bytes. Errors are never cached."""
        sources = {source["id"]: source for body in page.bodies for source in body["provenance"]["sources"]}
        text = self._templates.get_template(page.template).render(
            title=page.title,
            calls=page.calls,
            breadcrumbs=page.breadcrumbs,
            current_path=quote(request.scope["path"]),
            params=request.query_params,
            provenance=page.bodies[0]["provenance"],
            sources=list(sources.values()),
            warnings=[warning for body in page.bodies for warning in body.get("warnings") or ()],
            **page.data,
        )
        content = text.encode("utf-8", "replace")
        headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "Vary": "Accept"}
        if page.status != HTTPStatus.OK:
            return Response(content, page.status, {**headers, "Cache-Control": "no-store"}, MEDIA_TYPE)
        etag = f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"'
        headers |= {"ETag": etag, "Cache-Control": self._envelope.cache_control}
        if etag_matches(request.headers.get("if-none-match", ""), etag):
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=MEDIA_TYPE)


class ErrorPages:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, renderer: Renderer) -> None:
        self._app = app
        self._renderer = renderer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http" and prefers_html(Headers(scope=scope).get("accept", "")):
            send = _HtmlErrorResponse(scope, receive, send, self._renderer).send
        await self._app(scope, receive, send)


class _HtmlErrorResponse:
    """Forwards a response; collects a JSON error and sends it as a page."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, renderer: Renderer) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._renderer = renderer
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message["headers"]))
            if message["status"] == HTTPStatus.MOVED_PERMANENTLY and self._scope["path"].startswith(EXPLORE):
                location = headers.get("location", "")
                headers["location"] = location if location.startswith(EXPLORE) else EXPLORE + location
                message = {**message, "headers": headers.raw}
            if message["status"] >= HTTPStatus.BAD_REQUEST and "json" in headers.get("content-type", ""):
                self._start = message
                return
        if self._start is None:
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if not message.get("more_body"):
            await self._send_page(self._start)

    async def _send_page(self, start: Message) -> None:
        if not self._body:  # the response to a HEAD request
            await self._send(start)
            await self._send({"type": "http.response.body", "body": b""})
            return
        page = error_page(start["status"], orjson.loads(self._body))
        response = self._renderer.send(page, Request(self._scope))
        response.raw_headers += [
            (name, value) for name, value in start["headers"] if name.decode("latin-1").lower() not in REPLACED_HEADERS
        ]
        await response(self._scope, self._receive, self._send)


def error_page(status: int, body: Mapping[str, Any]) -> Page:
    """Return the page of an error, from its JSON body."""
    detail = body.get("detail")
    problems = detail if isinstance(detail, list) else []
    title = body.get("title") or HTTPStatus(status).phrase
    data = {
        "status": status,
        "detail": "" if problems else detail or "",
        "problems": problems,
        "suggestions": body.get("suggestions") or [],
        "retry_after": body.get("retry_after"),
    }
    return Page("error.html", title, [{**body, "warnings": []}], breadcrumbs=((title, ""),), data=data, status=status)
