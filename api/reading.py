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
    """The other names that stand in the query, or are all of it, and the entities they led to.

    For the first hit it is enough that the name holds all of the query: "lou gehrigs".
    """
    return [
        {"from": hit["match"]["text"], "to": hit["name"], "entity": _card(hit), "kind": "alias"}
        for place, hit in enumerate(hits)
        if hit["match"]["kind"] == "alias" and _took_part(query, hit["match"]["text"], first=place == 0)
    ]


def _took_part(query: str, text: str, *, first: bool) -> bool:
    if squeeze(text) in squeeze(query) or _but_for_endings(text, query):
        return True
    return first and bool(text) and _all_akin(query, text)


def _card(hit: Card) -> Card:
    return {key: value for key, value in hit.items() if key not in ("score", "match")}


def match(
    query: str,
    tiers: Iterable[str],
    card: Card,
    aliases: Sequence[str],
    rules: Sequence[Mapping[str, Any]],
    *,
    unshown: bool = False,
) -> dict[str, str]:
    """Why this entity was found: the best tier that matched and the name that did it, unless that is never shown."""
    tier = next(name for name in queries.TIERS if name in set(tiers))
    asked = query.strip()
    if unshown:
        return _unshown("What you typed is", card["name"])
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
    if tier == queries.PREFIX:
        return _begun(asked, name, aliases)
    whole = asking.content_words(asked) == _plain(asked)
    said = {
        queries.PHRASE: "the words you typed, in this order",
        queries.WORDS: "all the words you typed" if whole else "the words that count",
    }.get(tier, "most of the words you typed")
    read = bool(_rule_words(rules) & set(words(text)))
    if tier != queries.SYNONYM and _holds(tier, asked, text):
        subject = "Its name" if kind == "name" else f"‘{text}’, another name of {name},"
        why = f"{subject} has {said}."
    elif rules and (tier in (queries.SYNONYM, queries.PHRASE) or (tier == queries.WORDS and read)):
        kind, why = "synonym", _by_rule(rules, asked, name, text)
    elif tier == queries.PHRASE and _all_akin(asked, text):
        why = f"‘{text}’ has {said}, but for endings."
    else:
        kind, why = "synonym" if read or (rules and tier == queries.WORDS) else kind, _together(name, said, rules)
    return _say(kind, text, field, why)


def _all_akin(asked: str, text: str) -> bool:
    own = WORD.findall(fold(text))
    return all(any(_akin(word, other) for other in own) for word in WORD.findall(fold(asked)))


def _holds(tier: str, asked: str, text: str) -> bool:
    """Whether this one name has what the tier asks for."""
    own, meant = words(text), words(asking.content_words(asked))
    if tier == queries.PHRASE:
        return _side_by_side(words(asked), own)
    if all(word in own for word in meant):
        return True
    either = (meant, words(asked)) if tier == queries.MOST else ()
    return any(sum(word in own for word in some) * 3 >= len(some) * 2 for some in either)


def _side_by_side(some: Sequence[str], own: Sequence[str]) -> bool:
    return f" {' '.join(some)} " in f" {' '.join(own)} "


def _together(name: str, said: str, rules: Sequence[Mapping[str, Any]]) -> str:
    alike = ", or words that mean the same" if rules else ""
    return f"The names of {name}, taken together, have {said}{alike}."


def _plain(asked: str) -> str:
    return " ".join(WORD.findall(fold(asked)))


def _begun(asked: str, name: str, aliases: Sequence[str]) -> dict[str, str]:
    """The name in which every typed word is the beginning of a word, or the nearest where it takes several."""
    found = completion(asked, name, aliases)
    own = WORD.findall(fold(found["text"]))
    if all(any(word.startswith(part) for word in own) for part in WORD.findall(fold(asked))):
        return {**found, "why": f"Words in ‘{found['text']}’ begin with ‘{asked}’."}
    return {**found, "why": f"Words in the names of {name}, taken together, begin with ‘{asked}’."}


