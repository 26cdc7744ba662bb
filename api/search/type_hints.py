"""Finds a type word at either end of a query: "vendors of braille displays", "braille display vendors". Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.engine.entity_clauses import exclude_narrower, narrower_only
from api.search.lexicon import (
    ALL_CONNECTORS,
    MAX_PHRASE_WORDS,
    PHRASES_BEFORE_CONNECTOR,
    REQUIREMENT_VERBS,
    TYPE_PHRASES,
    keywords,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schema.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class TypeHint:
    """A phrase that asks for some types, and the tokens of the query beside it (`remainder`).

    `connectors` are the tokens between the two: "that cause" in "conditions that cause fatigue".
    """

    phrase: tuple[str, ...]
    types: tuple[str, ...]
    label: str
    remainder: tuple[str, ...]
    connectors: tuple[str, ...] = ()
    is_last: bool = False

    @property
    def keywords(self) -> tuple[str, ...]:
        """The keywords of the remainder."""
        return keywords(self.remainder)

    @property
    def has_connector(self) -> bool:
        """Whether a word connects the phrase with the remainder."""
        return bool(self.connectors)

    @property
    def has_requirement_verb(self) -> bool:
        """Whether one of the connectors asks something of people: "jobs that require typing"."""
        return not REQUIREMENT_VERBS.isdisjoint(self.connectors)


def detect_type_hint(tokens: Sequence[str]) -> TypeHint | None:
    """Return the longest type phrase at either end of the query, if anything is left beside it."""
    hints = []
    for size in range(1, min(MAX_PHRASE_WORDS, len(tokens) - 1) + 1):
        connectors, remainder = _split_connectors(tokens[size:])
        hints.append(_hint(tokens[:size], connectors, remainder))
        hints.append(_hint(tokens[-size:], (), tokens[:-size], is_last=True))
    return max(filter(None, hints), key=lambda hint: len(" ".join(hint.phrase)), default=None)


def _hint(
    phrase: Sequence[str], connectors: Sequence[str], remainder: Sequence[str], *, is_last: bool = False
) -> TypeHint | None:
    words = " ".join(phrase)
    meaning = TYPE_PHRASES.get(words) or (PHRASES_BEFORE_CONNECTOR.get(words) if connectors else None)
    if not remainder or meaning is None:
        return None
    types, label = meaning
    return TypeHint(tuple(phrase), types, label, tuple(remainder), tuple(connectors), is_last)


def _split_connectors(tokens: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    size = next((place for place, token in enumerate(tokens) if token not in ALL_CONNECTORS), len(tokens))
    return tokens[:size], tokens[size:]


PER_NAME = 160.0  # "solutions for hearing loss": what is called that comes before what is also called that
PER_WORDS = 48.0  # "conditions with low vision": names that hold the words come before what is joined to such
PER_FORM = 16.0  # "devices for blind people": names that hold the very word come before window blinds
ONE_NAME = 50  # words apart; names are kept 100 apart, so no two words may come from two names


def clauses(hint: TypeHint | None, words: str) -> list[JsonObject]:
    """What is left of the query beside a type word, among entities of that type; nothing where nothing is left."""
    if hint is None or not hint.keywords:
        return []
    meant, rest = " ".join(hint.keywords), " ".join(hint.remainder)
    single = " " not in meant
    goes = _goes_with(hint, meant, words)
    called: list[tuple[float, JsonObject]] = [
        (PER_NAME, {"term": {"name.key": rest}}),
        (PER_NAME / 2, {"term": {"aliases.key": rest}}),
        (PER_WORDS, {"bool": {"should": goes.names}}),
    ]
    worth = [{"constant_score": {"filter": one, "boost": boost}} for boost, one in called]
    better: list[JsonObject] = [{"dis_max": {"queries": worth}}]
    if single:
        better.append({"constant_score": {"filter": {"term": {"spelling": meant}}, "boost": PER_FORM}})
    named: JsonObject = {"bool": {"should": [*goes.names, *goes.around]}}
    whole = [narrower_only({"term": {field: rest}}) for field in ("name.key", "aliases.key", "short_forms")]
    if "disability" in hint.types:
        named = {"bool": {"should": [exclude_narrower(named), *whole]}}
    return [{"bool": {"must": named, "should": better, "filter": {"terms": {"type": list(hint.types)}}}}]


@dataclass(frozen=True, slots=True)
class _GoesWith:
    """What holds the rest of the words: an entity's own names, or those around it."""

    names: list[JsonObject]
    around: list[JsonObject]


def _goes_with(hint: TypeHint, meant: str, words: str) -> _GoesWith:
    """One name of what an entity is joined to may hold them too, if that is what the words between them say."""
    together = {"query": meant, "analyzer": words, "slop": ONE_NAME}
    joined: list[JsonObject] = [{"match_phrase": {"joined": together}}] if _reads_joined(hint) else []
    if hint.types == ("occupation",) and " " in meant:  # hundreds of titles: "heavy lifting" is no ski lift operator
        return _GoesWith([{"match_phrase": {"names": {**together, "analyzer": "words"}}}], joined)
    rest = {"query": meant, "analyzer": words, "operator": "and"}
    return _GoesWith([{"match": {"names": rest}}], [{"match": {"context": rest}}, *joined])


def _reads_joined(hint: TypeHint) -> bool:
    """Return whether related entities match too: "conditions with low vision", but not "condition low vision".

    "Jobs for people who can't stand" are not those that need standing. Several types are one step apart already.
    """
    if hint.types == ("occupation",):
        return hint.has_requirement_verb
    return hint.types == ("vendor",) or (hint.has_connector and len(hint.types) == 1)
