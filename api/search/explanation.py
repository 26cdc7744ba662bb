"""Explains why a hit matched in one plain sentence, and how the words of the query were interpreted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from api.search.names import has_phrase, parse_name
from api.search.query import ParsedQuery, SearchRequest
from api.search.ranking import RankedHit, named_sides
from api.search.ranking_table import BY_RULE, WHOLE_NAMES
from schema.entity_kinds import NEED_TYPES
from schema.exact_keys import name_form
from schema.json_types import JsonObject
from schema.synonyms import RuleMatch
from schema.text import join_names, stems, tokens

# The matches by which the query has an alias; the alias of the first hit may have more words: "lou gehrigs".
NAMED_BY_ALIAS = frozenset(("alias", "title", "alias_form", "keyword_name", "mention", "keywords"))
MAX_BROADER = 2  # conditions that a sentence names

IN_TEXTS = frozenset(("description", "wording"))  # the matches by what content says of an entity

# The public kind of each match of the ranking table; the others are kinds themselves.
KINDS = {
    **dict.fromkeys(("product_name", "name_form"), "name"),
    **dict.fromkeys(
        (
            *("title", "alias_form", "keyword_name", "mention", "other_job", "part_of_name", "not_meant"),
            *("common_word", "keywords"),
        ),
        "alias",
    ),
    **dict.fromkeys(("rule_mention", "rule_part", "words_by_rule"), "synonym"),
    **dict.fromkeys(
        (
            *("broader", "broader_form", "body_part", "side", "first_choice", "need", "part_of_need"),
            *("related", "most_related", "words_apart", "wording", "elsewhere"),
        ),
        "description",
    ),
    **dict.fromkeys(("phrase", "all_words", "other_kind", "most_words", "scoped", "demoted", "thing"), "name"),
}


def explain_hit(query: ParsedQuery, hit: RankedHit, named: Iterable[str] = ()) -> JsonObject:
    """Return the kind of match, the text and field that matched, and the sentence.

    `named` are the names of the entities that the query names; the needs of a solution are among them.
    """
    name, match = hit.card["name"], hit.match
    kind = KINDS.get(match.kind, match.kind)
    text = match.text or name
    is_hidden = not match.text and match.kind in SENTENCES_WITHOUT_TEXT
    field = "name" if text == name and not is_hidden else "aliases"
    if kind in {"name", "alias"} and match.kind not in WHOLE_NAMES:
        kind = "name" if field == "name" else "alias"
    if match.kind == "id":
        field = "id"
    elif kind == "description":
        text = hit.card["summary"] if match.kind == "description" else text
        field = "description" if match.kind in IN_TEXTS else "related"
    return {"kind": kind, "text": text, "field": field, "why": _sentence(query, hit, named)}


# Sentences by the kind of match; `subject` is "Its name" or the alias that matched.
SENTENCES = {
    "pinned": "The operator of this service pinned {name} to this query.",
    "id": "‘{typed}’ is the id or a code of {name}.",
    "name": "‘{typed}’ is the name of this entity.",
    "product_name": "‘{typed}’ is the name of this product.",
    "name_form": "‘{typed}’ is a form of the name {name}.",
    "alias": "‘{text}’ is another name of {name}.",
    "title": "‘{text}’ is a job title of {name}.",
    "alias_form": "‘{typed}’ is a form of ‘{text}’, which is another name of {name}.",
    **dict.fromkeys(("broader", "broader_form"), "‘{typed}’ is a kind of {name}, whose accommodations apply to it."),
    "synonym": "{rule}: ‘{text}’ is a name of {name}.",
    "rule_mention": "{rule}: ‘{text}’ is a name of {name}.",
    "rule_part": "{rule}: ‘{text}’ is a name of {name}.",
    "words_by_rule": "{rule}: ‘{text}’, a name of {name}, contains it.",
    "keyword_name": "Your query contains ‘{text}’, another name of {name}.",
    "mention": "Your query contains ‘{text}’, another name of {name}.",
    "other_job": "‘{text}’ can also mean this job.",
    "common_word": "‘{text}’, an abbreviation of {name}, is also a word that you typed.",
    "part_of_name": "‘{text}’, a name of {name}, is a part of a longer name in your query.",
    "elsewhere": "{name} is listed for what your query names, but only for school or tests.",
    "not_meant": "Your query has words of ‘{text}’, a name of {name}, and does not seem to mean it.",
    "keywords": "Your query mentions ‘{text}’, another name of {name}.",
    "body_part": "{name} {effect} what your query names.",
    "thing": "{subject} contains ‘{thing}’, and it is listed for {needs}.",
    "side": "It is for this trouble, which your query names: {sides}.",
    "first_choice": "The editors put it first for {needs}.",
    "need": "It is listed for {needs}.",
    "part_of_need": "It is listed for {needs}.",
    "phrase": "{subject} contains the words you typed, in this order.",
    "all_words": "{subject} contains all the keywords you typed.",
    "other_kind": "{subject} contains all the keywords you typed.",
    "demoted": "{subject} contains all the keywords you typed.",
    "most_words": "{subject} contains most of the keywords you typed.",
    "words_apart": "The names of {name}, taken together, contain all the keywords you typed.",
    "related": "The names of {name}, together with what it is for, contain all the keywords you typed.",
    "most_related": "The names of {name}, together with what it is for, contain most of the keywords you typed.",
    "description": "The description of {name} contains most of the keywords you typed.",
    "wording": "People describe {name} with words of your query: {text}.",
    "prefix": "Words in the names of {name} begin with ‘{typed}’.",
    "scoped": "Your query asks for {types}: {name} matches ‘{rest}’ by its names or related entries.",
}
# What a body part, event or sign means for an entity of each type; for things it is what they help with.
EFFECTS = {
    **dict.fromkeys(NEED_TYPES, "can be affected by"),
    "disability": "can be a reason for",
}
SENTENCES_OF_NAME = {
    "mention": "Your query names {name}.",
    "keyword_name": "Your query names {name}.",
    "keywords": "Your query mentions {name}.",
}
SENTENCES_WITHOUT_TEXT = {  # the name is never shown
    "alias": "What you typed is another name of {name}.",
    "mention": "Your query contains another name of {name}.",
    "common_word": "‘{typed}’ is also an abbreviation of a kind of {name}.",
    "keywords": "Your query mentions another name of {name}.",
}


def _sentence(query: ParsedQuery, hit: RankedHit, named: Iterable[str]) -> str:
    kind, name, text = hit.match.kind, hit.card["name"], hit.match.text
    sentence = SENTENCES[kind]
    if text == name:
        sentence = SENTENCES_OF_NAME.get(kind, sentence)
    elif not text:
        sentence = SENTENCES_WITHOUT_TEXT.get(kind, sentence)
    hint = query.type_hint
    values = {
        "typed": query.trimmed,
        "name": name,
        "text": text,
        "subject": "Its name" if text == name else f"‘{text}’, another name of {name},",
        "needs": _needs(hit, named),
        "sides": join_names(named_sides(query, hit.payload)) if kind == "side" else "",
        "thing": query.thing if kind == "thing" else "",
        "effect": EFFECTS.get(hit.card["type"], "often helps with"),
        "rule": _explain_rule(query, hit) if kind in BY_RULE else "",
        "types": hint.label if hint else "",
        "rest": " ".join(hint.remainder) if hint else "",
    }
    return sentence.format(**values) + (_explain_broader(hit) if kind in WHOLE_NAMES else "")


def _needs(hit: RankedHit, named: Iterable[str]) -> str:
    needs = [need for need in dict.fromkeys(named) if need in hit.payload.get("needs", ())]
    return f"{join_names(needs, MAX_BROADER)}, which your query names" if needs else "what your query names"


def _explain_broader(hit: RankedHit) -> str:
    broader = hit.payload.get("broader")
    is_broader = hit.match.kind in {"broader", "broader_form"}
    return f" It is a kind of {join_names(broader, MAX_BROADER)}." if broader and not is_broader else ""


def _explain_rule(query: ParsedQuery, hit: RankedHit) -> str:
    """Return by which rule a name matched: a term of the rule, and its replacement that the name is or contains."""
    if hit.match.variant:
        typed, replacement = hit.match.variant.replaced[0]
    else:
        form = parse_name(hit.match.text).form
        match = query.rule_mentions[form]
        typed = match.term
        replacement = next(term for term in match.rule.replacements if name_form(tokens(term)) == form)
    return f"By a synonym rule, ‘{typed}’ also finds ‘{replacement}’"


def interpretations(request: SearchRequest, hits: Sequence[RankedHit]) -> list[JsonObject]:
    """Return how the words were read: as an alias of an entity, by a synonym rule, as a type or as a setting."""
    query = request.query
    read = [
        {"from": hit.match.text, "to": hit.card["name"], "entity": hit.card, "kind": "alias"}
        for place, hit in enumerate(hits)
        if hit.match.kind in (NAMED_BY_ALIAS if place else NAMED_BY_ALIAS | {"phrase", "all_words"})
        and hit.match.text not in {"", hit.card["name"]}
    ]
    read += [_rule_interpretation(match, query, hits) for match in query.rules]
    hint = query.type_hint
    if hint and hits and hits[0].match.kind not in WHOLE_NAMES and any(hit.match.kind == "scoped" for hit in hits):
        read.append({"from": " ".join(hint.phrase), "to": ", ".join(hint.types), "entity": None, "kind": "scope"})
    if query.setting and not request.setting:
        read.append({"from": query.setting_text, "to": query.setting, "entity": None, "kind": "setting"})
    return read


def _rule_interpretation(match: RuleMatch, query: ParsedQuery, hits: Sequence[RankedHit]) -> JsonObject:
    return {
        "from": match.term,
        "to": ", ".join(term for term in match.rule.replacements if term != match.term),
        "entity": _found_by(match, query, hits),
        "kind": "rule",
        "rule": match.rule.text,
    }


def _found_by(match: RuleMatch, query: ParsedQuery, hits: Sequence[RankedHit]) -> JsonObject | None:
    """Return the card of the first hit whose matched or else displayed name has a term that was not typed."""
    added = [term for term in map(stems, match.rule.replacements) if not has_phrase(query.stems, term)]
    texts = [(hit.match.text, hit) for hit in hits] + [(hit.card["name"], hit) for hit in hits]
    for text, hit in texts:
        words = parse_name(text).stems
        if any(has_phrase(words, term) for term in added):
            return hit.card
    return None


def reason_without(match: JsonObject, hit: RankedHit, ignored: Sequence[str]) -> JsonObject:
    """Return the match of a hit with a sentence that says which words were left out to find it, if any."""
    if not ignored or hit.match.kind == "wording":  # found with all words
        return match
    words = join_names([f"‘{word}’" for word in ignored])
    return {**match, "why": f"Without {words}: {match['why']}"}


def correct_reason(match: Mapping[str, Any], query: ParsedQuery, corrected: ParsedQuery) -> JsonObject:
    """Return the match of a hit of a corrected query with a sentence that says so."""
    why = f"No name matched ‘{query.trimmed}’ as written; these are results for ‘{corrected.text}’."
    return {**match, "kind": "spelling", "why": f"{why} {match['why']}"}
