"""Text as the analyzers see it: tables of text → expected."""

from __future__ import annotations

import pytest

from api.words import fold, squeeze, words


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", ""),
        ("Crohn's", "crohns"),
        ("Crohn\u2019s", "crohns"),
        ("Crohn`s", "crohns"),
        ("crohns", "crohns"),
        ("Guillain-Barré", "guillain-barre"),
        ("Barre\u0301", "barre"),  # the accent as a letter of its own
        ("Sjögren Syndrome", "sjogren syndrome"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("\ufb01bre", "fibre"),  # one character for "fi"
        ("DayPlan™", "dayplantm"),  # lower case even where folding brings new letters
        ("sit/stand  desk", "sit/stand  desk"),  # space and punctuation stay
    ],
)
def test_folding_takes_case_accents_and_apostrophes(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "squeezed"),
    [
        ("", ""),
        (" - / ", ""),
        ("Sit/Stand Desk", "sitstanddesk"),
        ("sit-stand desk", "sitstanddesk"),
        ("sit stand  desk", "sitstanddesk"),
        ("snake_case", "snakecase"),
        ("Crohn\u2019s Disease", "crohnsdisease"),
        ("15-1252.00", "15125200"),
        ("Guillain-Barré", "guillainbarre"),
    ],
)
def test_squeezing_keeps_letters_and_digits_only(text: str, squeezed: str) -> None:
    assert squeeze(text) == squeezed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Memory Loss", ["memory", "loss"]),
        ("Headsets", ["headset"]),
        ("disabilities", ["disability"]),
        ("Attentiveness/Concentration", ["attentiveness", "concentration"]),
        ("MS", ["ms"]),  # short words keep their s
        ("gas als", ["gas", "als"]),
        ("glass virus paralysis", ["glass", "virus", "paralysis"]),  # not plurals
        ("keys", ["key"]),
        ("Crohn's", ["crohn"]),
        ("wheel_chair", ["wheel", "chair"]),
        ("C-5 injury", ["c", "5", "injury"]),
    ],
)
def test_words_lose_plural_endings_and_nothing_else(text: str, expected: list[str]) -> None:
    assert words(text) == tuple(expected)
