"""Explains why a hit matched, in one plain sentence."""

from collections.abc import Iterable, Sequence
from itertools import chain
from operator import eq
from typing import TypedDict

from api.search import query_builder
from api.search.name_match import has_phrase, name_matches, parse_name, same_but_for_endings, same_stem, similar_stem
from api.search.query import ParsedQuery, QueryVariant
from api.search.type_hints import content_tokens
from schema.json_types import JsonObject
from schema.synonyms import RuleMatch
from schema.text import singularize

TYPED_TEXT = {query_builder.SYNONYM: "the words you typed", query_builder.PHRASE: "the words you typed, in this order"}
VARIANT_TIERS = frozenset((query_builder.SYNONYM, query_builder.PHRASE, query_builder.WORDS))
WHOLE_NAMES = query_builder.WHOLE - {query_builder.SYNONYM}


class Match(TypedDict):
    """Why a hit matched: the kind of match, the text that matched, its field, and a sentence."""

    kind: str
    text: str
    field: str
    why: str


def _name_match(name: str, text: str, why: str, kind: str | None = None) -> Match:
    """Return a match by the display name or by an alias, whichever the text is."""
    by_name, field = ("name", "name") if text == name else ("alias", "aliases")
    return Match(kind=kind or by_name, text=text, field=field, why=why)


def explain_match(
    query: ParsedQuery, tiers: Iterable[str], card: JsonObject, aliases: Sequence[str], *, unshown: bool = False
) -> Match:
    """Explain a hit by the best tier that matched and the name that did it, unless that name is never shown."""
    tier = min(tiers, key=query_builder.TIERS.index)
    name = card["name"]
    if unshown:
        return _explain_hidden_alias("What you typed is", name)
    if tier in WHOLE_NAMES:
        return _explain_whole_name(tier, name, query, aliases)
    if tier in {query_builder.NAMED, query_builder.MENTION}:
        return _explain_mention(query, name, aliases)
    if tier in {query_builder.EVERYWHERE, query_builder.DESCRIPTION}:
        why = f"The description of {name}, or a related entry, matches your query."
        if tier == query_builder.EVERYWHERE:
            matched = f"{_all_words(query)}{_or_synonyms(query)}"
            why = f"The names and summary of {name}, together with related entries, contain {matched}."
        return Match(kind="description", text=card["summary"], field="everything", why=why)
    return _explain_names(tier, query, name, aliases)


def _explain_names(tier: str, query: ParsedQuery, name: str, aliases: Sequence[str]) -> Match:
    if tier == query_builder.PREFIX:
        return _explain_prefix(query, name, aliases)
    if tier in VARIANT_TIERS and (match := _explain_variant(tier, query, name, aliases)):
        return match
    text = _best_name(query, name, aliases, query.rules)
    if tier == query_builder.SCOPED:
        return _explain_type_hint(query, name, text)
    matched = TYPED_TEXT.get(tier) or (_all_words(query) if tier == query_builder.WORDS else _most_words(query))
    if tier == query_builder.MOST and _has_most_words(query, text):
        return _name_match(name, text, f"{_subject(name, text)} contains {matched}.")
    if query.rules and tier in TYPED_TEXT:
        return _name_match(name, text, _by_some_rule(query, name, text), "synonym")
    replaced = not _replacement_stems(query.rules).isdisjoint(parse_name(text).stems)
    kind = "synonym" if replaced or (query.rules and tier == query_builder.WORDS) else None
    why = f"The names of {name}, taken together, contain {matched}{_or_synonyms(query)}."
    return _name_match(name, text, why, kind)


def _explain_variant(tier: str, query: ParsedQuery, name: str, aliases: Sequence[str]) -> Match | None:
    """Explain a name that has the query as typed, or as a rule rewrites it; up to inflection if it must be."""
    matched = TYPED_TEXT.get(tier) or _all_words(query)
    names = [(text, parse_name(text).stems) for text in (name, *aliases)]
    is_by_keywords = tier == query_builder.WORDS
    variants = [(one, one.keyword_stems if is_by_keywords else one.stems) for one in query.variants]
    for same, ending in (
        (eq, ""),
        (same_stem, ", apart from word endings"),
        (similar_stem, ", apart from word endings"),
    ):
        for variant, required in variants:
            matching = [text for text, stems in names if name_matches(tier, required, stems, same)]
            if matching:
                text = name if matching[0] == name else min(matching, key=lambda alias: len(alias.split()))
                if variant.replaced:
                    return _name_match(name, text, _by_rule(variant, name, text), "synonym")
                return _name_match(name, text, f"{_subject(name, text)} contains {matched}{ending}.")
    return None


