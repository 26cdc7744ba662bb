"""Which synonym rules act on a query, how they read it, and what they led to. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING, Any, Self

from api.words import parts, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_WORDINGS = 64  # of a query; each rule multiplies them


class Rules(tuple[Mapping[str, Any], ...]):  # noqa: SLOT001 - a cached property needs a __dict__
    """A release's synonym rules, with their terms folded once instead of at every search."""

    @cached_property
    def terms(self) -> dict[tuple[str, ...], tuple[Mapping[str, Any], str]]:
        """Each term's words, with its rule and the term as it is written."""
        return {parts(term): (rule, term) for rule in self for term in rule["given"]}

    @cached_property
    def longest(self) -> int:
        """The most words of a term."""
        return max(map(len, self.terms), default=0)


class Acting(Rules):
    """The rules that act on one query. What they make of it is worked out once for all of its hits."""

    def __new__(cls, query: str, rules: Sequence[Mapping[str, Any]]) -> Self:
        """Those of the rules that act on it."""
        made = super().__new__(cls, fired(query, rules))
        made.query = query.strip()
        return made

    query: str

    @cached_property
    def wordings(self) -> list[Wording]:
        """The query as typed and as the rules read it."""
        return _wordings(self.query, self)


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a query, some of them as rules read them. `used`: what was typed and what stands in its place."""

    words: tuple[str, ...]
    used: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Fired:
    rule: Mapping[str, Any]
    given: str
    place: int
    size: int

    def readings(self, typed: tuple[str, ...]) -> list[Wording]:
        """As typed, then each other term of the rule."""
        terms = [(term, parts(term)) for term in self.rule["read_as"]]
        own = typed[self.place : self.place + self.size]
        return [Wording(own), *(Wording(read, ((self.given, term),)) for term, read in terms if read != own)]


def fired(query: str, rules: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The synonym rules that act on the query: at each word the longest term, as the engine reads them."""
    return [one.rule for one in _firing(parts(query), rules)]


def _firing(typed: tuple[str, ...], rules: Sequence[Mapping[str, Any]]) -> Iterator[_Fired]:
    known = rules if isinstance(rules, Rules) else Rules(rules)
    terms, place = known.terms, 0
    while place < len(typed):
        sizes = range(min(known.longest, len(typed) - place), 0, -1)
        size = next((size for size in sizes if typed[place : place + size] in terms), 0)
        if size:
            rule, given = terms[typed[place : place + size]]
            yield _Fired(rule, given, place, size)
        place += size or 1


def wordings(query: str, rules: Sequence[Mapping[str, Any]]) -> list[Wording]:
    """The query as typed and as rules read it, those with the fewest words of a rule first."""
    if isinstance(rules, Acting) and rules.query == query:
        return rules.wordings
    return _wordings(query, rules)


def _wordings(query: str, rules: Sequence[Mapping[str, Any]]) -> list[Wording]:
    typed = parts(query)
    choices: list[list[Wording]] = []
    place = 0
    for one in _firing(typed, rules):
        choices += [[Wording((word,))] for word in typed[place : one.place]]
        choices.append(one.readings(typed))
        place = one.place + one.size
    choices += [[Wording((word,))] for word in typed[place:]]
    found = [
        Wording(
            tuple(word for part in chosen for word in part.words), tuple(use for part in chosen for use in part.used)
        )
        for chosen in islice(product(*choices), MOST_WORDINGS)
    ]
    return sorted(found, key=lambda one: len(one.used))


def rule_readings(
    query: str, rules: Sequence[Mapping[str, Any]], hits: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Each rule that acted on the query, as answers show it, with the first of these hits that it led to."""
    typed = words(query)
    return [
        {
            "from": one.given,
            "to": ", ".join(term for term in one.rule["read_as"] if term != one.given),
            "entity": _led_to(one, typed, hits),
            "kind": "rule",
            "rule": one.rule["text"],
        }
        for one in _firing(parts(query), rules)
    ]


def _led_to(one: _Fired, typed: Sequence[str], hits: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The card of the first hit whose matching name, or else whose display name, has a term that was not typed."""
    terms = [words(term) for term in one.rule["read_as"]]
    new = [term for term in terms if not side_by_side(term, typed)]
    texts = [(hit["match"]["text"], hit) for hit in hits] + [(hit["name"], hit) for hit in hits]
    for text, hit in texts:
        own = words(text)
        if any(side_by_side(term, own) for term in new):
            return {key: value for key, value in hit.items() if key not in ("score", "match")}
    return None


def side_by_side(some: Sequence[str], own: Sequence[str]) -> bool:
    """Whether words stand in this order, without others between them."""
    return f" {' '.join(some)} " in f" {' '.join(own)} "
