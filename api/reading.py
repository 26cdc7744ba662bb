"""Why a hit is there, and which other names and type words a query holds: one plain sentence each. Pure."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from api import asking, queries
from api.fitting import akin, alike, equals, fits, own_words, telling
from api.rules import Wording, side_by_side, wordings
from api.words import fold, parts, squeeze, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Card = dict[str, Any]
BY_WORDING = frozenset((queries.SYNONYM, queries.PHRASE, queries.WORDS))
SAID = {queries.SYNONYM: "the words you typed", queries.PHRASE: "the words you typed, in this order"}
WHOLE_NAMES = frozenset((queries.ID, queries.NAME, queries.NAME_FORM, queries.ALIAS, queries.ALIAS_FORM))


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
    tier = min(tiers, key=queries.TIERS.index)
    asked = query.strip()
    if unshown:
        return _unshown("What you typed is", card["name"])
    if tier in WHOLE_NAMES:
        return _equal(tier, card["name"], asked, aliases)
    if tier in (queries.NAMED, queries.MENTION):
        return _mentioned(asked, card["name"], aliases)
    if tier == queries.EVERYWHERE:
        said = f"{_all(asked)}, or words that mean the same" if rules else _all(asked)
        why = f"The names and the summary of {card['name']}, with what it is joined to, have {said}."
        return _say("description", card["summary"], "everything", why)
    if tier == queries.DESCRIPTION:
        return _say("description", card["summary"], "everything", f"The words about {card['name']} speak of this.")
    return _in_names(tier, asked, card["name"], aliases, rules)


def _in_names(
    tier: str, asked: str, name: str, aliases: Sequence[str], rules: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    if tier == queries.PREFIX:
        return _begun(asked, name, aliases)
    if tier in BY_WORDING and (found := _worded(tier, asked, name, aliases, rules)):
        return found
    text = _best_name(asked, name, aliases, rules)
    if tier == queries.SCOPED:
        return _scoped(asked, name, text, _rule_words(rules))
    field, kind = ("name", "name") if text == name else ("aliases", "alias")
    said = SAID.get(tier) or (_all(asked) if tier == queries.WORDS else _most(asked))
    read = bool(_rule_words(rules).intersection(own_words(text)))
    if tier == queries.MOST and _holds_most(asked, text):
        why = f"{_subject(name, text)} has {said}."
    elif rules and tier in (queries.SYNONYM, queries.PHRASE):
        kind, why = "synonym", _by_some_rule(rules, asked, name, text)
    else:
        kind, why = "synonym" if read or (rules and tier == queries.WORDS) else kind, _together(name, said, rules)
    return _say(kind, text, field, why)


def _worded(
    tier: str, asked: str, name: str, aliases: Sequence[str], rules: Sequence[Mapping[str, Any]]
) -> dict[str, str] | None:
    """The name that holds the query as typed, or as a rule reads it; in words that differ by endings where it must."""
    said = SAID.get(tier) or _all(asked)
    names = [(text, own_words(text)) for text in (name, *aliases)]
    asks = [(wording, telling(tier, wording)) for wording in wordings(asked, rules)]
    for same, ending in ((equals, ""), (akin, ", but for endings"), (alike, ", but for endings")):
        for wording, meant in asks:
            fitting = [text for text, own in names if fits(tier, meant, own, same)]
            if fitting:
                text = name if fitting[0] == name else min(fitting, key=lambda one: len(one.split()))
                field, kind = ("name", "name") if text == name else ("aliases", "alias")
                if wording.used:
                    return _say("synonym", text, field, _by_rule(wording, name, text))
                return _say(kind, text, field, f"{_subject(name, text)} has {said}{ending}.")
    return None


def _subject(name: str, text: str) -> str:
    return "Its name" if text == name else f"‘{text}’, another name of {name},"


def _all(asked: str) -> str:
    whole = asking.content_words(asked) == _plain(asked)
    return "all the words you typed" if whole else "the words that count"


def _most(asked: str) -> str:
    hint = asking.hint(asked)
    if hint is None:
        return "most of the words you typed"
    return f"‘{hint.rest}’" if " " not in hint.rest else f"most of ‘{hint.rest}’"


def _all_akin(asked: str, text: str) -> bool:
    return all(any(akin(word, other) for other in parts(text)) for word in parts(asked))


def _holds_most(asked: str, text: str) -> bool:
    hint, own = asking.hint(asked), words(text)
    either = [words(hint.rest)] if hint else [words(asking.content_words(asked)), words(asked)]
    return any(sum(word in own for word in some) * 3 >= len(some) * 2 for some in either)


def _together(name: str, said: str, rules: Sequence[Mapping[str, Any]]) -> str:
    alike = ", or words that mean the same" if rules else ""
    return f"The names of {name}, taken together, have {said}{alike}."


def _plain(asked: str) -> str:
    return " ".join(parts(asked))


def _begun(asked: str, name: str, aliases: Sequence[str]) -> dict[str, str]:
    """The name in which every typed word is the beginning of a word, or the nearest where it takes several."""
    found = completion(asked, name, aliases)
    own = parts(found["text"])
    if all(any(word.startswith(part) for word in own) for part in parts(asked)):
        return {**found, "why": f"Words in ‘{found['text']}’ begin with ‘{asked}’."}
    return {**found, "why": f"Words in the names of {name}, taken together, begin with ‘{asked}’."}


def _by_rule(wording: Wording, name: str, text: str) -> str:
    """What a rule put in the place of typed words, so that this name has them."""
    given, term = wording.used[0]
    subject = "its name" if text == name else f"‘{text}’, another name of {name},"
    return f"By a synonym rule, ‘{given}’ also finds ‘{term}’: {subject} has it."


def _by_some_rule(rules: Sequence[Mapping[str, Any]], asked: str, name: str, text: str) -> str:
    own = set(words(text))
    such = f", such as ‘{text}’" if own & (_rule_words(rules) | set(words(asked))) else ""
    return f"By a synonym rule, your words or words that mean the same stand in the names of {name}{such}."


def _scoped(asked: str, name: str, text: str, ruled: set[str]) -> dict[str, str]:
    """The name that goes with what stands beside the type word, or that the entity is joined to such."""
    hint = asking.hint(asked)
    wanted, rest = (hint.wanted, hint.rest) if hint else ("", asked)
    meant = ruled | set(words(asking.content_words(rest)))
    if not any(akin(word, other) for word in meant for other in words(text)):
        return _say("description", name, "everything", f"You asked for {wanted}: {name} is joined to ‘{rest}’.")
    shown = f"‘{text}’" if text == name else f"{name}, also called ‘{text}’,"
    kind, field = ("name", "name") if text == name else ("alias", "aliases")
    return _say(kind, text, field, f"You asked for {wanted}: {shown} goes with ‘{rest}’.")


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
        return sum(not any(akin(word, other) for other in typed) for word in own) if len(own) > 1 else len(typed), -len(
            own
        )

    nearest = min(aliases, key=strange)
    return _say("alias", nearest, "aliases", f"Your words tell of ‘{nearest}’, which is another name of {name}.")


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
    pairs = zip_longest(parts(one), parts(other), fillvalue="")
    return all(a == b or akin(a, b) for a, b in pairs)


def completion(typed: str, name: str, aliases: Sequence[str]) -> dict[str, str]:
    """Which of an entity's names goes on from what was typed; the display name wins ties."""
    key, begun = squeeze(typed), parts(typed)

    def closeness(text: str) -> tuple[bool, int]:
        own = parts(text)
        return squeeze(text).startswith(key), sum(any(word.startswith(part) for word in own) for part in begun)

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
    terms = [own_words(term) for rule in rules for term in rule["read_as"]]

    def closeness(text: str) -> tuple[bool, bool, bool, int, int, int]:
        in_order = own_words(text)
        own = set(in_order)
        by_rule = any(side_by_side(term, in_order) for term in terms) if own & rule_words else False
        return typed <= own, squeeze(text) in whole, by_rule, len(read & own), len(typed & own), -len(own - read)

    close = {text: closeness(text) for text in (name, *aliases)}
    best = max(close, key=close.__getitem__)
    if close[best][3] == 0:  # endings that the engine takes off: "proofreader" and "proofreading software"
        best = max((name, *aliases), key=lambda text: sum(akin(word, other) for word in read for other in words(text)))
        return best or name
    return name if name and close[best][:5] == close[name][:5] else best


def _rule_words(rules: Sequence[Mapping[str, Any]]) -> set[str]:
    return {word for rule in rules for term in rule["read_as"] for word in own_words(term)}


def _say(kind: str, text: str, field: str, why: str) -> dict[str, str]:
    return {"kind": kind, "text": text, "field": field, "why": why}
