"""Renders the templates and sets the headers of pages: CSP, ETag, caching. Jinja escapes all text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader
from starlette.responses import Response

from api import about
from api.explorer import labels, view_models
from api.explorer.static_files import static_file
from api.http.envelope import etag_matches
from api.parameters import MAX_QUERY_LENGTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from api.explorer.api_calls import ApiCall
    from api.http.envelope import Envelope
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
OK = 200
Breadcrumbs = tuple[tuple[str, str], ...]  # label and URL; the last URL is empty


@dataclass(frozen=True, slots=True)
class Page:
    """Input of a template. `bodies` are the response bodies it shows, the main one first; `calls` return them."""

    template: str
    title: str
    bodies: Sequence[Mapping[str, Any]]
    calls: Sequence[ApiCall] = ()
    breadcrumbs: Breadcrumbs = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    status: int = OK


class Renderer:
    """Renders pages with the data that all of them share."""

    def __init__(self, envelope: Envelope, settings: Settings, vocabulary: Vocabulary) -> None:
        self._envelope = envelope
        self._public_url = settings.public_url
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
            max_query_length=MAX_QUERY_LENGTH,
            labels=labels,
            type_labels={name: entity_type.label for name, entity_type in vocabulary.types.items()},
            view_models=view_models,
            static=lambda name: static_file(name).url,
        )
        self._templates.filters.update(
            page=labels.entity_page, thousands=labels.thousands, decimal=labels.decimal, shorten=labels.shorten
        )

    def base_url(self, request: Request) -> str:
        """Return the URL under which this client reaches the service."""
        return self._public_url or str(request.base_url).rstrip("/")

    def body(self, result: ServiceResult) -> JsonObject:
        """Return the body that the JSON route sends for this result."""
        return self._envelope.wrap_result(result)

    def send(self, page: Page, request: Request) -> Response:
        """Return the page, or a 304 if the browser has the same bytes. Errors are never cached."""
        text = self._templates.get_template(page.template).render(
            title=page.title,
            calls=page.calls,
            breadcrumbs=page.breadcrumbs,
            base_url=self.base_url(request),
            current_path=request.url.path,
            params=request.query_params,
            provenance=page.bodies[0]["provenance"],
            sources=labels.merge_sources(page.bodies),
            warnings=[warning for body in page.bodies for warning in body.get("warnings") or ()],
            **page.data,
        )
        content = text.encode("utf-8", "replace")
        headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "Vary": "Accept"}
        if page.status != OK:
            return Response(content, page.status, {**headers, "Cache-Control": "no-store"}, MEDIA_TYPE)
        etag = f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"'
        headers |= {"ETag": etag, "Cache-Control": self._envelope.cache_control}
        if etag_matches(request.headers.get("if-none-match", ""), etag):
            return Response(status_code=304, headers=headers)
        return Response(content, OK, headers, MEDIA_TYPE)
