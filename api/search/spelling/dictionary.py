"""Which words are English, so that a correct word is never taken for a slip of the pen."""

from __future__ import annotations

import re
from functools import cache

from spellchecker import SpellChecker

from api.search.spelling.corrections import Dictionary

SHORTEST = 3  # letters of a word that is kept
# Occurrences in the list's texts. Below that stand rare words, most of them never met there (50). Alone they are as
# correct as any other ("mouser"), but beside other words some are slips more often than not: "carpel", a part of a
# flower, in "carpel tunnel", "wheal" in "wheal chair".
COMMON = 100
# The list has American spellings only. What a British one becomes in America: endings, and stems where any word may
# hold the letters by a slip ("drivre", "profoessor").
OUR = "arb ard arm behavi cand clam col demean endeav fav ferv flav glam harb hon hum lab neighb od parl ranc rig rum"
OUR += " sav savi splend tum val vap vig"
RE = "calib cent fib goit lit louv lust meag met mit och sab scept sep somb spect theat"
AE = "an gyn h leuk arch p f c"
OE = "am apn c diarrh dysp f hom man gonorrh"


def _stems(stems: str, letters: str) -> str:
    return rf"(\w*?(?:{'|'.join(stems.split())})){letters}"


AMERICAN = tuple(
    (re.compile(british), american)
    for british, american in (
        (r"is(e|ed|es|er|ers|ing|able|ation|ations)$", r"iz\1"),
        (r"ys(e|ed|es|er|ers|ing)$", r"yz\1"),
        (_stems(OUR, "our"), r"\1or"),
        (_stems(RE, "re(s?)$"), r"\1er\2"),
        (_stems(AE, "ae(?=[cdemost])"), r"\1e"),
        (_stems(OE, "oe(?=[abdlmtu]|$)"), r"\1e"),
        (r"^[ao]e(?=[dst])", "e"),
        (r"ll(ed|ing|er|ers|or|ors|ist|ists)$", r"l\1"),
        (r"ogue(s?)$", r"og\1"),
        (r"ence(s?)$", r"ense\1"),
    )
)


class BritishToo(frozenset[str]):
    """Words with their British spellings: "memorised" is in it where "memorized" is."""

    def __contains__(self, word: object) -> bool:
        forms = (british.sub(american, str(word)) for british, american in AMERICAN)
        return super().__contains__(word) or any(map(super().__contains__, forms))


@cache
def english_words() -> Dictionary:
    """About 160,000 English words in lower case, the common ones apart. Read once for all services of a process."""
    counted = SpellChecker(language="en").word_frequency.dictionary
    known = [(word, count) for word, count in counted.items() if len(word) >= SHORTEST]
    return Dictionary(
        common=BritishToo(word for word, count in known if count >= COMMON),
        rare=BritishToo(word for word, count in known if count < COMMON),
    )