def _by_rule(rules: Sequence[Mapping[str, Any]], asked: str, name: str, text: str) -> str:
    """The rule that put words into this name which were not typed, or that some did."""
    typed, own = words(asked), words(text)
    for rule in rules:
        given = next((term for term in rule["given"] if _side_by_side(words(term), typed)), None)
        shown = next((term for term in rule["read_as"] if term != given and _side_by_side(words(term), own)), None)
        if given and shown and not _side_by_side(words(shown), typed):
            subject = "its name" if text == name else f"‘{text}’, another name of {name},"
            return f"By a synonym rule, ‘{given}’ also finds ‘{shown}’: {subject} has it."
    such = f", such as ‘{text}’" if set(own) & (_rule_words(rules) | set(typed)) else ""
    return f"By a synonym rule, your words or words that mean the same stand in the names of {name}{such}."


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
        return _told_of(asked, name, aliases) if aliases else _unshown("Your words hold", name)
    text = max(standing, key=lambda one: len(squeeze(one)))
    if text == name:
        return _say("name", name, "name", f"Your words name {name}.")
    form = "" if squeeze(text) in squeeze(asked) else "a form of "
    return _say("alias", text, "aliases", f"Your words hold {form}‘{text}’, which is another name of {name}.")


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


def _unshown(subject: str, name: str) -> dict[str, str]:
    return _say("alias", name, "aliases", f"{subject} another name of {name}.")


def _equal(tier: str, name: str, asked: str, aliases: Sequence[str]) -> dict[str, str]:
    if tier == queries.ID and squeeze(asked) != squeeze(name):
        return _say("id", asked, "id", f"‘{asked}’ is the id of {name}.")
    if tier in (queries.ID, queries.NAME):  # a slug that was typed as a name is one
        return _say("name", name, "name", f"‘{asked}’ is the name of this entity.")
    if tier == queries.ALIAS and squeeze(asked) == squeeze(name):  # goods for everybody: their name counts as one
        return _say("name", name, "name", f"‘{asked}’ is the name of this entity.")
    if tier == queries.NAME_FORM or (tier == queries.ALIAS_FORM and _is_form(asked, name, aliases)):
        return _say("name", name, "name", f"‘{asked}’ is a form of the name {name}.")
    text = _same(asked, aliases)
    form = "" if squeeze(text) == squeeze(asked) else f"‘{asked}’ is a form of "
    return _say(
        "alias",
        text,
        "aliases",
        f"{form}‘{text}’{',' if form else ''} {'which ' if form else ''}is another name of {name}.",
    )


def _is_form(asked: str, name: str, aliases: Sequence[str]) -> bool:
    """Whether a form of the name was typed, and not rather one of another name."""
    if words(asked) == words(name):
        return True
    return _but_for_endings(name, asked) and not any(_but_for_endings(one, asked) for one in aliases)


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
    does = "goes on from what you typed" if closeness(best)[0] else "has words that begin with what you typed"
    if closeness(best) == closeness(name):
        return _say("prefix", name, "name", f"{name} {does}.")
    return _say("prefix", best, "aliases", f"‘{best}’, another name of {name}, {does}.")


def _best_name(asked: str, name: str, aliases: Sequence[str], rules: Sequence[Mapping[str, Any]]) -> str:
    """The name that says most of the query: all its words, a rule's whole term, or else most words as it was read.

    The display name wins ties.
    """
    typed, rule_words = set(words(asked)), _rule_words(rules)
    read = typed | rule_words
    whole = {squeeze(term) for rule in rules for term in rule["read_as"]}
    terms = [words(term) for rule in rules for term in rule["read_as"]]

    def closeness(text: str) -> tuple[bool, bool, bool, int, int, int]:
        parts = words(text)
        own = set(parts)
        by_rule = any(_side_by_side(term, parts) for term in terms) if own & rule_words else False
        return typed <= own, squeeze(text) in whole, by_rule, len(read & own), len(typed & own), -len(own - read)

    best = max((name, *aliases), key=closeness)
    if closeness(best)[3] == 0:  # endings that the engine takes off: "proofreader" and "proofreading software"
        best = max((name, *aliases), key=lambda text: sum(_akin(word, other) for word in read for other in words(text)))
        return best or name
    return name if name and closeness(best)[:5] == closeness(name)[:5] else best


def _rule_words(rules: Sequence[Mapping[str, Any]]) -> set[str]:
    return {word for rule in rules for term in rule["read_as"] for word in words(term)}


def _say(kind: str, text: str, field: str, why: str) -> dict[str, str]:
    return {"kind": kind, "text": text, "field": field, "why": why}
