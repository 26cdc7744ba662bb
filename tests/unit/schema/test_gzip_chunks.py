"""Pieces of a gzip file: together the file, alone readable, and the same bytes every time."""

from __future__ import annotations

import gzip
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.codec import Packer, unpack_piece


def pack(parts: list[bytes]) -> tuple[Packer, list[bytes]]:
    packer = Packer()
    return packer, list(packer.pieces(parts))


@given(st.lists(st.binary(max_size=400), max_size=6))
def test_all_pieces_together_are_a_plain_gzip_file(parts: list[bytes]) -> None:
    packer, pieces = pack(parts)
    whole, packed = b"".join(parts), b"".join(pieces)
    assert gzip.decompress(packed) == whole
    assert packer.plain == (len(whole), hashlib.sha256(whole).hexdigest())
    assert packer.packed == (len(packed), hashlib.sha256(packed).hexdigest())
    assert pack(parts)[1] == pieces


@given(st.lists(st.binary(max_size=400), min_size=1, max_size=6))
def test_each_piece_can_be_read_alone(parts: list[bytes]) -> None:
    packer, pieces = pack(parts)
    assert [unpack_piece(piece, number) for number, piece in enumerate(pieces)] == parts
    assert packer.sizes == [(len(part), len(piece)) for part, piece in zip(parts, pieces, strict=True)]


@pytest.mark.parametrize("parts", [[], [b""]])
def test_nothing_is_one_piece(parts: list[bytes]) -> None:
    _, (piece,) = pack(parts)
    assert gzip.decompress(piece) == b""


def test_no_time_and_no_name_stand_in_the_header() -> None:
    _, (piece,) = pack([b"x"])
    assert piece[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
