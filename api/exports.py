"""The files of a release, read from the engine piece by piece: at most one piece is held at a time."""

from __future__ import annotations

import difflib
import zlib
from base64 import b64decode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from api.errors import NotFoundError
from api.naming import LONGEST_ID

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from api.engine import Engine
    from api.release import Release

LISTING = "export"
GZIP_HEADER = 10  # bytes before the first piece, as the indexer writes them
GZIP = "application/gzip"


@dataclass(frozen=True, slots=True)
class Form:
    """One way to send a file: as it is, or packed as gzip. `sizes` are those of its pieces."""

    packed: bool
    bytes: int
    sha256: str
    sizes: Sequence[int]


@dataclass(frozen=True, slots=True)
class File:
    """A file of a release. `own` is the form it is named for: a `.gz` file is packed, all others are not."""

    name: str
    media_type: str
    title: str
    rows: int | None
    plain: Form
    packed: Form

    @staticmethod
    def of(told: Mapping[str, Any]) -> File:
        """Read what the indexer lists (`indexer/export.py`)."""
        plain, packed = told["plain"], told["packed"]
        return File(
            told["name"],
            told["media_type"],
            told["title"],
            told["rows"],
            Form(packed=False, **plain, sizes=[size for size, _ in told["pieces"]]),
            Form(packed=True, **packed, sizes=[size for _, size in told["pieces"]]),
        )

    @property
    def own(self) -> Form:
        """What the file's bytes and sum are."""
        return self.packed if self.media_type == GZIP else self.plain


@dataclass(frozen=True, slots=True)
class Export:
    """The files of one release."""

    release: Release
    files: Sequence[File]

    @property
    def listing(self) -> dict[str, Any]:
        """What callers are told of the files, each with where it is."""
        return {
            "files": [
                {
                    "name": file.name,
                    "url": f"/export/{file.name}",
                    "media_type": file.media_type,
                    "title": file.title,
                    "rows": file.rows,
                    "bytes": file.own.bytes,
                    "sha256": file.own.sha256,
                }
                for file in self.files
            ]
        }

    def named(self, name: str) -> File:
        """One of them; raise NotFoundError with the nearest name where there is none."""
        for file in self.files:
            if file.name == name:
                return file
        names = [file.name for file in self.files]
        near = difflib.get_close_matches(name[:LONGEST_ID], names, n=1, cutoff=0.4)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise NotFoundError(f"There is no file {name[:LONGEST_ID]!r}.{hint} Files: {', '.join(names)}.")


async def live_export(engine: Engine) -> Export:
    """The files of the live release. One engine request."""
    (document,), release = await engine.fetch([LISTING])
    if document is None:
        raise NotFoundError("The live release has no export. It was built before there was one; build it again.")
    return Export(release, [File.of(told) for told in document["files"]])


async def read(
    engine: Engine, release: Release, file: File, form: Form, start: int = 0, stop: int | None = None
) -> AsyncIterator[bytes]:
    """The bytes of a file from `start` up to `stop`, in pieces; one engine request for each."""
    end = form.bytes if stop is None else stop
    place = 0
    for number, size in enumerate(form.sizes):
        if place < end and place + size > start:
            (document,), _ = await engine.fetch([f"{LISTING}/{file.name}/{number}"], of=release)
            if document is None:
                raise NotFoundError(f"A part of {file.name} is gone.")
            piece = b64decode(document["piece"])
            content = piece if form.packed else _unpacked(piece, number)
            yield content[max(0, start - place) : end - place]
        place += size


def _unpacked(piece: bytes, number: int) -> bytes:
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(piece[GZIP_HEADER:] if number == 0 else piece)
