"""Base forms: which forms of a word are equal, and which words are not."""

import pytest

from schema.text import tokens
from schema.word_forms import base_form, content_bases


@pytest.mark.parametrize(
    "forms",
    [
        "check checks checked checking",
        "cry cries cried crying",
        "drop drops dropped dropping",
        "lose loses lost losing",
        "race races raced racing",
        "die dies died dying",
        "panic panics panicked panicking",
        "tell tells told telling",
        "swell swells swelled swollen swelling",
        "itch itches itched itching",
    ],
)
def test_forms_of_a_word_are_equal(forms: str) -> None:
    assert len(set(map(base_form, forms.split()))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("hearing", "hear"), ("bed", "be"), ("ring", "r"), ("speed", "spe"), ("blinds", "blind"), ("blood", "blo")],
)
def test_other_words_are_not(one: str, other: str) -> None:
    assert base_form(one) != base_form(other)


def test_only_words_that_say_something_have_base_forms() -> None:
    assert content_bases(tokens("She checks my locks and checked the lock")) == ("check", "lock")
    assert content_bases(tokens("can't do it")) == ()
