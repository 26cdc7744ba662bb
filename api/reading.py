"""How the words of a query were read, and why a hit is there: one plain sentence each. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from rapidfuzz.distance import Prefix

from api import asking, queries
from api.words import WORD, fold, squeeze, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Card = dict[str, Any]
WHOLE_NAMES = frozenset((queries.ID, queries.NAME, queries.NAME_FORM, queries.ALIAS, queries.ALIAS_FORM))


class Rules(tuple[Mapping[str, Any], ...]):  # noqa: SLOT001 - a cached property needs a __dict__
    """A release's synonym rules, with their terms folded once instead of at every search."""

    @cached_property
    def terms(self) -> dict[tuple[str, ...], tuple[Mapping[str, Any], str]]:
        """Each term's words, with its rule and the term as it is written."""
        return {tuple(WORD.findall(fold(term))): (rule, term) for rule in self for term in rule["given"]}


def fired(query: str, rules: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The synonym rules that act on the query: at each word the longest term, as the engine reads them."""
    return [rule for rule, _ in _firing(query, rules)]


def _firing(query: str, rules: Sequence[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], str]]:
    typed = WORD.findall(fold(query))
    terms = (rules if isinstance(rules, Rules) else Rules(rules)).terms
    longest = max(map(len, terms), default=0)
    found, place = [], 0
    while place < len(typed):
        sizes = range(min(longest, len(typed) - place), 0, -1)
        size = next((size for size in sizes if tuple(typed[place : place + size]) in terms), 0)
        if size:
            found.append(terms[tuple(typed[place : place + size])])
        place += size or 1
    return found


def rule_readings(query: str, rules: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each rule that took part, as answers show it."""
    return [
        {
            "from": given,
            "to": ", ".join(term for term in rule["read_as"] if term != given),
            "entity": None,
            "kind": "rule",
            "rule": rule["text"],
        }
        for rule, given in _firing(query, rules)
    ]


def scope_readings(query: str) -> list[dict[str, Any]]:
    """The type word at an end of the query, as answers show it."""
    hint = asking.hint(query)
    if hint is None:
        return []
    return [{"from": hint.given, "to": ", ".join(hint.types), "entity": None, "kind": "scope"}]


def alias_readings(query: str, hits: Iterable[Card]) -> list[dict[str, Any]]:
    """The other names that stand in the query, or are all of it, and the entities they led to."""
    typed = squeeze(query)
    return [
        {"from": hit["match"]["text"], "to": hit["name"], "entity": _card(hit), "kind": "alias"}
        for hit in hits
        if hit["match"]["kind"] == "alias" and squeeze(hit["match"]["text"]) in typed
    ]


def _card(hit: Card) -> Card:
    return {key: value for key, value in hit.items() if key not in ("score", "match")}


def match(
    query: str, tiers: Iterable[str], card: Card, aliases: Sequence[str], rules: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """Why this entity was found: the best tier that matched and the name that did it."""
    tier = next(name for name in queries.TIERS if name in set(tiers))
    asked = query.strip()
    if tier in WHOLE_NAMES:
        return _equal(tier, card["name"], asked, aliases)
    if tier in (queries.NAMED, queries.MENTION):
        return _mentioned(asked, card["name"], aliases)
    if tier == queries.EVERYWHERE:
        said = "all the words you typed, or words that mean the same" if rules else "all the words you typed"
        why = f"The names and the summary of {card['name']}, with what it is joined to, have {said}."
        return _say("description", card["summary"], "everything", why)
    if tier == queries.DESCRIPTION:
        return _say("description", card["summary"], "everything", f"The words about {card['name']} speak of this.")
    return _in_names(tier, asked, card["name"], aliases, rules)


def _in_names(
    tier: str, asked: str, name: str, aliases: Sequence[str], rules: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    text = _best_name(asked, name, aliases, rules)
    field, kind = ("name", "name") if text == name else ("aliases", "alias")
    if tier == queries.SCOPED:
        return _say(kind, text, field, _scoped(asked, name, text))
    rule = _acting(asked, text, rules)
    if rule is not None and (tier == queries.SYNONYM or _only_by_rule(asked, text, rules)):
        return _say("synonym", text, field, _by_rule(rule, asked, name, text))
    if tier == queries.PREFIX:
        return _begun(asked, name, aliases)
    holds = {
        queries.PHRASE: "the words you typed, in this order",
        queries.WORDS: "all the words you typed"
        if asking.content_words(asked) == _plain(asked)
        else "the words that count",
    }
    said = holds.get(tier, "most of the words you typed")
    partly = not set(words(asking.content_words(asked))) <= set(words(text))
    if partly and rules and tier in (queries.PHRASE, queries.WORDS):
        return _say("synonym", text, field, _by_some_rule(name, text))
    if partly and tier == queries.WORDS:
        return _say(kind, text, field, f"The names of {name}, taken together, have {said}.")
    subject = "Its name" if kind == "name" else f"‘{text}’, another name of {name},"
    return _say(kind, text, field, f"{subject} has {said}.")


def _plain(asked: str) -> str:
    return " ".join(WORD.findall(fold(asked)))


def _begun(asked: str, name: str, aliases: Sequence[str]) -> dict[str, str]:
    """The name in which every typed word is the beginning of a word."""
    found = completion(asked, name, aliases)
    return {**found, "why": f"Words in ‘{found['text']}’ begin with ‘{asked}’."}


def _acting(asked: str, text: str, rules: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The rule whose words stand in this name though they were not typed."""
    own, typed = set(words(text)), set(words(asked))
    return next((rule for rule in rules if (_rule_words([rule]) - typed) & own), rules[0] if rules else None)


def _by_rule(rule: Mapping[str, Any], asked: str, name: str, text: str) -> str:
    typed = f" {_plain(asked)} "
    given = next((term for term in rule["given"] if f" {_plain(term)} " in typed), rule["given"][0])
    others = [term for term in rule["read_as"] if term != given]
    shown = next((term for term in others if set(words(term)) <= set(words(text))), None)
    if shown is None:
        return _by_some_rule(name, text)
    subject = "its name" if text == name else f"‘{text}’, another name of {name},"
    return f"By a synonym rule, ‘{given}’ also finds ‘{shown}’: {subject} has it."


def _by_some_rule(name: str, text: str) -> str:
    return f"By a synonym rule, your words or words that mean the same stand in the names of {name}, such as ‘{text}’."


def _scoped(asked: str, name: str, text: str) -> str:
    hint = asking.hint(asked)
    wanted, rest = (hint.wanted, hint.rest) if hint else ("", asked)
    shown = f"‘{text}’" if text == name else f"{name}, also called ‘{text}’,"
    return f"You asked for {wanted}: {shown} goes with ‘{rest}’."


def _mentioned(asked: str, name: str, aliases: Sequence[str]) -> dict[str, str]:
    """The longest of an entity's names that stands in the query."""
    runs = {run for found in asking.mentions(asked).values() for run in found}
    standing = [text for text in (name, *aliases) if squeeze(text) in runs]
    if not standing:
        return _told_of(asked, name, aliases)
    text = max(standing, key=lambda one: len(squeeze(one)))
    if text == name:
        return _say("name", name, "name", f"Your words name {name}.")
    return _say("alias", text, "aliases", f"Your words hold ‘{text}’, which is another name of {name}.")


def _told_of(asked: str, name: str, aliases: Sequence[str]) -> dict[str, str]:
    """The other name whose telling words all stand in the query, though apart or in another order."""
    typed = asking.telling(asked)

    def strange(text: str) -> tuple[int, int]:
        own = asking.telling(text)
        return sum(not any(_akin(word, other) for other in typed) for word in own) if len(own) > 1 else len(
            typed
        ), -len(own)

    nearest = min(aliases, key=strange)
    return _say("alias", nearest, "aliases", f"Your words tell of ‘{nearest}’, which is another name of {name}.")


def _akin(one: str, other: str) -> bool:
    """Whether two words differ by an ending at most: "forgets" and "forgetting"."""
    return Prefix.similarity(one, other) >= max(3, min(len(one), len(other)) - 2)


def _equal(tier: str, name: str, asked: str, aliases: Sequence[str]) -> dict[str, str]:
    if tier == queries.ID and squeeze(asked) != squeeze(name):
        return _say("id", asked, "id", f"‘{asked}’ is the id of {name}.")
    if tier in (queries.ID, queries.NAME):  # a slug that was typed as a name is one
        return _say("name", name, "name", f"‘{asked}’ is the name of this entity.")
    if tier == queries.ALIAS and squeeze(asked) == squeeze(name):  # goods for everybody: their name counts as one
        return _say("name", name, "name", f"‘{asked}’ is the name of this entity.")
    if tier == queries.NAME_FORM or (tier == queries.ALIAS_FORM and words(asked) == words(name)):
        return _say("name", name, "name", f"‘{asked}’ is a form of the name {name}.")
    text = _same(asked, aliases)
    form = "" if squeeze(text) == squeeze(asked) else f"‘{asked}’ is a form of "
    return _say(
        "alias",
        text,
        "aliases",
        f"{form}‘{text}’{',' if form else ''} {'which ' if form else ''}is another name of {name}.",
    )


def _same(asked: str, aliases: Sequence[str]) -> str:
    """The alias that was typed: letter for letter ("ADHD" before "AD/HD"), but for punctuation, or but for endings."""
    for same in (_letter_for_letter, _but_for_punctuation, _but_for_endings):
        found = next((alias for alias in aliases if same(alias, asked)), None)
        if found is not None:
            return found
    return _best_name(asked, "", aliases, ())


def _letter_for_letter(one: str, other: str) -> bool:
    return fold(one) == fold(other)


def _but_for_punctuation(one: str, other: str) -> bool:
    return squeeze(one) == squeeze(other)


def _but_for_endings(one: str, other: str) -> bool:
    pairs = zip_longest(WORD.findall(fold(one)), WORD.findall(fold(other)), fillvalue="")
    return all(a == b or _akin(a, b) for a, b in pairs)


def completion(typed: str, name: str, aliases: Sequence[str]) -> dict[str, str]:
    """Which of an entity's names goes on from what was typed; the display name wins ties."""
    key, parts = squeeze(typed), WORD.findall(fold(typed))

    def closeness(text: str) -> tuple[bool, int]:
        own = WORD.findall(fold(text))
        return squeeze(text).startswith(key), sum(any(word.startswith(part) for word in own) for part in parts)

    best = max((name, *aliases), key=closeness)
    if closeness(best) == closeness(name):
        return _say("prefix", name, "name", f"{name} goes on from what you typed.")
    return _say("prefix", best, "aliases", f"‘{best}’, another name of {name}, goes on from what you typed.")


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
