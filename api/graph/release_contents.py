"""What a release contains: its size, what changed in it, and its export files.

Export files are read from OpenSearch in chunks; at most one chunk is in memory, compressed, and a piece of its text.
"""

import math
import zlib
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from api.deadline import until
from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.errors import NotFoundError
from api.parameters import MAX_ID_LENGTH
from schema.document_ids import EXPORT, chunk_id
from schema.json_types import JsonObject
from schema.text import nearest
from schema.vocabulary import Vocabulary

GZIP = "application/gzip"
GZIP_WINDOW_BITS = 16 + zlib.MAX_WBITS  # with gzip header and trailer
PIECE_BYTES = 65_536  # of a decompressed file; with whole files, a hundred slow readers took 360 MB
ReadChunk = Callable[[int], Awaitable[bytes]]


def graph_summary(
    vocabulary: Vocabulary, counts: Mapping[str, Mapping[str, int]], examples: Mapping[str, str]
) -> JsonObject:
    """Return the types and edges with their counts, and a working example request for each that is not empty."""
    types = [
        {
            "name": name,
            "description": type_.description,
            "total": counts["types"].get(name, 0),
            "example": f"/{name}?limit=5",
        }
        for name, type_ in vocabulary.types.items()
    ]
    edges = [
        {
            "name": edge.name,
            "inverse": edge.inverse,
            "label": edge.label,
            "direction": edge.direction,
            "pairs": [list(pair) for pair in edge.pairs],
            "total": counts["edges"].get(edge.name, 0),
            "example": _example(edge.name, examples.get(edge.name)),
        }
        for edge in vocabulary.edges.values()
    ]
    totals = {"entities": sum(counts["types"].values()), "edges": sum(counts["edges"].values()) // 2}
    return {"types": types, "edges": edges, "totals": totals}


def graph_changes(document: Mapping[str, Any] | None, rules: Mapping[str, Any] | None) -> JsonObject:
    """Return the changes since the previous release; none if the release has no record of them."""
    empty: JsonObject = {
        "types": [],
        "edges": [],
        "totals": {"entities": 0, "edges": 0},
        "entities": [],
        "relations": [],
    }
    return {"since": None, **empty, **(document["changes"] if document else {}), "rules": rules}


def _example(edge: str, start: str | None) -> str | None:
    if start is None:
        return None
    kind, _, key = start.partition(":")
    return f"/{kind}/{key}/neighbors?edge={edge}&limit=5"


@dataclass(frozen=True, slots=True)
class Encoding:
    """A file as plain bytes or as gzip: its size and its digest."""

    is_gzip: bool
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file of the export, in both encodings. `chunk_sizes` are the bytes of gzip in each of its chunks."""

    name: str
    media_type: str
    title: str
    rows: int | None
    plain: Encoding
    gzip: Encoding
    chunk_sizes: Sequence[int]

    @staticmethod
    def parse(entry: Mapping[str, Any]) -> "ExportFile":
        """Parse an entry of the list that `indexer/export/documents.py` writes."""
        return ExportFile(
            entry["name"],
            entry["media_type"],
            entry["title"],
            entry["rows"],
            Encoding(is_gzip=False, **entry["plain"]),
            Encoding(is_gzip=True, **entry["gzip"]),
            entry["chunk_sizes"],
        )

    @property
    def native(self) -> Encoding:
        """The encoding of the file itself: gzip for a `.gz` file, plain for all others."""
        return self.gzip if self.media_type == GZIP else self.plain


@dataclass(frozen=True, slots=True)
class Export:
    """The files of one release."""

    release: Release
    files: Sequence[ExportFile]

    @property
    def listing(self) -> JsonObject:
        """The body of `GET /export`."""
        return {
            "files": [
                {
                    "name": file.name,
                    "url": f"/export/{file.name}",
                    "media_type": file.media_type,
                    "title": file.title,
                    "rows": file.rows,
                    "bytes": file.native.bytes,
                    "sha256": file.native.sha256,
                }
                for file in self.files
            ]
        }

    def require_file(self, name: str) -> ExportFile:
        """Return the file of this name; raise NotFoundError with the nearest name if there is none."""
        for file in self.files:
            if file.name == name:
                return file
        names = [file.name for file in self.files]
        near = nearest(name[:MAX_ID_LENGTH], names)
        hint = f" Did you mean {near}?" if near else ""
        raise NotFoundError(f"There is no file {name[:MAX_ID_LENGTH]!r}.{hint} Files: {', '.join(names)}.")


async def live_export(engine: SearchEngine) -> Export:
    """Return the files of the live release. One request to OpenSearch."""
    (document,), release = await engine.fetch([EXPORT])
    if document is None:
        raise NotFoundError("The live release has no export. Run `akg index build`.")
    return Export(release, [ExportFile.parse(entry) for entry in document["files"]])


def read_file(
    engine: SearchEngine,
    release: Release,
    file: ExportFile,
    encoding: Encoding,
    start: int = 0,
    stop: int | None = None,
) -> AsyncIterator[bytes]:
    """Yield the bytes of a file from `start` up to `stop` in chunks, with one request to OpenSearch for each."""
    end = encoding.bytes if stop is None else stop
    read = _read_gzip if encoding.is_gzip else read_plain
    return read(partial(_read_chunk, engine, release, file), file.chunk_sizes, start, end)


async def _read_gzip(read_chunk: ReadChunk, sizes: Sequence[int], start: int, end: int) -> AsyncIterator[bytes]:
    """Yield from the chunks that contain the range."""
    position = 0
    for number, size in enumerate(sizes):
        if position < end and position + size > start:
            yield (await read_chunk(number))[max(0, start - position) : end - position]
        position += size


async def read_plain(read_chunk: ReadChunk, sizes: Sequence[int], start: int, end: int) -> AsyncIterator[bytes]:
    """Decompress the file from its beginning, and yield from `start`, at most PIECE_BYTES at once."""
    decompressor = zlib.decompressobj(wbits=GZIP_WINDOW_BITS)
    position = 0
    for number in range(len(sizes)):
        if position >= end:
            return
        compressed = await read_chunk(number)
        while position < end and (piece := decompressor.decompress(compressed, PIECE_BYTES)):
            compressed = decompressor.unconsumed_tail
            if position + len(piece) > start:
                yield piece[max(0, start - position) : end - position]
            position += len(piece)


async def _read_chunk(engine: SearchEngine, release: Release, file: ExportFile, number: int) -> bytes:
    with until(math.inf):  # a download may take longer than a request, its chunks may not
        (document,), _ = await engine.fetch([chunk_id(file.name, number)], of=release)
    if document is None:
        raise NotFoundError(f"Chunk {number} of {file.name} is missing.")
    return b64decode(document["chunk"])
