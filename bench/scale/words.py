"""Synthetic names: unique words of syllables in the order of their numbers, and frequent and rare nouns.

Noun frequencies follow the shipped graph. The last words of its names have, per type, frequencies near the
Zipf–Mandelbrot law, 1 / (rank + offset): 14 % of its 5,055 narrower conditions end in "syndrome", while no noun ends
more than 2 % of its products.
"""

from bisect import bisect
from functools import lru_cache
from itertools import accumulate
from math import gcd, sqrt

SYLLABLES = tuple(first + second for first in "bcdfghjklmnprstvwz" for second in "aeiou")  # in alphabetical order
LENGTH = 4  # syllables of a word
WORDS: int = len(SYLLABLES) ** LENGTH
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
CATEGORY = "category"  # of products; used like a type here
DEFAULT_NOUNS = 2000  # of solutions, products and vendors
NOUN_COUNTS = {
    **dict.fromkeys(("disability", "narrower", "limitation", "occupation"), 1000),
    CATEGORY: 300,
    "ability": 4,
    "workrelatedfunction": 2,
}
DEFAULT_OFFSET = 10  # the offset for solutions, products and vendors
OFFSET = {"disability": 0, "narrower": 0, "limitation": 1, "occupation": 1, CATEGORY: 4}


def word(number: int) -> str:
    """Return the word of a number from 0 to WORDS - 1; words sort like their numbers."""
    parts = []
    for _ in range(LENGTH):
        number, place = divmod(number, len(SYLLABLES))
        parts.append(SYLLABLES[place])
    return "".join(reversed(parts)).capitalize()


def spread(rank: int, size: int, kind: int, kinds: int) -> str:
    """Return the word of the entity with this rank."""
    return word(spread_number(rank, size, kind, kinds))


def spread_number(rank: int, size: int, kind: int, kinds: int) -> int:
    """Return the number of the word of a rank: the numbers are evenly spaced, and unique over all kinds."""
    step = WORDS // (size * kinds)
    return (rank * step) * kinds + kind


def mixed(number: int, size: int) -> int:
    """Return a permutation of the numbers below `size` that spreads neighbors."""
    return (number * _stride(size)) % size


def _stride(size: int) -> int:
    """Return a number near `size` / golden ratio that is coprime to `size`."""
    found = max(1, int(size * 0.618))
    while gcd(found, size) != 1:
        found += 1
    return found


def noun(kind: str, rank: int) -> str:
    """Return the noun of the entity with this rank; neighbors have different nouns."""
    return _nouns(kind)[bisect(_shares(kind), rank * sqrt(2) % 1)]


@lru_cache
def _nouns(kind: str) -> tuple[str, ...]:
    """Return the nouns of a kind by frequency; the rare ones are synthetic."""
    kinds, count = (*FIRST, CATEGORY), NOUN_COUNTS.get(kind, DEFAULT_NOUNS)
    made = (word(WORDS - 1 - number * len(kinds) - kinds.index(kind)) for number in range(count))
    return (*FIRST.get(kind, ()), *made)[:count]


@lru_cache
def _shares(kind: str) -> tuple[float, ...]:
    """Return the cumulative frequencies of the nouns of a kind."""
    weights = [
        1 / (rank + OFFSET.get(kind, DEFAULT_OFFSET)) for rank in range(1, NOUN_COUNTS.get(kind, DEFAULT_NOUNS) + 1)
    ]
    total = sum(weights)
    return tuple(share / total for share in accumulate(weights[:-1]))
