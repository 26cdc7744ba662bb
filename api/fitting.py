"""Whether a name has the words that a query asks of it, alike to the letter or but for endings. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rapidfuzz.distance import Prefix

from api import asking, queries
from api.once import once
from api.words import singular, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from api.rules import Wording

LONG_STEM = 5  # letters that two words share where no more than an ending may differ
NAMES = 16_384  # of entities, whose words are remembered: those that searches find again and again


@lru_cache(maxsize=NAMES)
def own_words(name: str) -> tuple[str, ...]:
    """The words of an entity's name, remembered."""
    return words(name)


@once
def telling(tier: str, wording: Wording) -> tuple[str, ...]:
    """The words that the tier asks of a name: those that count, or all of them."""
    if tier == queries.WORDS:
        return words(asking.content_words(" ".join(wording.words)))
    return tuple(singular(word) for word in wording.words)


def fits(tier: str, meant: tuple[str, ...], own: tuple[str, ...], same: Callable[[str, str], bool]) -> bool:
    """Whether one name has what the tier asks for: the whole, the words side by side, or all that count."""
    if tier == queries.WORDS:
        if same is equals:  # mostly all there is to look at; one by one it takes five times as long
            return bool(meant) and set(own).issuperset(meant)
        return bool(meant) and all(any(same(word, other) for other in own) for word in meant)
    size = len(meant)
    starts = range(len(own) - size + 1) if tier == queries.PHRASE or len(own) == size else ()
    if same is equals:
        return any(own[start : start + size] == meant for start in starts)
    return any(all(map(same, meant, own[start:])) for start in starts)


def equals(one: str, other: str) -> bool:
    """Whether two words are one."""
    return one == other


def akin(one: str, other: str) -> bool:
    """Whether two words differ by an ending at most: "forgets" and "forgetting"."""
    return Prefix.similarity(one, other) >= max(3, min(len(one), len(other)) - 2)


def alike(one: str, other: str) -> bool:
    """Whether two long words differ by what may still be an ending: "adjustible" and "adjustable"."""
    same = Prefix.similarity(one, other)
    return akin(one, other) or bool(same >= LONG_STEM and same * 2 > max(len(one), len(other)))
