"""English words: which are common, which are rare, and which are none."""

import pytest

from schema.english_words import Dictionary, english_words, is_common_abbreviation, is_common_word
from schema.text import tokens


@pytest.mark.parametrize("word", ["work", "headache", "vision", "remote", "doors", "memorized", "color"])
def test_common_words(word: str) -> None:
    assert word in english_words()
    assert is_common_word(word)


@pytest.mark.parametrize("word", ["mouser", "carpel"])
def test_rare_words_are_words_too(word: str) -> None:
    assert word in english_words()
    assert not is_common_word(word)


@pytest.mark.parametrize("word", ["wrok", "xyz", "fibromialgia", "", "at", "Work", "memorised", "colour"])
def test_other_texts_are_no_words(word: str) -> None:
    """Words of two letters are too short, others are in lower case and in American spelling, as tokens are."""
    assert word not in english_words()
    assert not is_common_word(word)


@pytest.mark.parametrize("text", ["memorised", "colour", "behavioural", "oedema", "modelling", "centre"])
def test_british_words_are_words_as_tokens(text: str) -> None:
    assert all(token in english_words() for token in tokens(text))


def test_common_and_rare_words_are_apart() -> None:
    words = Dictionary(frozenset(("desk",)), frozenset(("carpel",)))
    assert [word in words for word in ("desk", "carpel", "lamp")] == [True, True, False]
    assert english_words() is english_words()  # read once


@pytest.mark.parametrize("word", ["SAD", "DOORS", "TARPS", "BED"])
def test_an_abbreviation_in_capitals_may_be_a_common_word(word: str) -> None:
    assert is_common_abbreviation(word)


@pytest.mark.parametrize("word", ["Sad", "sad", "ADHD", "PTSD"])
def test_other_words_are_no_such_abbreviations(word: str) -> None:
    assert not is_common_abbreviation(word)
