"""A packed value is the same after unpacking."""

from __future__ import annotations

import pytest

from schema.codec import pack, unpack


@pytest.mark.parametrize(
    "value", [None, [], {}, "Sjögren", {"needs": [{"weight": 0.25, "name": "Memory"}] * 40}], ids=str
)
def test_a_packed_value_is_the_same_after_unpacking_with_and_without_padding(value: object) -> None:
    text = pack(value)
    assert unpack(text) == unpack(text.rstrip("=")) == value
