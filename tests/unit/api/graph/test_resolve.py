"""Texts that are the full id of an entity."""

from __future__ import annotations

import pytest

from api.graph.resolve import EntityReference
from schema.vocabulary import read_vocabulary
from tests.support.project import MAPPINGS

VOCABULARY = read_vocabulary(MAPPINGS)
CARD = {"id": "disability:down-syndrome", "type": "disability", "slug": "down-syndrome", "name": "Down Syndrome"}
JOB = {
    "id": "occupation:15-1252.00",
    "type": "occupation",
    "slug": "software-developers",
    "name": "Software Developers",
}


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
    reference = EntityReference.parse(VOCABULARY, text)
    assert [card for card in (CARD, JOB) if reference.is_id_of(card)] == cards
