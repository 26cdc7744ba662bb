"""Which words are correct English: common and rare, American and British."""

from __future__ import annotations

import pytest

from api.dictionary import BritishToo

WORDS = BritishToo(
    (
        "memorize",
        "memorized",
        "analyzing",
        "color",
        "colors",
        "center",
        "anemia",
        "modeling",
        "catalog",
        "wagon",
        "rise",
    )
)


@pytest.mark.parametrize(
    "word",
    [
        "memorised",
        "memorise",
        "analysing",
        "colour",
        "colours",
        "centre",
        "anaemia",
        "modelling",
        "catalogue",
        "waggon",
    ],
)
def test_a_british_spelling_is_correct_where_the_american_is(word: str) -> None:
    assert word in WORDS


@pytest.mark.parametrize("word", ["memmorised", "coulor", "cenre", "anaemai", "rize", "wagonn", ""])
def test_a_slip_is_no_british_spelling(word: str) -> None:
    assert word not in WORDS
