"""Sends a file of the export: whole or a range, as it is or as gzip, or not at all where the caller has it already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from starlette.responses import Response, StreamingResponse

from api.boundary import HEAD_ASKED
from api.envelope import matches
from api.exports import read
from api.ranges import wanted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from api.engine import Engine
    from api.exports import File
    from api.release import Release

CHARSET = {"text/csv": "text/csv; charset=utf-8; header=present"}
DIGEST = 32  # digits of the SHA-256 in an ETag
NOT_GZIP = re.compile(r"(?:^|;)\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)")  # a quality of zero


async def download(engine: Engine, release: Release, file: File, request: Request, cache: str) -> Response:
    """The answer to a request for one file; RangeError where the range begins after its end.

    Ranges are of the file as it is named. A caller that takes gzip and asks for no range gets a packed file unasked.
    """
    ranged = request.headers.get("range")
    form = file.packed if ranged is None and _takes_gzip(request) else file.own
    tag = f'"{form.sha256[:DIGEST]}"'
    headers = {"ETag": tag, "Cache-Control": cache, "Vary": "Accept-Encoding", "Accept-Ranges": "bytes"}
    if (known := request.headers.get("if-none-match")) is not None and matches(known, tag):
        return Response(status_code=304, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    if form is not file.own:
        headers["Content-Encoding"] = "gzip"
    condition = request.headers.get("if-range")
    part = wanted(ranged, form.bytes) if condition in (None, tag) else None
    start, stop = part or (0, form.bytes)
    headers["Content-Length"] = str(stop - start)
    if part is not None:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{form.bytes}"
    status = 200 if part is None else 206
    media_type = CHARSET.get(file.media_type, file.media_type)
    if request.scope.get(HEAD_ASKED):
        return Response(status_code=status, headers=headers, media_type=media_type)
    content = read(engine, release, file, form, start, stop)
    first = await anext(content)  # while an error can still be answered as one
    return StreamingResponse(_rest(first, content), status_code=status, headers=headers, media_type=media_type)


async def _rest(first: bytes, content: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in content:
        yield piece


def _takes_gzip(request: Request) -> bool:
    coded = (one.strip().lower().partition(";") for one in request.headers.get("accept-encoding", "").split(","))
    return any(name.strip() in ("gzip", "x-gzip", "*") and not NOT_GZIP.search(rest) for name, _, rest in coded)
