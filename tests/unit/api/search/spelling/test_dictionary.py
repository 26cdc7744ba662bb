"""Which words are correct English: common and rare, American and British."""

from __future__ import annotations

import pytest

from api.search.spelling.dictionary import BritishToo

WORDS = BritishToo(
    (
        "memorize", "memorized", "analyzing", "color", "colors", "behavioral", "center", "anemia", "pediatric", "edema",
        "fetal", "celiac", "modeling", "catalog", "rise", "driver", "professor", "director", "related",
    )
)  # fmt: skip


@pytest.mark.parametrize(
    "word",
    [
        "memorised", "memorise", "analysing", "colour", "colours", "behavioural", "centre", "anaemia", "paediatric",
        "oedema", "foetal", "coeliac", "modelling", "catalogue",
    ],
)  # fmt: skip
def test_a_british_spelling_is_correct_where_the_american_is(word: str) -> None:
    assert word in WORDS


@pytest.mark.parametrize(
    "word", ["memmorised", "coulor", "cenre", "anaemai", "rize", "drivre", "profoessor", "directour", "relataed", ""]
)
def test_a_slip_is_no_british_spelling(word: str) -> None:
    assert word not in WORDS
