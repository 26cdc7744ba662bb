"""Names of guides inside a query, and which words in them name nothing else: "short-term disability" is not memory."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from schema.text import STOP_WORDS, WORD, fold, tokens

MAX_IDIOM_WORDS = 3  # "short-term disability"; in a longer name, words keep their sense
MIN_ABBREVIATION = 2  # letters in capitals
NOT_PIECES = frozenset(("disability", "occupation"))  # "deaf truck driver" is about both


@dataclass(frozen=True, slots=True)
class GuideName:
    """The whole name of a guide in a query, from one token up to another.

    `entities` are the ids of what the guide is about: these keep their names inside it.
    """

    text: str
    start: int
    end: int
    entities: AbstractSet[str]
    is_crisis: bool = False

    @property
    def is_idiom(self) -> bool:
        """Whether its words mean something else together than apart."""
        words = tokens(self.text)
        return len(words) <= MAX_IDIOM_WORDS and STOP_WORDS.isdisjoint(words)

    @property
    def abbreviations(self) -> frozenset[str]:
        """Its words in capitals, folded: OCR is the office for civil rights in "OCR complaint"."""
        words = WORD.findall(self.text)
        return frozenset(fold(word) for word in words if word.isupper() and len(word) >= MIN_ABBREVIATION)

    def has_as_piece(self, words: tuple[str, ...], start: int, end: int, *, ids: AbstractSet[str], kind: str) -> bool:
        """Return whether tokens that could name entities of a kind are only a piece of this name."""
        is_inside = self.start <= start and end <= self.end and end - start < self.end - self.start
        if not is_inside or not self.entities.isdisjoint(ids):
            return False
        return self.abbreviations.issuperset(words) or (self.is_idiom and kind not in NOT_PIECES)
