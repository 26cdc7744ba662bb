"""The features of a search hit, and the arithmetic that reads them from its score.

Each clause of the query has a constant score, a power of two of its own, so that the score of a hit tells which clauses
matched. What is left of it, below the lowest power, is how well the hit fits: BM25 and the prior, both scaled down.
A score has 24 significant bits. The features take 19, the fit keeps the rest.
"""

import math
from enum import IntEnum

FIT_LIMIT = 4.0  # the fit is always below this, the lowest feature
MAX_IDF = 17.0  # ln(1 + documents) of 24 million documents; BM25 of one term is below its inverse document frequency
PRIOR_SCALE = 1 / 256  # of a prior, which is below 256
MAX_PRIOR = 256.0
BM25_SHARE = 2.5  # of the fit at most for BM25


class Feature(IntEnum):
    """What matched, the least specific first. From DEMOTED_NAMES on a hit is a good one, below a loose one.

    Each has a bit of its own, so that their sum says which a hit has. BODY_PART is what content tables say of words: a
    body part, an event, or a side of a need.
    """

    MOST_OF_RELATED = 1 << 2
    PART_OF_NEED = 1 << 3
    DESCRIPTION = 1 << 4
    MOST_WORDS = 1 << 5
    NEED = 1 << 6
    DEMOTED_NAMES = 1 << 7
    FIRST_CHOICE = 1 << 8
    RELATED = 1 << 9
    ALL_BY_RULE = 1 << 10
    BODY_PART = 1 << 11
    KEYWORDS = 1 << 12
    MENTION = 1 << 13
    ALL_WORDS = 1 << 14
    SCOPED = 1 << 15
    PHRASE = 1 << 16
    NARROWER = 1 << 17
    NAME = 1 << 18
    ID = 1 << 19
    PINNED = 1 << 20


ALL_FEATURES = (1 << 21) - (1 << 2)
GOOD = float(Feature.DEMOTED_NAMES)  # the least score of a good hit


def decode(score: float) -> tuple[int, float]:
    """Return the features of a score, as the sum of their numbers, and its fit from 0 to 1."""
    whole = math.floor(score / FIT_LIMIT) * int(FIT_LIMIT)
    return whole & ALL_FEATURES, (score - whole) / FIT_LIMIT


def encode(features: int, fit: float = 0.0) -> float:
    """Return the score of a hit with these features; the fit is from 0 up to 1."""
    return float(features) + fit * FIT_LIMIT


def bm25_boost(terms: int, clauses: int) -> float:
    """Return a boost with which the BM25 of this many clauses over at most `terms` terms each stays in its share."""
    return BM25_SHARE / (MAX_IDF * max(1, terms) * max(1, clauses))
