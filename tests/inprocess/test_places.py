"""Which of several hits a text names: a full id is nobody else's name."""

from __future__ import annotations

import pytest

from api.places import Asked
from api.vocabulary import read_vocabulary
from tests.contract.project import MAPPINGS

VOCABULARY = read_vocabulary(MAPPINGS)
CARD = {"id": "disability:down-syndrome", "type": "disability", "slug": "down-syndrome", "name": "Down Syndrome"}
JOB = {
    "id": "occupation:15-1252.00",
    "type": "occupation",
    "slug": "software-developers",
    "name": "Software Developers",
}


@pytest.mark.parametrize(
    ("given", "cards"),
    [
        ("disability:down-syndrome", [CARD]),
        ("disability: Down-Syndrome ", [CARD]),
        ("disability:down syndrome", []),  # a name, with the type that is meant
        ("down-syndrome", []),
        ("limitation:down-syndrome", []),
        ("occupation:15-1252.00", [JOB]),
        ("occupation:software-developers", [JOB]),
    ],
)
def test_a_full_id_is_known(given: str, cards: list[dict[str, str]]) -> None:
    asked = Asked.of(VOCABULARY, given)
    assert [card for card in (CARD, JOB) if asked.is_id_of(card)] == cards
