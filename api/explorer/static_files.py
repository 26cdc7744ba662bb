"""Static files: the explorer's own styles and scripts, and libraries from installed packages with their licences.

Each URL contains a digest of the content, so browsers may cache the file for a year. Each file is read and compressed
once, and nothing is loaded from other hosts.
"""

import gzip
import hashlib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from api.errors import NotFoundError
from api.limits.rate_limit import STATIC_PREFIX

FOLDER = Path(__file__).parent / "static"
LIBRARIES = {  # public name → package, and path in the package
    "d3.js": ("gravis", "_internal/plotting/third_party/d3/d3.v7.min.def.js"),
    "swagger-ui.js": ("fastapi_swagger", "resources/swagger-ui-bundle.js"),
    "swagger-ui.css": ("fastapi_swagger", "resources/swagger-ui.css"),
}
LICENCES = "licences.txt"  # public name of the licence texts of all libraries
# fastapi_swagger lacks the licences of Swagger UI. These are the files of the npm package, of the version it contains.
SWAGGER_UI_LICENCES = tuple(
    ("api.explorer", f"static/licences/swagger-ui-dist/{name}")
    for name in ("NOTICE", "LICENSE", "swagger-ui-bundle.js.LICENSE.txt")
)
LICENCE_FILES = {  # public name of a library → package and path of each text that must go with it
    "d3.js": (("gravis", "_internal/plotting/third_party/d3/ORIGINAL_LICENSE"),),
    "swagger-ui.js": SWAGGER_UI_LICENCES,
    "swagger-ui.css": SWAGGER_UI_LICENCES,
}
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
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
    content = _licence_texts() if name == LICENCES else _content(name)
    digest = hashlib.blake2b(content, digest_size=DIGEST_BYTES).hexdigest()
    return StaticFile(name, content, gzip.compress(content, mtime=0), digest)


def _content(name: str) -> bytes:
    path = _package_path(*LIBRARIES[name]) if name in LIBRARIES else None
    if name in explorer_files():
        path = FOLDER / name
    if path is None:
        raise NotFoundError("There is no such file.")
    return path.read_bytes()


def _package_path(package: str, path: str) -> Path | None:
    spec = find_spec(package)  # does not import the package
    folders = spec.submodule_search_locations if spec else None
    return Path(next(iter(folders))) / path if folders else None


def _licence_texts() -> bytes:
    """Return the licence texts of all libraries, unchanged, each group under the names of its files."""
    names: defaultdict[tuple[tuple[str, str], ...], list[str]] = defaultdict(list)
    for name, files in LICENCE_FILES.items():
        names[files].append(name)
    parts = []
    for files, group in names.items():
        heading = ", ".join(group).encode()
        parts += [heading, b"=" * len(heading)]
        parts += [path.read_bytes() for file in files if (path := _package_path(*file))]
    return b"\n\n".join(parts)


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
