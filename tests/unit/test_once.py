"""What is worked out for an answer is worked out once, and forgotten with it."""

from __future__ import annotations

from api.once import forget, once
from api.words import squeeze, words


def test_the_same_is_worked_out_once_until_it_is_forgotten() -> None:
    seen = []

    @once
    def length(text: str) -> int:
        seen.append(text)
        return len(text)

    assert [length("a b"), length("a b"), length("c")] == [3, 3, 1]
    assert seen == ["a b", "c"]
    forget()
    assert length("a b") == 3
    assert seen == ["a b", "c", "a b"]


def test_nothing_that_was_asked_is_left() -> None:
    words("what somebody asked"), squeeze("what somebody asked")
    assert words.cache_info().currsize
    forget()
    assert not words.cache_info().currsize
    assert not squeeze.cache_info().currsize
