"""Compares a query with the names of an entity, exactly or up to inflection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from operator import eq

from rapidfuzz.distance import Prefix

from api.search import query_builder
from api.search.query import ParsedQuery
from schema.text import fold, singularize, tokens

MIN_STEM = 5  # letters that two words share if they may differ by more than two letters
CACHED_NAMES = 16_384  # of entities: those that searches find again and again


@dataclass(frozen=True, slots=True)
class ParsedName:
    """A name of an entity or a term of a synonym rule, with what a `ParsedQuery` has of the same name."""

    text: str
    folded: str
    tokens: tuple[str, ...]
    stems: tuple[str, ...]
    key: str


@lru_cache(maxsize=CACHED_NAMES)
def parse_name(text: str) -> ParsedName:
    """Parse a name of the graph. It is cached, so it must not be what a user typed."""
    words = tokens(text)
    return ParsedName(text, fold(text), words, tuple(map(singularize, words)), "".join(words))


def name_matches(
    tier: str, required: tuple[str, ...], stems: tuple[str, ...], same: Callable[[str, str], bool]
) -> bool:
    """Return whether a name has what the tier requires: the whole, the words side by side, or all of the keywords."""
    if tier == query_builder.WORDS:
        if same is eq:  # the usual case; word by word it takes five times as long
            return bool(required) and set(stems).issuperset(required)
        return bool(required) and all(any(same(word, other) for other in stems) for word in required)
    size = len(required)
    starts = range(len(stems) - size + 1) if tier == query_builder.PHRASE or len(stems) == size else ()
    if same is eq:
        return any(stems[start : start + size] == required for start in starts)
    return any(all(map(same, required, stems[start:])) for start in starts)


def same_stem(one: str, other: str) -> bool:
    """Return whether two words differ by an ending at most: "forgets" and "forgetting"."""
    return Prefix.similarity(one, other) >= max(3, min(len(one), len(other)) - 2)


def similar_stem(one: str, other: str) -> bool:
    """Return whether two long words differ by what may still be an ending: "adjustible" and "adjustable"."""
    shared = Prefix.similarity(one, other)
    return same_stem(one, other) or bool(shared >= MIN_STEM and shared * 2 > max(len(one), len(other)))


def same_but_for_endings(name: str, query: ParsedQuery) -> bool:
    """Return whether the query is the name up to the endings of words."""
    pairs = zip_longest(parse_name(name).tokens, query.tokens, fillvalue="")
    return all(one == other or same_stem(one, other) for one, other in pairs)


def has_phrase(words: Sequence[str], phrase: Sequence[str]) -> bool:
    """Return whether the words contain the phrase in this order, without others between."""
    return f" {' '.join(phrase)} " in f" {' '.join(words)} "
