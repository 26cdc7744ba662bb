"""Values that models accept: readable text, integers as such, and blank text as missing."""

from typing import Annotated

import pytest
from pydantic import TypeAdapter, ValidationError

from api.models.response import IS_INTEGER, Readable, blank_as_none

INTEGER: TypeAdapter[int] = TypeAdapter(Annotated[int, IS_INTEGER])


@pytest.mark.parametrize("value", [True, 1.0, "5", None])
def test_only_an_integer_is_an_integer(value: object) -> None:
    assert INTEGER.validate_python(5) == 5
    with pytest.raises(ValidationError, match="a number without a decimal point and without quotes"):
        INTEGER.validate_python(value)


def test_text_that_cannot_be_encoded_is_rejected() -> None:
    readable: TypeAdapter[str] = TypeAdapter(Readable)
    assert readable.validate_python("naïve") == "naïve"
    with pytest.raises(ValidationError, match="unable to encode it as UTF-8"):
        readable.validate_python("a\ud800")


@pytest.mark.parametrize(("text", "value"), [("", None), (" \n", None), ("work", "work"), (5, 5)])
def test_blank_text_is_a_missing_value(text: object, value: object) -> None:
    assert blank_as_none(text) == value
