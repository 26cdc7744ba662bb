"""What a type word asks for: entities of that type that go with the rest of the query. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from api import asking, narrower

if TYPE_CHECKING:
    from api.asking import Hint

Body = dict[str, Any]

PER_NAME = 160.0  # "solutions for hearing loss": what is called that comes before what is also called that
PER_WORDS = 48.0  # "conditions with low vision": names that hold the words come before what is joined to such
PER_FORM = 16.0  # "devices for blind people": names that hold the very word come before window blinds
ONE_NAME = 50  # words apart; names are kept 100 apart, so no two words may come from two names


def clauses(hint: Hint | None, words: str) -> list[Body]:
    """What is left of the query beside a type word, among entities of that type; nothing where nothing is left."""
    meant = asking.content_words(hint.rest) if hint else ""
    if hint is None or not meant:
        return []
    single = " " not in meant
    goes = _goes_with(hint, meant, words)
    called: list[tuple[float, Body]] = [
        (PER_NAME, {"term": {"name.key": hint.rest}}),
        (PER_NAME / 2, {"term": {"aliases.key": hint.rest}}),
        (PER_WORDS, {"bool": {"should": goes.names}}),
    ]
    worth = [{"constant_score": {"filter": one, "boost": boost}} for boost, one in called]
    better: list[Body] = [{"dis_max": {"queries": worth}}]
    if single:
        better.append({"constant_score": {"filter": {"term": {"spelling": meant}}, "boost": PER_FORM}})
    named: Body = {"bool": {"should": [*goes.names, *goes.around]}}
    whole = [narrower.only({"term": {field: hint.rest}}) for field in ("name.key", "aliases.key", "short_forms")]
    if "disability" in hint.types:
        named = {"bool": {"should": [narrower.others(named), *whole]}}
    return [{"bool": {"must": named, "should": better, "filter": {"terms": {"type": list(hint.types)}}}}]


@dataclass(frozen=True, slots=True)
class _GoesWith:
    """What holds the rest of the words: an entity's own names, or those around it."""

    names: list[Body]
    around: list[Body]


def _goes_with(hint: Hint, meant: str, words: str) -> _GoesWith:
    """One name of what an entity is joined to may hold them too, if that is what the words between them say."""
    together = {"query": meant, "analyzer": words, "slop": ONE_NAME}
    joined: list[Body] = [{"match_phrase": {"joined": together}}] if _reads_joined(hint) else []
    if hint.types == ("occupation",) and " " in meant:  # hundreds of titles: "heavy lifting" is no ski lift operator
        return _GoesWith([{"match_phrase": {"names": {**together, "analyzer": "words"}}}], joined)
    rest = {"query": meant, "analyzer": words, "operator": "and"}
    return _GoesWith([{"match": {"names": rest}}], [{"match": {"context": rest}}, *joined])


def _reads_joined(hint: Hint) -> bool:
    """Whether what entities are joined to is asked for: "conditions with low vision", but not "condition low vision".

    "Jobs for people who can't stand" are not those that need standing. Several types are one step apart already.
    """
    if hint.types == ("occupation",):
        return hint.asks
    return hint.types == ("vendor",) or (hint.joins and len(hint.types) == 1)
