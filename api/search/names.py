"""Compares a query with the names of an entity, exactly or up to inflection."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Prefix

from schema.exact_keys import cased_form, name_form
from schema.text import WORD, content_tokens, fold, singularize, tokens

BEGINNING = 3  # letters that words share if they differ by an ending
SHORT_STEM = 5  # letters; two words of so few may differ by a final e or y only: "hear" is not "head"
CACHED_NAMES = 16_384  # of entities: those that searches find again and again


@dataclass(frozen=True, slots=True)
class ParsedName:
    """A name of an entity or a term of a synonym rule, with what a `ParsedQuery` has of the same name."""

    text: str
    folded: str
    tokens: tuple[str, ...]
    stems: tuple[str, ...]
    key: str
    form: str
    cased: str | None
    words: frozenset[str]  # its tokens
    keywords: frozenset[str]  # stems of its content words
    stems_by_beginning: Mapping[str, tuple[str, ...]]  # only words that begin alike can differ by an ending

    def shared(self, words: Iterable[str]) -> int:
        """Return how many of these stems the name has, up to endings."""
        return sum(self._has(word) for word in words)

    def _has(self, word: str) -> bool:
        similar = self.stems_by_beginning.get(word[:BEGINNING], ())
        return word in similar or any(same_stem(word, other) for other in similar)


@lru_cache(maxsize=CACHED_NAMES)
def parse_name(text: str) -> ParsedName:
    """Parse a name of the graph. It is cached, so it must not be what a user typed."""
    words, typed = tokens(text), WORD.findall(text)
    stems = tuple(map(singularize, words))
    by_beginning: dict[str, tuple[str, ...]] = {}
    for stem in stems:
        by_beginning[stem[:BEGINNING]] = (*by_beginning.get(stem[:BEGINNING], ()), stem)
    return ParsedName(
        text,
        fold(text),
        words,
        stems,
        key="".join(words),
        form=name_form(words),
        cased=cased_form(typed, words) if len(typed) == len(words) else None,
        words=frozenset(words),
        keywords=frozenset(map(singularize, content_tokens(words))),
        stems_by_beginning=by_beginning,
    )


def same_stem(one: str, other: str) -> bool:
    """Return whether two words differ by an ending at most: "forgets" and "forgetting"."""
    shorter = min(one, other, key=len)
    ending = 2 if len(shorter) > SHORT_STEM else int(shorter.endswith(("e", "y")))  # "type" and "typing"
    return Prefix.similarity(one, other) >= max(BEGINNING, len(shorter) - ending)


def has_phrase(words: Sequence[str], phrase: Sequence[str]) -> bool:
    """Return whether the words contain the phrase in this order, without others between."""
    return f" {' '.join(phrase)} " in f" {' '.join(words)} "
