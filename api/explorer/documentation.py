"""The site of the documentation below `/docs/`, if it was built: static pages with a policy for their own scripts.

`make docs` builds it into the folder `site` of the package `api`, which wheels contain. Only files that were there at
the start are served.
"""

import base64
import hashlib
import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from api.errors import NotFoundError
from api.http.envelope import etag_matches
from api.limits.rate_limit import DOCUMENTATION_PREFIX

BUILT = Path(__file__).parents[1] / "site"
INDEX = "index.html"
CACHE_CONTROL = "public, max-age=300"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
INLINE_SCRIPT = re.compile(r"<script(?![^>]*(?:\bsrc=|application/json))[^>]*>(.*?)</script>", re.DOTALL)


class Documentation:
    """The files of the site by their path; none if the folder does not exist."""

    def __init__(self, folder: Path | None) -> None:
        root = folder or BUILT
        self._files = {
            path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.suffix in MEDIA_TYPES
        }

    def __bool__(self) -> bool:
        """Whether there is a site."""
        return INDEX in self._files

    def send(self, name: str, request: Request) -> Response:
        """Return a file, or a 304 if the client has it. Raise NotFoundError."""
        path = self._files.get(name or INDEX)
        if path is None:
            raise NotFoundError(f"There is no such page. {DOCUMENTATION_PREFIX} has the documentation.")
        content = path.read_bytes()
        etag = f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"'
        headers = {"ETag": etag, "Cache-Control": CACHE_CONTROL}
        if path.suffix == ".html":
            headers["Content-Security-Policy"] = content_security_policy(content.decode("utf-8"))
        if etag_matches(request.headers.get("if-none-match", ""), etag):
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=MEDIA_TYPES[path.suffix])


def content_security_policy(page: str) -> str:
    """Return a policy that allows the site's files, and the inline scripts of this page by their digest.

    Inline styles are allowed: diagrams have some, and no text of a client is on these pages.
    """
    digests = {
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in INLINE_SCRIPT.findall(page)
    }
    scripts = " ".join(["'self'", *(f"'sha256-{digest}'" for digest in sorted(digests))])
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
