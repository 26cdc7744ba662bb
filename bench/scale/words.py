"""Words for names: made of syllables, all different, in the order of their numbers; and common and rare nouns.

Nouns are as frequent as in the shipped graph. The last words of its names, a type at a time, have frequencies near Zipf
and Mandelbrot's law, 1 / (rank + offset): of its 5,055 narrower conditions 14 % are a syndrome, of its products 2 % at
most are one thing.
"""

from __future__ import annotations

from bisect import bisect
from functools import lru_cache
from itertools import accumulate
from math import gcd, sqrt

SYLLABLES = tuple(first + second for first in "bcdfghjklmnprstvwz" for second in "aeiou")  # in the order of letters
LENGTH = 4  # syllables of a word
WORDS = len(SYLLABLES) ** LENGTH
FIRST = {
    "disability": ("Disorder", "Disease", "Syndrome", "Condition", "Injury"),
    "narrower": ("Variant", "Form", "Type", "Subtype"),
    "limitation": ("Difficulty", "Weakness", "Sensitivity", "Loss"),
    "workrelatedfunction": ("Tasks", "Duties"),
    "solution": ("Software", "Seating", "Training", "Lighting", "Schedule", "Keyboard", "Support", "Signals"),
    "product": ("Reader", "Chair", "Lamp", "Keyboard", "Headset", "Mouse", "Stand", "Switch", "Timer", "Scanner"),
    "vendor": ("Works", "Systems", "Access", "Supplies"),
    "occupation": ("Technicians", "Managers", "Clerks", "Teachers", "Drivers", "Engineers"),
    "ability": ("Perception", "Strength", "Reasoning", "Control"),
}
CATEGORY = "category"  # of products; stands beside the types here
MANY = 2000  # of solutions, products and vendors
HOW_MANY = {
    **dict.fromkeys(("disability", "narrower", "limitation", "occupation"), 1000),
    CATEGORY: 300,
    "ability": 4,
    "workrelatedfunction": 2,
}
FLAT = 10  # the offset for solutions, products and vendors
OFFSET = {"disability": 0, "narrower": 0, "limitation": 1, "occupation": 1, CATEGORY: 4}


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


def noun(kind: str, rank: int) -> str:
    """The noun in the name of the `rank`th of a kind; neighbours have others."""
    return _nouns(kind)[bisect(_shares(kind), rank * sqrt(2) % 1)]


@lru_cache
def _nouns(kind: str) -> tuple[str, ...]:
    """Those of a kind, the most frequent first; the rare ones are made up."""
    kinds, most = (*FIRST, CATEGORY), HOW_MANY.get(kind, MANY)
    made = (word(WORDS - 1 - number * len(kinds) - kinds.index(kind)) for number in range(most))
    return (*FIRST.get(kind, ()), *made)[:most]


@lru_cache
def _shares(kind: str) -> tuple[float, ...]:
    """Up to which number below 1 each noun is meant."""
    weights = [1 / (rank + OFFSET.get(kind, FLAT)) for rank in range(1, HOW_MANY.get(kind, MANY) + 1)]
    whole = sum(weights)
    return tuple(one / whole for one in accumulate(weights[:-1]))
