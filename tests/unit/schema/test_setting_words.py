"""Phrases of a query that name a setting."""

import pytest

from schema.entity_kinds import SETTINGS
from schema.setting_words import MAX_PHRASE_WORDS, SETTING_PHRASES, SETTING_WORDS
from schema.text import singularize, tokens


@pytest.mark.parametrize(
    ("phrase", "setting"),
    [
        ("at work", "work"),
        ("my employee", "work"),
        ("in class", "school"),
        ("law student", "school"),
        ("in exams", "testing"),
        ("the SAT", "testing"),
        ("standardised test", "testing"),
        ("work", None),  # "work" may be anything
        ("school", None),
        ("students", "school"),
        ("test", None),
    ],
)
def test_a_phrase_names_a_setting(phrase: str, setting: str | None) -> None:
    assert SETTING_PHRASES.get(tuple(map(singularize, tokens(phrase)))) == setting


def test_every_setting_has_phrases() -> None:
    assert tuple(SETTING_WORDS) == SETTINGS
    assert set(SETTING_PHRASES.values()) == set(SETTINGS)


@pytest.mark.parametrize("listed", SETTING_WORDS.values(), ids=SETTING_WORDS)
def test_phrases_are_sorted_and_listed_once(listed: str) -> None:
    phrases = listed.split("|")
    assert phrases == sorted(set(phrases))
    assert all(phrase == phrase.strip().lower() != "" for phrase in phrases)


def test_a_phrase_names_only_one_setting() -> None:
    keys = [{tuple(map(singularize, tokens(phrase))) for phrase in text.split("|")} for text in SETTING_WORDS.values()]
    assert len(set.union(*keys)) == sum(map(len, keys)) == len(SETTING_PHRASES)
    assert max(map(len, SETTING_PHRASES)) == MAX_PHRASE_WORDS
