"""Numbers and texts as pages show them."""

import pytest

from api.explorer.labels import decimal, shorten


@pytest.mark.parametrize(("number", "text"), [(1.0, "1"), (0.5, "0.5"), (0.126, "0.13"), (10.0, "10")])
def test_a_number_has_at_most_two_decimals(number: float, text: str) -> None:
    assert decimal(number) == text


def test_a_long_text_is_cut_between_words() -> None:
    assert shorten("one two three", 12) == "one two …"
    assert shorten("one two three", 13) == "one two three"
