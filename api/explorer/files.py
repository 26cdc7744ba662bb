"""The style, the scripts and the libraries of the pages: our own, and those that came with installed packages.

Each has an address with a sum of its bytes in it, so that browsers may keep it for good. All are read once, and packed
once. Nothing is fetched from elsewhere.
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
from api.gate import STATIC

if TYPE_CHECKING:
    from starlette.requests import Request

OWN = Path(__file__).parent / "static"
LIBRARIES = {  # name here → package, and where in it
    "d3.js": ("gravis", "_internal/plotting/third_party/d3/d3.v7.min.def.js"),
    "swagger-ui.js": ("fastapi_swagger", "resources/swagger-ui-bundle.js"),
    "swagger-ui.css": ("fastapi_swagger", "resources/swagger-ui.css"),
}
MEDIA = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
FOREVER = "public, max-age=31536000, immutable"
SUM_BYTES = 8


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file, plain and packed. `sum` stands for its bytes."""

    name: str
    plain: bytes
    packed: bytes
    sum: str

    @property
    def address(self) -> str:
        """Where this very version is served."""
        return f"{STATIC}{self.name}?v={self.sum}"


@cache
def static_file(name: str) -> StaticFile:
    """The file of that name; raise NotFoundError where there is none."""
    path = _path(name)
    if path is None:
        raise NotFoundError("There is no such file.")
    plain = path.read_bytes()
    return StaticFile(
        name, plain, gzip.compress(plain, mtime=0), hashlib.blake2b(plain, digest_size=SUM_BYTES).hexdigest()
    )


def _path(name: str) -> Path | None:
    if name in LIBRARIES:
        package, inside = LIBRARIES[name]
        spec = find_spec(package)  # looks without importing
        folders = spec.submodule_search_locations if spec else None
        return Path(next(iter(folders))) / inside if folders else None
    if name in own_names():
        return OWN / name
    return None


@cache
def own_names() -> frozenset[str]:
    """Names of our own files."""
    return frozenset(path.name for path in OWN.iterdir() if path.suffix in MEDIA)


def served(name: str, request: Request) -> Response:
    """The file as this browser takes it."""
    found = static_file(name)
    tag = f'"{found.sum}"'
    headers = {"ETag": tag, "Vary": "Accept-Encoding", "Cache-Control": FOREVER}
    if request.query_params.get("v") != found.sum:
        headers["Cache-Control"] = "public, max-age=300"  # an address without its sum may mean other bytes tomorrow
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    body = found.plain
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, headers["Content-Encoding"] = found.packed, "gzip"
    return Response(body, media_type=MEDIA[Path(name).suffix], headers=headers)
