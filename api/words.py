"""Text as the engine's analyzers see it, well enough to explain a match. Pure.

The engine decides what matches; this only finds which of an entity's names a reader should be shown.
"""

from __future__ import annotations

import re
import unicodedata

from api.once import once

APOSTROPHES = str.maketrans("", "", "'\u2019\u2018\u02bc`\u00b4\u2032")
WORD = re.compile(r"[^\W_]+")
SHORT = 3  # words up to this length keep their s: "ms", "als", "gas"


def fold(text: str) -> str:
    """Lower case without accents and apostrophes: "Crohn’s" and "crohns" are one."""
    if text.isascii():  # nearly every name: nothing to take apart
        return text.replace("'", "").replace("`", "").lower()  # of APOSTROPHES; five times faster than a table
    decomposed = unicodedata.normalize("NFKD", text.translate(APOSTROPHES))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()


@once
def parts(text: str) -> tuple[str, ...]:
    """Folded words."""
    return tuple(WORD.findall(fold(text)))


@once
def squeeze(text: str) -> str:
    """Letters and digits only: "sit/stand desk" and "sit-stand desk" are one."""
    return "".join(parts(text))


@once
def words(text: str) -> tuple[str, ...]:
    """Folded words with plural endings taken off."""
    return tuple(map(singular, parts(text)))


def singular(word: str) -> str:
    """A folded word without its plural ending."""
    if len(word) <= SHORT or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1]