def _subject(name: str, text: str) -> str:
    return "Its name" if text == name else f"‘{text}’, another name of {name},"


def _all_words(query: ParsedQuery) -> str:
    return "all the words you typed" if query.keywords == query.tokens else "all the keywords you typed"


def _most_words(query: ParsedQuery) -> str:
    if query.type_hint is None:
        return "most of the words you typed"
    remainder = f"‘{' '.join(query.type_hint.remainder)}’"
    return remainder if len(query.type_hint.remainder) == 1 else f"most of {remainder}"


def _has_most_words(query: ParsedQuery, text: str) -> bool:
    stems = parse_name(text).stems
    hint = query.type_hint
    choices = [_stems(hint.remainder)] if hint else [_stems(query.keywords), query.stems]
    return any(sum(word in stems for word in words) * 3 >= len(words) * 2 for words in choices)


def _stems(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(singularize, words))


def _or_synonyms(query: ParsedQuery) -> str:
    return ", or words that mean the same" if query.rules else ""


def _explain_prefix(query: ParsedQuery, name: str, aliases: Sequence[str]) -> Match:
    """Explain by the name in which every typed word begins a word, or by the nearest if it takes several names."""
    match = explain_completion(query, name, aliases)
    words = parse_name(match["text"]).tokens
    if all(any(word.startswith(token) for word in words) for token in query.tokens):
        why = f"Words in ‘{match['text']}’ begin with ‘{query.trimmed}’."
    else:
        why = f"Words in the names of {name}, taken together, begin with ‘{query.trimmed}’."
    return {**match, "why": why}


def _by_rule(variant: QueryVariant, name: str, text: str) -> str:
    typed, replacement = variant.replaced[0]
    subject = "its name" if text == name else f"‘{text}’, another name of {name},"
    return f"By a synonym rule, ‘{typed}’ also finds ‘{replacement}’: {subject} contains it."


def _by_some_rule(query: ParsedQuery, name: str, text: str) -> str:
    shared = not _replacement_stems(query.rules).union(query.stems).isdisjoint(parse_name(text).stems)
    example = f", such as ‘{text}’" if shared else ""
    return f"By a synonym rule, your words or words that mean the same appear in the names of {name}{example}."


def _explain_type_hint(query: ParsedQuery, name: str, text: str) -> Match:
    """Explain by the name that goes with the rest beside the type hint, or by a related entity."""
    hint = query.type_hint
    label, rest = (hint.label, " ".join(hint.remainder)) if hint else ("", query.trimmed)
    words = _replacement_stems(query.rules).union(_stems(hint.keywords if hint else query.keywords))
    if not any(same_stem(word, other) for word in words for other in parse_name(text).stems):
        why = f"Your query asks for {label}: {name} is related to ‘{rest}’."
        return Match(kind="description", text=name, field="everything", why=why)
    shown = f"‘{text}’" if text == name else f"{name}, also known as ‘{text}’,"
    return _name_match(name, text, f"Your query asks for {label}: {shown} matches ‘{rest}’.")


def _explain_mention(query: ParsedQuery, name: str, aliases: Sequence[str]) -> Match:
    """Explain by the longest name of the entity that is in the query."""
    keys = {key for mentions in query.mentions.values() for key in mentions}
    mentioned = [text for text in (name, *aliases) if parse_name(text).key in keys]
    if not mentioned:
        if aliases:
            return _explain_keyword_match(query, name, aliases)
        return _explain_hidden_alias("Your query contains", name)
    text = max(mentioned, key=lambda text: len(parse_name(text).key))
    form = "" if parse_name(text).key in query.key else "a form of "
    why = f"Your query contains {form}‘{text}’, which is another name of {name}."
    return _name_match(name, text, f"Your query names {name}." if text == name else why)


def _explain_keyword_match(query: ParsedQuery, name: str, aliases: Sequence[str]) -> Match:
    """Explain by the alias whose content words are all in the query, though apart or in another order."""
    typed = content_tokens(query.tokens)

    def distance(text: str) -> tuple[int, int]:
        words = content_tokens(parse_name(text).tokens)
        missing = sum(not any(same_stem(word, other) for other in typed) for word in words)
        return missing if len(words) > 1 else len(typed), -len(words)

    nearest = min(aliases, key=distance)
    why = f"Your query mentions ‘{nearest}’, which is another name of {name}."
    return Match(kind="alias", text=nearest, field="aliases", why=why)


