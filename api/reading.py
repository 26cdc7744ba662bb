"""How the words of a query were read, and why a hit is there: one plain sentence each. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api import queries
from api.words import WORD, fold, squeeze, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Card = dict[str, Any]


def fired(query: str, rules: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The synonym rules whose words stand in the query."""
    text = f" {' '.join(WORD.findall(fold(query)))} "
    return [rule for rule in rules if any(f" {' '.join(WORD.findall(fold(term)))} " in text for term in rule["given"])]


def rule_readings(query: str, rules: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each rule that took part, as answers show it."""
    text = f" {' '.join(WORD.findall(fold(query)))} "
    found = []
    for rule in rules:
        given = next(term for term in rule["given"] if f" {' '.join(WORD.findall(fold(term)))} " in text)
        others = [term for term in rule["read_as"] if term != given]
        found.append({"from": given, "to": ", ".join(others), "entity": None, "kind": "rule", "rule": rule["text"]})
    return found


def alias_readings(query: str, hits: Iterable[Card]) -> list[dict[str, Any]]:
    """The entities that the whole query is another name of."""
    return [
        {"from": query.strip(), "to": hit["name"], "entity": _card(hit), "kind": "alias"}
        for hit in hits
        if hit["match"]["kind"] == "alias" and squeeze(hit["match"]["text"]) == squeeze(query)
    ]


def _card(hit: Card) -> Card:
    return {key: value for key, value in hit.items() if key not in ("score", "match")}


def match(
    query: str, tiers: Iterable[str], card: Card, aliases: Sequence[str], rules: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """Why this entity was found: the best tier that matched and the name that did it."""
    tier = next(name for name in queries.TIERS if name in set(tiers))
    asked = query.strip()
    if tier == queries.ID:
        return _say("id", asked, "id", f"‘{asked}’ is the id of {card['name']}.")
    if tier == queries.DESCRIPTION:
        return _say("description", card["summary"], "summary", f"The summary of {card['name']} speaks of this.")
    text = _best_name(asked, card["name"], aliases, rules)
    field, kind = ("name", "name") if text == card["name"] else ("aliases", "alias")
    if tier in (queries.NAME, queries.ALIAS):
        return _equal(tier, card["name"], asked, aliases)
    if tier == queries.SYNONYM or _only_by_rule(asked, text, rules):
        rule = rules[0]["text"] if rules else asked
        return _say("synonym", text, field, f"By the rule ‘{rule}’, ‘{asked}’ is read as ‘{text}’.")
    if tier == queries.PREFIX:
        return _say("prefix", text, field, f"Words in ‘{text}’ begin with ‘{asked}’.")
    whole = {queries.PHRASE: "the words you typed, in this order", queries.WORDS: "all the words you typed"}
    holds = whole.get(tier, "most of the words you typed")
    subject = "Its name" if kind == "name" else f"‘{text}’, another name of {card['name']},"
    return _say(kind, text, field, f"{subject} has {holds}.")


def _equal(tier: str, name: str, asked: str, aliases: Sequence[str]) -> dict[str, str]:
    if tier == queries.NAME:
        return _say("name", name, "name", f"‘{asked}’ is the name of this entity.")
    text = _same(asked, aliases)
    return _say("alias", text, "aliases", f"‘{text}’ is another name of {name}.")


def _same(asked: str, aliases: Sequence[str]) -> str:
    """The alias that was typed: letter for letter if there is one ("ADHD" before "AD/HD"), else but for punctuation."""
    for form in (fold, squeeze):
        found = next((alias for alias in aliases if form(alias) == form(asked)), None)
        if found is not None:
            return found
    return _best_name(asked, "", aliases, ())


def _best_name(asked: str, name: str, aliases: Sequence[str], rules: Sequence[Mapping[str, Any]]) -> str:
    """The name that shares most words with the query as it was read; the display name wins ties."""
    typed = set(words(asked))
    read = typed | _rule_words(rules)

    whole = {squeeze(term) for rule in rules for term in rule["read_as"]}

    def closeness(text: str) -> tuple[bool, int, int, int]:
        own = set(words(text))
        return squeeze(text) in whole, len(read & own), len(typed & own), -len(own - read)

    best = max((name, *aliases), key=closeness)
    return name if name and closeness(best)[:3] == closeness(name)[:3] else best


def _rule_words(rules: Sequence[Mapping[str, Any]]) -> set[str]:
    return {word for rule in rules for term in rule["read_as"] for word in words(term)}


def _only_by_rule(asked: str, text: str, rules: Sequence[Mapping[str, Any]]) -> bool:
    """Whether words that were not typed made this name match in place of some that were."""
    typed, own = set(words(asked)), set(words(text))
    return bool(typed - own) and bool((_rule_words(rules) - typed) & own)


def _say(kind: str, text: str, field: str, why: str) -> dict[str, str]:
    return {"kind": kind, "text": text, "field": field, "why": why}
