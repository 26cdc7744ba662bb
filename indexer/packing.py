"""A file of an export as one gzip stream in pieces, each of which can be unpacked alone. Pure.

Between pieces the compressor starts afresh (a full flush), so any part of the unpacked file can be read from the pieces
that hold it, and all pieces together are the plain gzip file. On one machine the same content gives the same bytes: no
time, no name.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from isal import isal_zlib

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LEVEL = 3  # its best, in a quarter of the time of zlib's usual one; the file is a seventh larger
HEADER = b"\x1f\x8b\x08" + bytes(6) + b"\xff"  # deflate, no flags, no time, no system
WORD = 2**32


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
        deflate = isal_zlib.compressobj(LEVEL, isal_zlib.DEFLATED, -isal_zlib.MAX_WBITS)
        crc, length = 0, 0
        held, held_size = HEADER, 0
        for number, part in enumerate(parts):
            if number:
                yield self._piece(held, held_size)
                held = b""
            crc, length = isal_zlib.crc32(part, crc), length + len(part)
            self._plain.update(part)
            held, held_size = held + deflate.compress(part) + deflate.flush(isal_zlib.Z_FULL_FLUSH), len(part)
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
