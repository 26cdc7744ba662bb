"""British spellings of the names of the content are equal to these."""

import csv

from schema.spelling_variants import BRITISH_LETTERS, american
from schema.text import tokens
from tests.support.project import ROOT

NAMES = {
    "aliases.csv": "text",
    "condition_names.csv": "text",
    "disabilities.csv": "name",
    "limitations.csv": "name",
    "narrower_conditions.csv": "name",
    "occupation_titles.csv": "title",
    "occupations.csv": "name",
    "products.csv": "name",
    "solutions.csv": "name",
    "workrelatedfunctions.csv": "name",
}
RARE = {"daltonize", "recausticizing", "mylifeorganized"}  # not in the list, and only -isation has a rule


def test_british_spellings_of_all_names_are_equal_to_them() -> None:
    respelled = british_names()
    assert len(respelled) > 200  # words with American letters that British English writes otherwise
    assert {british: american(british) for british in respelled} == {
        british: american(word) for british, word in respelled.items()
    }


def british_names() -> dict[str, str]:
    """Return words of names by their British spelling, where that differs."""
    words: set[str] = set()
    for table, column in NAMES.items():
        with (ROOT / "content" / table).open(encoding="utf-8", newline="") as file:
            words.update(word for row in csv.DictReader(file) for word in tokens(row[column]))
    respelled = {word: word for word in words - RARE}
    for pattern, letters in BRITISH_LETTERS:
        respelled = {word: pattern.sub(letters, british) for word, british in respelled.items()}
    return {british: word for word, british in respelled.items() if british != word}
