"""Which words are English, so that a correct word is never taken for a slip of the pen."""

from __future__ import annotations

from functools import cache

from spellchecker import SpellChecker

from api.spelling import SHORTEST

# Occurrences in the list's texts. Below that stand rare words that are slips more often than not: "carpel" (a part of a
# flower, 50) in "carpel tunnel", "wheal" (66) for "wheel"; "dyslexic" (269) and "impairment" (438) are above.
COMMON = 100


@cache
def english_words() -> frozenset[str]:
    """About 43,000 common English words in lower case, in US spelling. Read once for all services of a process."""
    counted = SpellChecker(language="en").word_frequency.dictionary
    return frozenset(word for word, count in counted.items() if count >= COMMON and len(word) >= SHORTEST)
