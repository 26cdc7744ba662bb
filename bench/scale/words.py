"""Words of our own that nobody has: made of syllables, all different, and in the order of their numbers. Pure."""

from __future__ import annotations

from math import gcd

SYLLABLES = tuple(first + second for first in "bcdfghjklmnprstvwz" for second in "aeiou")  # in the order of letters
LENGTH = 4  # syllables of a word
WORDS = len(SYLLABLES) ** LENGTH


def word(number: int) -> str:
    """The word of this number, from 0 to WORDS - 1: a lesser number has a word that comes earlier."""
    parts = []
    for _ in range(LENGTH):
        number, place = divmod(number, len(SYLLABLES))
        parts.append(SYLLABLES[place])
    return "".join(reversed(parts)).capitalize()


def spread(rank: int, size: int, kind: int, kinds: int) -> str:
    """The word of the `rank`th of so many of a kind: words of a kind are far apart, and no two kinds share one."""
    step = WORDS // (size * kinds)
    return word((rank * step) * kinds + kind)


def mixed(number: int, size: int) -> int:
    """Another number below `size` for each one below it, so that neighbours are far apart."""
    return (number * _stride(size)) % size


def _stride(size: int) -> int:
    """A number near the golden share of `size` that has no divisor in common with it."""
    found = max(1, int(size * 0.618))
    while gcd(found, size) != 1:
        found += 1
    return found
