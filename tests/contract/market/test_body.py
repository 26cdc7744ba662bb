"""Reading bodies: one layer of gzip, a size limit, and no more memory than that."""

import gzip
import tracemalloc
from collections.abc import AsyncIterator

import httpx
import pytest

from indexer.market.body import Body, EncodingError, read_body

MAX_BYTES = 100_000
TEXT = b"<p>Time Timer</p>"


class Sent(httpx.AsyncByteStream):
    """A body in chunks, as a server sends it."""

    def __init__(self, body: bytes, chunk_bytes: int) -> None:
        self._body, self._chunk_bytes = body, chunk_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self._body), self._chunk_bytes):
            yield self._body[start : start + self._chunk_bytes]


def response(body: bytes, encoding: str = "gzip", chunk_bytes: int = 1_000) -> httpx.Response:
    return httpx.Response(200, stream=Sent(body, chunk_bytes), headers={"Content-Encoding": encoding})


def compressed(size: int, layers: int = 1) -> bytes:
    body = TEXT.ljust(size)
    for _ in range(layers):
        body = gzip.compress(body)
    return body


@pytest.mark.parametrize("chunk_bytes", [1, 7, 1_000_000])
@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (TEXT, ""),
        (TEXT, "identity"),
        (gzip.compress(TEXT), "gzip"),
        (gzip.compress(TEXT), " X-GZIP "),
        (gzip.compress(TEXT) + b"junk", "gzip"),
    ],
)
async def test_reads_and_unpacks(body: bytes, encoding: str, chunk_bytes: int) -> None:
    assert await read_body(response(body, encoding, chunk_bytes), MAX_BYTES) == Body(TEXT)


async def test_the_limit_counts_unpacked_bytes() -> None:
    for sent, is_complete in [
        (response(compressed(MAX_BYTES)), True),
        (response(b"x" * MAX_BYTES, ""), True),
        (response(compressed(MAX_BYTES + 1)), False),
        (response(b"x" * (MAX_BYTES + 1), ""), False),
    ]:
        body = await read_body(sent, MAX_BYTES)
        assert (len(body.content), body.is_complete) == (MAX_BYTES, is_complete)


async def test_the_limit_counts_packed_bytes() -> None:
    empty_blocks = gzip.compress(b"")[:10] + b"\0\0\0\xff\xff" * MAX_BYTES  # unpacks to nothing
    assert await read_body(response(empty_blocks), MAX_BYTES) == Body(b"", is_complete=False)


@pytest.mark.parametrize("chunk_bytes", [100, 10_000_000])
async def test_a_large_body_in_few_bytes_takes_no_memory(chunk_bytes: int) -> None:
    bomb = response(compressed(100_000_000), chunk_bytes=chunk_bytes)
    tracemalloc.start()
    assert not (await read_body(bomb, MAX_BYTES)).is_complete
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * MAX_BYTES


@pytest.mark.parametrize("encoding", ["gzip, gzip", "gzip, identity", "deflate", "br", "zstd", "aws-chunked"])
async def test_rejects_other_encodings_unread(encoding: str) -> None:
    with pytest.raises(EncodingError):
        await read_body(response(compressed(1_000, layers=2), encoding), MAX_BYTES)


async def test_reports_damaged_gzip() -> None:
    with pytest.raises(httpx.DecodingError):
        await read_body(response(b"not compressed"), MAX_BYTES)
