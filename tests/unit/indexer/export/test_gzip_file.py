"""The chunks of an export file are one gzip member."""

import gzip
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.export.gzip_file import ChunkedGzipFile


def compressed(parts: list[bytes]) -> tuple[ChunkedGzipFile, list[bytes]]:
    file = ChunkedGzipFile()
    return file, list(file.chunks(parts))


@given(st.lists(st.binary(max_size=400), max_size=6))
def test_the_chunks_are_a_gzip_file_with_its_digests(parts: list[bytes]) -> None:
    file, chunks = compressed(parts)
    plain, packed = b"".join(parts), b"".join(chunks)
    assert gzip.decompress(packed) == plain
    assert file.plain.as_json() == {"bytes": len(plain), "sha256": hashlib.sha256(plain).hexdigest()}
    assert file.gzip.as_json() == {"bytes": len(packed), "sha256": hashlib.sha256(packed).hexdigest()}
    assert file.chunk_sizes == [len(chunk) for chunk in chunks]
    assert len(chunks) == max(1, len(parts))  # so that a build can count them before it compresses
    assert compressed(parts)[1] == chunks


def test_a_part_is_compressed_before_the_next_one_is_read() -> None:
    parts = [hashlib.shake_256(bytes([number])).digest(100_000) for number in range(4)]
    _, chunks = compressed(parts)
    assert all(len(chunk) > 50_000 for chunk in chunks)


@pytest.mark.parametrize("parts", [[], [b""]])
def test_an_empty_file_has_one_chunk(parts: list[bytes]) -> None:
    _, (chunk,) = compressed(parts)
    assert gzip.decompress(chunk) == b""


def test_the_header_has_no_time_and_no_file_name() -> None:
    _, (chunk,) = compressed([b"x"])
    assert chunk[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
