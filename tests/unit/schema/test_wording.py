"""Names that differ only in whose something is, or in how they say no, have the same form."""

import pytest

from schema.exact_keys import name_form
from schema.text import tokens


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("can not use her left hand", "can't use my left hand"),
        ("cannot use the left hand", "can't use left hand"),
        ("unable to use his left hands", "can't use my left hand"),
        ("isn't able to sit", "isn't able to sit"),
        ("not able to sit", "can't sit"),
        ("does not hear well", "don't hear well"),
        ("won't hear well", "doesn't hear well"),
        ("are not reading", "isn't reading"),
        ("can't take heat", "can't take the heat"),
    ],
)
def test_the_wording_of_a_name_does_not_matter(text: str, name: str) -> None:
    assert name_form(tokens(text)) == name_form(tokens(name))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("hepatitis A", "hepatitis"),
        ("no left hand", "left hand"),
        ("can hear", "can't hear"),
        ("able to sit", "unable to sit"),
    ],
)
def test_other_words_do_matter(text: str, other: str) -> None:
    assert name_form(tokens(text)) != name_form(tokens(other))


@pytest.mark.parametrize("text", ["the", "my", "not"])
def test_words_of_which_nothing_is_left_keep_their_form(text: str) -> None:
    assert name_form(tokens(text)) == text
