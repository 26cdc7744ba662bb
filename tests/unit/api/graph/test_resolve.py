"""Ids of entities as requests write them."""

import pytest

from api.errors import NotFoundError
from api.graph.query_bodies import full_id
from api.graph.resolve import EntityReference


def card(id_: str, slug: str, name: str) -> dict[str, str]:
    return {"id": id_, "type": id_.partition(":")[0], "slug": slug, "name": name}


CARD = card("disability:down-syndrome", "down-syndrome", "Down Syndrome")
JOB = card("occupation:15-1252.00", "software-developers", "Software Developers")


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("disability:down-syndrome", [CARD]),
        ("disability: Down-Syndrome ", [CARD]),
        ("disability:down syndrome", []),  # a name with a type
        ("down-syndrome", []),
        ("limitation:down-syndrome", []),
        ("occupation:15-1252.00", [JOB]),
        ("occupation:software-developers", [JOB]),
    ],
)
def test_recognizes_a_full_id(text: str, cards: list[dict[str, str]]) -> None:
    reference = EntityReference.parse(text)
    assert [card for card in (CARD, JOB) if reference.is_id_of(card)] == cards


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