def _explain_hidden_alias(subject: str, name: str) -> Match:
    return Match(kind="alias", text=name, field="aliases", why=f"{subject} another name of {name}.")


def _explain_whole_name(tier: str, name: str, query: ParsedQuery, aliases: Sequence[str]) -> Match:
    typed = query.trimmed
    is_name = query.key == parse_name(name).key
    if tier == query_builder.ID and not is_name:
        return Match(kind="id", text=typed, field="id", why=f"‘{typed}’ is the id of {name}.")
    # an id that is a name is a slug; the name of a mainstream product matches like an alias
    if tier in {query_builder.ID, query_builder.NAME} or (tier == query_builder.ALIAS and is_name):
        return Match(kind="name", text=name, field="name", why=f"‘{typed}’ is the name of this entity.")
    if tier == query_builder.NAME_FORM or (tier == query_builder.ALIAS_FORM and _is_form(query, name, aliases)):
        return Match(kind="name", text=name, field="name", why=f"‘{typed}’ is a form of the name {name}.")
    text = _typed_alias(query, aliases)
    if parse_name(text).key == query.key:
        why = f"‘{text}’ is another name of {name}."
    else:
        why = f"‘{typed}’ is a form of ‘{text}’, which is another name of {name}."
    return Match(kind="alias", text=text, field="aliases", why=why)


def _is_form(query: ParsedQuery, name: str, aliases: Sequence[str]) -> bool:
    """Return whether the query is a form of the name, and not rather one of an alias."""
    if query.stems == parse_name(name).stems:
        return True
    return same_but_for_endings(name, query) and not any(same_but_for_endings(alias, query) for alias in aliases)


def _typed_alias(query: ParsedQuery, aliases: Sequence[str]) -> str:
    """Return the alias that was typed: to the letter ("ADHD" before "AD/HD"), up to punctuation, or up to endings."""
    same_letters = (alias for alias in aliases if parse_name(alias).folded == query.folded.strip())
    same_key = (alias for alias in aliases if parse_name(alias).key == query.key)
    same_stems = (alias for alias in aliases if same_but_for_endings(alias, query))
    return next(chain(same_letters, same_key, same_stems), None) or _best_name(query, "", aliases, ())


def explain_completion(query: ParsedQuery, name: str, aliases: Sequence[str]) -> Match:
    """Explain by the name that continues the query; the display name wins ties."""

    def closeness(text: str) -> tuple[bool, int]:
        words = parse_name(text).tokens
        begun = sum(any(word.startswith(token) for word in words) for token in query.tokens)
        return parse_name(text).key.startswith(query.key), begun

    best = max((name, *aliases), key=closeness)
    how = "begins with what you typed" if closeness(best)[0] else "has words that begin with what you typed"
    if closeness(best) == closeness(name):
        return _name_match(name, name, f"{name} {how}.", "prefix")
    return _name_match(name, best, f"‘{best}’, another name of {name}, {how}.", "prefix")


def _best_name(query: ParsedQuery, name: str, aliases: Sequence[str], rules: Sequence[RuleMatch]) -> str:
    """Return the name with most of the query: all its words, a whole replacement of a rule, or else most words.

    The display name wins ties.
    """
    typed, replacements = set(query.stems), _replacement_stems(rules)
    searched = typed | replacements
    terms = [parse_name(term) for match in rules for term in match.rule.replacements]
    keys = {term.key for term in terms}

    def closeness(text: str) -> tuple[bool, bool, bool, int, int, int]:
        parsed = parse_name(text)
        stems = set(parsed.stems)
        has_term = any(has_phrase(parsed.stems, term.stems) for term in terms) if stems & replacements else False
        shared = len(searched & stems), len(typed & stems), -len(stems - searched)
        return typed <= stems, parsed.key in keys, has_term, *shared

    close = {text: closeness(text) for text in (name, *aliases)}
    best = max(close, key=close.__getitem__)
    if close[best][3] == 0:  # endings that the analyzer removes: "proofreader" and "proofreading software"
        inflected = {
            text: sum(same_stem(word, other) for word in searched for other in parse_name(text).stems) for text in close
        }
        return max(inflected, key=inflected.__getitem__) or name
    return name if name and close[best][:5] == close[name][:5] else best


def _replacement_stems(rules: Iterable[RuleMatch]) -> set[str]:
    """Return the words that synonym rules add to the query."""
    return {word for match in rules for term in match.rule.replacements for word in parse_name(term).stems}
