"""Compares a query with the names of an entity, exactly or up to inflection."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from rapidfuzz.distance import Prefix

from schema.english_words import is_common_abbreviation
from schema.exact_keys import cased_form, name_form
from schema.text import WORD, fold, singularize, stems, tokens
from schema.word_forms import content_bases

BEGINNING = 3  # letters that words share if they differ by an ending
SHORT_STEM = 5  # letters; two words of so few may differ by a final e or y only: "hear" is not "head"
LONGEST_ENDING = 5  # letters: "organize" and "organization"; "forgetting" is not "for"
CACHED_NAMES = 16_384  # of entities: those that searches find again and again


@dataclass(frozen=True)
class ParsedName:
    """A name of an entity or a term of a synonym rule, with what a `ParsedQuery` has of the same name.

    Most names of most hits are only compared as a whole, so the other forms are computed on first use.
    """

    text: str

    @cached_property
    def folded(self) -> str:
        """The name in lower case, without accents."""
        return fold(self.text)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Its words, folded."""
        return tokens(self.text)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """Its words without plural endings."""
        return tuple(map(singularize, self.tokens))

    @cached_property
    def key(self) -> str:
        """Its letters and digits."""
        return "".join(self.tokens)

    @cached_property
    def form(self) -> str:
        """Its exact key, without the prefix."""
        return name_form(self.tokens)

    @cached_property
    def cased(self) -> str | None:
        """Its form with words in upper case kept so, None without such words."""
        typed = WORD.findall(self.text)
        return cased_form(typed, self.tokens) if len(typed) == len(self.tokens) else None

    @cached_property
    def is_common_abbreviation(self) -> bool:
        """Whether it is one word in capitals that is a common word otherwise: "SAD"."""
        return len(self.tokens) == 1 and any(map(is_common_abbreviation, WORD.findall(self.text)))

    @cached_property
    def forms(self) -> frozenset[str]:
        """Its forms as a part of a query; that of an abbreviation that is a common word has capitals."""
        forms = {self.cased} if self.is_common_abbreviation else {self.form, self.cased}
        return frozenset(filter(None, forms))

    @cached_property
    def capitals(self) -> frozenset[str]:
        """The stems of its words in capitals."""
        return frozenset(stem for word in WORD.findall(self.text) if word.isupper() for stem in stems(word))

    @cached_property
    def words(self) -> frozenset[str]:
        """The set of its tokens."""
        return frozenset(self.tokens)

    @cached_property
    def keywords(self) -> frozenset[str]:
        """The base forms of its content words."""
        return frozenset(content_bases(self.tokens))

    @cached_property
    def _stems_by_beginning(self) -> Mapping[str, Sequence[str]]:
        """Only words that begin alike can differ by an ending."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for stem in self.stems:
            found[stem[:BEGINNING]].append(stem)
        return dict(found)

    def shared(self, words: Iterable[str]) -> int:
        """Return how many of these stems the name has, up to endings."""
        by_beginning = self._stems_by_beginning
        return sum(
            1
            for word in words
            if (similar := by_beginning.get(word[:BEGINNING]))
            and (word in similar or any(same_stem(word, other) for other in similar))
        )


@lru_cache(maxsize=CACHED_NAMES)
def parse_name(text: str) -> ParsedName:
    """Parse a name of the graph. It is cached, so it must not be what a user typed."""
    return ParsedName(text)


class HitNames:
    """The names of a hit, the displayed one first.

    The index has their words (`schema.exact_keys.name_words`), so that only names that may match are parsed: a
    condition or a job can have a hundred. `words` has a line for each name, and a space before each word.
    """

    def __init__(self, payload: Mapping[str, Any]) -> None:
        self.texts = all_names(payload)
        self._words: str = payload["words"]

    @cached_property
    def _forms(self) -> Sequence[str]:
        """The form of each name."""
        return self._words.replace(" ", "").split("\n")

    @property
    def displayed(self) -> ParsedName:
        """The name that responses show."""
        return parse_name(self.texts[0])

    def parsed(self) -> list[ParsedName]:
        """Return all names."""
        return [parse_name(text) for text in self.texts]

    def with_form(self, forms: Container[str]) -> list[ParsedName]:
        """Return the names with one of these forms, whatever their capitals."""
        return [parse_name(self.texts[place]) for place, form in enumerate(self._forms) if form in forms]

    def with_similar_words(self, words: Iterable[str]) -> list[ParsedName]:
        """Return the names with a word that begins like one of these; no other can share a word with them."""
        beginnings = [beginning for word in words if (beginning := f" {word[:BEGINNING]}") in self._words]
        if not beginnings:
            return []
        of_names = enumerate(self._words.split("\n"))
        return [parse_name(self.texts[place]) for place, line in of_names if any(one in line for one in beginnings)]


def all_names(payload: Mapping[str, Any]) -> list[str]:
    """Return the name, the aliases and the reported titles of an entity."""
    return [payload["card"]["name"], *payload["aliases"], *payload.get("titles", ())]


def same_stem(one: str, other: str) -> bool:
    """Return whether two words differ by an ending at most: "forgets" and "forgetting"."""
    shorter = min(one, other, key=len)
    ending = 2 if len(shorter) > SHORT_STEM else int(shorter.endswith(("e", "y")))  # "type" and "typing"
    shared = Prefix.similarity(one, other)
    return max(len(one), len(other)) - shared <= LONGEST_ENDING and shared >= max(BEGINNING, len(shorter) - ending)


def has_phrase(words: Sequence[str], phrase: Sequence[str]) -> bool:
    """Return whether the words contain the phrase in this order, without others between."""
    return f" {' '.join(phrase)} " in f" {' '.join(words)} "
