"""Static files: the explorer's own styles and scripts, and libraries from installed packages.

Each URL contains a digest of the content, so browsers may cache the file for a year. Each file is read and compressed
once, and nothing is loaded from other hosts.
"""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import Response

from api.errors import NotFoundError
from api.limits.rate_limit import STATIC_PREFIX

if TYPE_CHECKING:
    from starlette.requests import Request

FOLDER = Path(__file__).parent / "static"
LIBRARIES = {  # public name → package, and path in the package
    "d3.js": ("gravis", "_internal/plotting/third_party/d3/d3.v7.min.def.js"),
    "swagger-ui.js": ("fastapi_swagger", "resources/swagger-ui-bundle.js"),
    "swagger-ui.css": ("fastapi_swagger", "resources/swagger-ui.css"),
}
MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
IMMUTABLE = "public, max-age=31536000, immutable"
DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file, plain and compressed, with a digest of its content."""

    name: str
    content: bytes
    gzipped: bytes
    digest: str

    @property
    def url(self) -> str:
        """The URL of this version of the file."""
        return f"{STATIC_PREFIX}{self.name}?v={self.digest}"


@cache
def static_file(name: str) -> StaticFile:
    """Return the file, or raise NotFoundError."""
    path = _path(name)
    if path is None:
        raise NotFoundError("There is no such file.")
    content = path.read_bytes()
    digest = hashlib.blake2b(content, digest_size=DIGEST_BYTES).hexdigest()
    return StaticFile(name, content, gzip.compress(content, mtime=0), digest)


def _path(name: str) -> Path | None:
    if name in LIBRARIES:
        package, path = LIBRARIES[name]
        spec = find_spec(package)  # does not import the package
        folders = spec.submodule_search_locations if spec else None
        return Path(next(iter(folders))) / path if folders else None
    return FOLDER / name if name in explorer_files() else None


@cache
def explorer_files() -> frozenset[str]:
    """Return the names of the explorer's own files."""
    return frozenset(path.name for path in FOLDER.iterdir() if path.suffix in MEDIA_TYPES)


def send_static_file(name: str, request: Request) -> Response:
    """Return the file, compressed if the client accepts gzip, or a 304."""
    file = static_file(name)
    etag = f'"{file.digest}"'
    headers = {"ETag": etag, "Vary": "Accept-Encoding", "Cache-Control": IMMUTABLE}
    if request.query_params.get("v") != file.digest:
        headers["Cache-Control"] = "public, max-age=300"  # a URL without the digest has other content after an update
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    content = file.content
    if "gzip" in request.headers.get("accept-encoding", ""):
        content, headers["Content-Encoding"] = file.gzipped, "gzip"
    return Response(content, media_type=MEDIA_TYPES[Path(name).suffix], headers=headers)
