"""English words and how common they are, from the frequency list of pyspellchecker: 160,000 words of subtitles.

The list has American spellings only, as tokens have (`schema.spelling_variants`).
"""

from collections.abc import Container
from dataclasses import dataclass
from functools import cache

from spellchecker import SpellChecker

from schema.text import singularize

MIN_WORD_LETTERS = 3  # the list has all short strings that occur in subtitles
# Occurrences in the texts of the list. Words below it are rare (most have the minimum of 50). Alone they are correct
# ("mouser"), but with other words some are typos more often than not: "carpel", a part of a flower, in
# "carpel tunnel", "wheal" in "wheal chair".
MIN_COMMON_COUNT = 100


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Correct words: `common` ones are never typos, `rare` ones only beside other words of a name."""

    common: Container[str]
    rare: Container[str] = frozenset()

    def __contains__(self, word: object) -> bool:
        return word in self.common or word in self.rare


@cache
def english_words() -> Dictionary:
    """Return the words in lower case, the common ones apart. Read once for all services of a process."""
    counted = SpellChecker(language="en").word_frequency.dictionary
    known = [(word, count) for word, count in counted.items() if len(word) >= MIN_WORD_LETTERS]
    return Dictionary(
        common=frozenset(word for word, count in known if count >= MIN_COMMON_COUNT),
        rare=frozenset(word for word, count in known if count < MIN_COMMON_COUNT),
    )


def is_common_word(word: str) -> bool:
    """Return whether a word in lower case is a common English word."""
    return word in english_words().common


def is_common_abbreviation(word: str) -> bool:
    """Return whether a written word is in capitals and a common English word otherwise: "DOORS", "BED", not "ADHD"."""
    folded = word.lower()
    return word.isupper() and (is_common_word(folded) or is_common_word(singularize(folded)))
