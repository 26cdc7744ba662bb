"""Reads the body of a response up to a size limit; a compressed body is unpacked in steps that cannot exceed it."""

import zlib
from dataclasses import dataclass

import httpx

GZIP = zlib.MAX_WBITS | 16
ENCODINGS = ("", "identity", "gzip", "x-gzip")


class EncodingError(Exception):
    """The body has a content encoding that was not requested, such as two layers of gzip."""


@dataclass(frozen=True, slots=True)
class Body:
    """The unpacked bytes of a response, or as many of them as fit the limit."""

    content: bytes
    is_complete: bool = True


async def read_body(response: httpx.Response, max_bytes: int) -> Body:
    """Return the unpacked body up to a limit; raise EncodingError, or httpx.DecodingError if it is damaged."""
    unpacker = _Unpacker(response.headers.get("Content-Encoding", ""), max_bytes)
    assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - the transport is asynchronous
    try:
        async for chunk in response.stream:
            unpacker.add(chunk)
            if unpacker.is_at_end or not unpacker.fits:
                break
    except zlib.error as error:
        raise httpx.DecodingError(str(error)) from error
    return Body(bytes(unpacker.body[:max_bytes]), unpacker.fits)


class _Unpacker:
    """Collects chunks of a body that is plain or in one layer of gzip."""

    def __init__(self, encoding: str, max_bytes: int) -> None:
        encoding = encoding.strip().lower()
        if encoding not in ENCODINGS:
            raise EncodingError(encoding)
        self._gzip = zlib.decompressobj(GZIP) if encoding.endswith("gzip") else None
        self._max_bytes = max_bytes
        self._received = 0
        self.body = bytearray()

    @property
    def is_at_end(self) -> bool:
        """Whether what follows does not belong to the body."""
        return self._gzip is not None and self._gzip.eof

    @property
    def fits(self) -> bool:
        """Whether the body so far, packed or not, is within the limit."""
        return max(len(self.body), self._received) <= self._max_bytes

    def add(self, chunk: bytes) -> None:
        """Add as much of a chunk as fits, and one byte more if there is more."""
        self._received += len(chunk)
        room = self._max_bytes - len(self.body) + 1
        self.body += chunk[:room] if self._gzip is None else self._gzip.decompress(chunk, room)
