"""Packs values for binary fields (base64 of deflated JSON), and export files in gzip chunks.

Fields that are read whole and never searched are stored packed: OpenSearch neither parses them nor stores them a second
time, and returns them without reading the document's source.
"""

import hashlib
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

FASTEST_LEVEL = 1  # level 6 takes half as long again and saves a tenth


def pack(value: object) -> str:
    """Return the value as text for a binary field."""
    return b64encode(zlib.compress(orjson.dumps(value), FASTEST_LEVEL)).decode()


def unpack(text: str) -> Any:  # noqa: ANN401 - whatever was packed
    """Return the packed value; the padding, which OpenSearch drops, may be missing."""
    return orjson.loads(zlib.decompress(b64decode(f"{text}==")))


COMPRESSION_LEVEL = 3  # takes less than half as long as level 6; the file is a sixth larger
HEADER = b"\x1f\x8b\x08" + bytes(6) + b"\xff"  # deflate, no flags, no time, no system
WORD = 2**32


def unpack_piece(piece: bytes, number: int) -> bytes:
    """Return the unpacked bytes of a piece; `number` counts the pieces of a file from 0."""
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(piece[len(HEADER) :] if number == 0 else piece)


class Packer:
    """Packs one file. When `pieces` has ended, the sums and sizes are those of the whole file.

    `pieces` of `sizes` are (unpacked, packed) bytes; the gzip header is in the first piece, the trailer in the last.
    """

    def __init__(self) -> None:
        self.sizes: list[tuple[int, int]] = []
        self._plain = hashlib.sha256()
        self._packed = hashlib.sha256()

    def pieces(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """The packed pieces of these parts, at least one."""
        deflate = zlib.compressobj(COMPRESSION_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        crc, length = 0, 0
        held, held_size = HEADER, 0
        for number, part in enumerate(parts):
            if number:
                yield self._piece(held, held_size)
                held = b""
            crc, length = zlib.crc32(part, crc), length + len(part)
            self._plain.update(part)
            held, held_size = held + deflate.compress(part) + deflate.flush(zlib.Z_FULL_FLUSH), len(part)
        trailer = crc.to_bytes(4, "little") + (length % WORD).to_bytes(4, "little")
        yield self._piece(held + deflate.flush() + trailer, held_size)

    def _piece(self, packed: bytes, size: int) -> bytes:
        self.sizes.append((size, len(packed)))
        self._packed.update(packed)
        return packed

    @property
    def plain(self) -> tuple[int, str]:
        """Size and SHA-256 of the unpacked file."""
        return sum(size for size, _ in self.sizes), self._plain.hexdigest()

    @property
    def packed(self) -> tuple[int, str]:
        """Size and SHA-256 of the gzip file."""
        return sum(size for _, size in self.sizes), self._packed.hexdigest()
