"""Exact keys of ids, codes and names: which texts have the same key."""

import pytest

from schema import exact_keys
from schema.exact_keys import MAX_KEY_LENGTH, cased_form, code_key, id_key, keyword_key, letters_key, name_form
from schema.text import WORD, stems, tokens


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("", ""),
        ("+++", ""),
        ("Sit-stand desk", "sitstanddesk"),
        ("sit/stand desks", "sitstanddesk"),
        ("Crohn\u2019s Diseases", "crohndisease"),
        ("Crohns disease", "crohndisease"),
        ("Guillain-Barré", "guillainbarre"),
        ("Boxes of movies", "boxofmovy"),
        ("box of movie", "boxofmovy"),
        ("Tumours", "tumor"),
        ("MS", "ms"),  # short words keep their s
        ("M.S.", "ms"),
    ],
)
def test_the_form_of_a_name_ignores_case_punctuation_and_plurals(text: str, form: str) -> None:
    assert name_form(tokens(text)) == form


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("disability:Low-Vision", "id:disability:low-vision"),
        ("15-1252.00", "id:15-1252.00"),
        ("Café", "id:cafe"),
    ],
)
def test_the_key_of_an_id_keeps_its_punctuation(text: str, key: str) -> None:
    assert id_key(text) == key


@pytest.mark.parametrize("text", ["DOID:1210", "doid1210", "doid 1210", "DOID-1210"])
def test_the_punctuation_of_a_code_does_not_matter(text: str) -> None:
    assert code_key(text) == "code:doid1210"


@pytest.mark.parametrize("text", ["numb hands", "Hands, numb", "hand NUMB"])
def test_keywords_are_equal_in_any_order(text: str) -> None:
    assert keyword_key(stems(text)) == "words:hand numb"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("DOORS", "DOORS"),
        ("doors", None),
        ("Doors", None),
        ("DOORS Syndromes", "DOORSsyndrome"),  # only words in capitals are kept
        ("AD/HD", "ADHD"),
        ("Vitamin B", None),  # one letter is not a word in capitals
        ("KN95 masks", "KN95mask"),
    ],
)
def test_the_cased_form_of_a_name_keeps_words_in_capitals(text: str, form: str | None) -> None:
    assert cased_form(WORD.findall(text), tokens(text)) == form


def test_words_and_tokens_of_a_cased_form_are_pairs() -> None:
    with pytest.raises(ValueError, match="longer"):
        cased_form(["½"], ["1", "2"])


def test_keys_have_a_maximum_length() -> None:
    long = "a" * (MAX_KEY_LENGTH + 1)
    assert name_form([long]) == "a" * MAX_KEY_LENGTH
    assert id_key(long) == "id:" + "a" * MAX_KEY_LENGTH
    assert code_key(long) == "code:" + "a" * MAX_KEY_LENGTH


def test_the_letters_of_a_name_keep_its_endings_and_its_spelling() -> None:
    assert letters_key("The Ace Centre's") == "letters:theacecentres"


def test_keys_of_different_kinds_are_never_equal() -> None:
    names = ("ID", "CODE", "NAME", "LETTERS", "NARROWER", "MENTION", "BODY_PART", "NEED", "KEYWORDS")
    prefixes = [*(getattr(exact_keys, name) for name in names), *exact_keys.FIRST_CHOICES.values()]
    assert all(prefix.endswith(":") and prefix.count(":") == 1 for prefix in prefixes)
    assert len(set(prefixes)) == len(prefixes)
