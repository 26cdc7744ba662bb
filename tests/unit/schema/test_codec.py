"""A packed value is the same after unpacking; the chunks of a gzip file can be read together or alone."""

import gzip
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.codec import Packer, pack, unpack, unpack_piece


@pytest.mark.parametrize(
    "value", [None, [], {}, "Sjögren", {"needs": [{"weight": 0.25, "name": "Memory"}] * 40}], ids=str
)
def test_a_packed_value_is_the_same_after_unpacking_with_and_without_padding(value: object) -> None:
    text = pack(value)
    assert unpack(text) == unpack(text.rstrip("=")) == value


def packed_file(parts: list[bytes]) -> tuple[Packer, list[bytes]]:
    packer = Packer()
    return packer, list(packer.pieces(parts))


@given(st.lists(st.binary(max_size=400), max_size=6))
def test_all_pieces_together_are_a_plain_gzip_file(parts: list[bytes]) -> None:
    packer, pieces = packed_file(parts)
    plain, packed = b"".join(parts), b"".join(pieces)
    assert gzip.decompress(packed) == plain
    assert packer.plain == (len(plain), hashlib.sha256(plain).hexdigest())
    assert packer.packed == (len(packed), hashlib.sha256(packed).hexdigest())
    assert packed_file(parts)[1] == pieces


@given(st.lists(st.binary(max_size=400), min_size=1, max_size=6))
def test_each_piece_can_be_read_alone(parts: list[bytes]) -> None:
    packer, pieces = packed_file(parts)
    assert [unpack_piece(piece, number) for number, piece in enumerate(pieces)] == parts
    assert packer.sizes == [(len(part), len(piece)) for part, piece in zip(parts, pieces, strict=True)]


@pytest.mark.parametrize("parts", [[], [b""]])
def test_an_empty_file_is_one_piece(parts: list[bytes]) -> None:
    _, (piece,) = packed_file(parts)
    assert gzip.decompress(piece) == b""


def test_the_header_has_no_time_and_no_file_name() -> None:
    _, (piece,) = packed_file([b"x"])
    assert piece[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
