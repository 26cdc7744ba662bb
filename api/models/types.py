"""Types of single values: names of the vocabulary, weights, counts and text."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

Relation = Literal["narrower", "broader", "akin"]
MatchKind = Literal["id", "name", "alias", "synonym", "spelling", "description", "prefix"]
Weight = Annotated[float, Field(gt=0, le=1)]
Count = Annotated[int, Field(ge=0)]


def _check_encodable(text: str) -> str:
    """Reject text that cannot be encoded, such as half of a surrogate pair."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise PydanticCustomError("string_unicode", "Input should be a valid string, unable to encode it as UTF-8")
    return text


def blank_as_none(text: object) -> object:
    """Treat blank text as a missing value."""
    return None if isinstance(text, str) and not text.strip() else text


Readable = Annotated[str, AfterValidator(_check_encodable)]
