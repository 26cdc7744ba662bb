"""Compresses an export file as one gzip member, cut into chunks."""

import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator

from schema.json_types import JsonObject

COMPRESSION_LEVEL = 3  # takes less than half as long as level 6; the file is a sixth larger
HEADER = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"  # without a name and a time, the same parts give the same bytes


class Digest:
    """Size and SHA-256 of the bytes so far."""

    def __init__(self) -> None:
        self.bytes = 0
        self._sha256 = hashlib.sha256()

    def update(self, data: bytes) -> None:
        """Add these bytes."""
        self.bytes += len(data)
        self._sha256.update(data)

    @property
    def sha256(self) -> str:
        """The SHA-256 in hexadecimal digits."""
        return self._sha256.hexdigest()

    def as_json(self) -> JsonObject:
        """Return size and SHA-256."""
        return {"bytes": self.bytes, "sha256": self.sha256}


class ChunkedGzipFile:
    """Compresses one file. When `chunks` ends, both digests and `chunk_sizes` are those of the whole file."""

    def __init__(self) -> None:
        self.plain = Digest()
        self.gzip = Digest()
        self.chunk_sizes: list[int] = []

    def chunks(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Yield one chunk for each part, and at least one.

        All chunks together are the gzip file. None can be decompressed without those before it.
        """
        # Not by gzip.GzipFile: from Python 3.14 on, it collects several parts before it compresses them.
        deflate = zlib.compressobj(COMPRESSION_LEVEL, wbits=-zlib.MAX_WBITS)
        chunk, crc = HEADER, 0
        for number, part in enumerate(parts):
            if number:
                yield self._count(chunk)
                chunk = b""
            self.plain.update(part)
            crc = zlib.crc32(part, crc)
            chunk += deflate.compress(part)
        yield self._count(chunk + deflate.flush() + struct.pack("<LL", crc, self.plain.bytes & 0xFFFFFFFF))

    def _count(self, chunk: bytes) -> bytes:
        self.gzip.update(chunk)
        self.chunk_sizes.append(len(chunk))
        return chunk
