"""Pages out of templates: what every page has, and the headers it is sent with. Text from anywhere is escaped."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader
from starlette.responses import Response

from api import results
from api.envelope import matches
from api.explorer import shapes, wording
from api.explorer.files import static_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from api.envelope import Envelope
    from api.explorer.calls import Call
    from api.settings import Settings

TEMPLATES = Path(__file__).parent / "templates"
MEDIA = "text/html; charset=utf-8"
# Our own style, scripts and answers, and nothing else: no word of a page can become a script.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
OK = 200
Crumbs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Page:
    """What a template is given. `bodies` are the sealed answers it shows, the main one first; `calls` ask for them."""

    template: str
    title: str
    bodies: Sequence[Mapping[str, Any]]
    calls: Sequence[Call] = ()
    crumbs: Crumbs = ()
    shown: Mapping[str, Any] = field(default_factory=dict)
    status: int = OK


class Renderer:
    """Draws pages. It holds the templates and what is the same on all pages."""

    def __init__(self, envelope: Envelope, settings: Settings) -> None:
        self._envelope = envelope
        self._base = settings.public_url
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._templates.globals.update(
            service=results.SERVICE,
            version=results.VERSION,
            notice=envelope.notice,
            words=wording,
            shapes=shapes,
            static=lambda name: static_file(name).address,
        )
        self._templates.filters.update(
            page=wording.page_of, amount=wording.amount, share=wording.share, shortened=wording.shortened
        )

    def base(self, request: Request) -> str:
        """The address under which this caller reaches the service."""
        return self._base or str(request.base_url).rstrip("/")

    def send(self, page: Page, request: Request) -> Response:
        """The page, or a 304 where the browser has this very page. Errors are kept by nobody."""
        text = self._templates.get_template(page.template).render(
            title=page.title,
            calls=page.calls,
            crumbs=page.crumbs,
            base=self.base(request),
            here=request.url.path,
            params=request.query_params,
            provenance=page.bodies[0]["provenance"],
            sources=wording.sources_of(page.bodies),
            warnings=[line for body in page.bodies for line in body.get("warnings") or ()],
            **page.shown,
        )
        body = text.encode("utf-8", "replace")
        headers = {"Content-Security-Policy": POLICY, "Vary": "Accept"}
        if page.status != OK:
            return Response(body, page.status, {**headers, "Cache-Control": "no-store"}, MEDIA)
        tag = f'"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'
        headers |= {"ETag": tag, "Cache-Control": self._envelope.cache}
        if matches(request.headers.get("if-none-match", ""), tag):
            return Response(status_code=304, headers=headers)
        return Response(body, OK, headers, MEDIA)
