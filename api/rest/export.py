"""Export files: `/export` lists them, `/export/{file}` sends one, whole or a byte range, as it is or compressed."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response, StreamingResponse

from api import models
from api.context import AppContext
from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.graph.release_contents import ExportFile, live_export, read_file
from api.http.envelope import etag_matches
from api.http.request_headers import accepts, parse_range
from api.http.request_policy import IS_HEAD
from api.rest.openapi import file_route_options, route_options

MEDIA_TYPES = {"text/csv": "text/csv; charset=utf-8; header=present", "text/plain": "text/plain; charset=utf-8"}
RELATIONS = {"datapackage.json": "describedby", "attributions.txt": "license"}  # of the files that describe all others
ETAG_DIGITS = 32  # of the file's SHA-256
GZIP = ("gzip", "x-gzip", "*")
FileName = Annotated[str, Path(description="A file name; /export lists them.")]


def add_export_routes(router: APIRouter, context: AppContext) -> None:
    """Add `/export` and `/export/{file}`."""

    @router.get("/export", **route_options("exports", models.ExportPage))
    async def exports(request: Request) -> Response:
        """List the files that hold the whole release, with their sizes and checksums."""
        return context.respond(request, await context.service.export())

    @router.get("/export/{file}", **file_route_options("export"))
    async def export(request: Request, file: FileName) -> Response:
        """Send one file of the release, whole or in part."""
        live = await live_export(context.engine)
        headers = {"Cache-Control": context.envelope.cache_control, "Link": _links(live.files)}
        return await send_file(context.engine, live.release, live.require_file(file), request, headers)


def _links(files: Sequence[ExportFile]) -> str:
    """Return the `Link` header of every file, to provenance and terms. Releases before version 32 lack the terms."""
    names = (file.name for file in files if file.name in RELATIONS)
    return ", ".join(f'</export/{name}>; rel="{RELATIONS[name]}"' for name in names)


async def send_file(
    engine: SearchEngine, release: Release, file: ExportFile, request: Request, shared_headers: Mapping[str, str]
) -> Response:
    """Return a response with the file, a range of it, or 304; raise RangeError if the range starts after the end.

    Ranges are of the uncompressed file. Without a range, a client that accepts gzip gets the compressed file.
    """
    range_header = request.headers.get("range")
    accepts_gzip = accepts(request.headers.get("accept-encoding", ""), GZIP)
    encoding = file.gzip if range_header is None and accepts_gzip else file.native
    etag = f'"{encoding.sha256[:ETAG_DIGITS]}"'
    headers = {**shared_headers, "ETag": etag, "Vary": "Accept-Encoding", "Accept-Ranges": "bytes"}
    if (if_none_match := request.headers.get("if-none-match")) is not None and etag_matches(if_none_match, etag):
        return Response(status_code=304, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    if encoding is not file.native:
        headers["Content-Encoding"] = "gzip"
    if_range = request.headers.get("if-range")
    byte_range = parse_range(range_header, encoding.bytes) if if_range in (None, etag) else None
    start, stop = byte_range or (0, encoding.bytes)
    headers["Content-Length"] = str(stop - start)
    if byte_range is not None:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{encoding.bytes}"
    status = 200 if byte_range is None else 206
    media_type = MEDIA_TYPES.get(file.media_type, file.media_type)
    if request.scope.get(IS_HEAD):
        return Response(status_code=status, headers=headers, media_type=media_type)
    content = read_file(engine, release, file, encoding, start, stop)
    first = await anext(content)  # before the headers go out, an error can still get its own response
    return StreamingResponse(_prepend(first, content), status_code=status, headers=headers, media_type=media_type)


async def _prepend(first: bytes, content: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for chunk in content:
        await asyncio.sleep(0)  # other requests get their turn
        yield chunk
