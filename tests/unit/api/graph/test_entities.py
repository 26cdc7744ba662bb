"""Ids of entities as requests write them."""

from __future__ import annotations

import pytest

from api.errors import NotFoundError
from api.graph.entities import full_id


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("low-vision", "disability:low-vision"),
        ("disability:low-vision", "disability:low-vision"),
        ("limitation:low-vision", "disability:limitation:low-vision"),  # an id of another type is a key here
    ],
)
def test_a_key_gets_the_prefix_of_its_type(text: str, id_: str) -> None:
    assert full_id("disability", text) == id_


def test_the_error_for_a_long_id_gives_only_its_length() -> None:
    with pytest.raises(NotFoundError, match=r"^There is no disability with an id of 5000 characters\.$"):
        full_id("disability", "x" * 5000)
