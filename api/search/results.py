"""Search results: hits with reasons, how queries were interpreted, facets, completions, and corrections."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from api.engine.release import EngineResponse
from api.search import match_reasons, query_builder, spelling
from api.search.demotion import matched_hidden_alias
from api.search.name_match import has_phrase, parse_name, same_but_for_endings, same_stem
from api.search.query import ParsedQuery, SearchRequest
from api.search.spelling import Correction, Dictionary
from schema.json_types import JsonObject
from schema.synonyms import RuleMatch
from schema.text import stems

DISPLAYED_NAME = (query_builder.NAME, query_builder.NAME_FORM)
MAX_ABBREVIATION = 3  # letters; a longer word is not corrected into an abbreviation
LONG_WORD = 6  # letters; a shorter word is corrected only into a whole name


def hits(request: SearchRequest, answer: EngineResponse) -> list[JsonObject]:
    """Return search hits as cards with score and reason."""
    found = []
    for hit in answer.hits:
        shown, unshown = hit.card, matched_hidden_alias(hit.clauses, query_builder.TIERS)
        match = match_reasons.explain_match(request.query, hit.tiers, shown, hit.aliases, unshown=unshown)
        found.append({**shown, "score": round(hit.score, 4), "match": match})
    return found


def corrected_hits(query: ParsedQuery, corrected: ParsedQuery, found: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the hits of a corrected query with a reason that says so."""
    why = f"No name matched ‘{query.trimmed}’ as written; these are results for ‘{corrected.text}’."
    matches = [{**hit["match"], "kind": "spelling", "why": f"{why} {hit['match']['why']}"} for hit in found]
    return [{**hit, "match": match} for hit, match in zip(found, matches, strict=True)]


def interpretations(request: SearchRequest, answer: EngineResponse, found: Sequence[JsonObject]) -> list[JsonObject]:
    """Return how the words were read: as an alias of an entity, by a synonym rule, or as a type hint.

    A type hint is left out if it moved no hit, if nothing matched, or if it is part of a name that was typed.
    """
    shown, hint = answer.hits, request.query.type_hint
    scoped = any(query_builder.SCOPED in hit.tiers for hit in shown)
    read = [*alias_interpretations(request.query, found), *rule_interpretations(request.query, found)]
    if hint and shown and (request.offset or scoped) and not is_whole_name(answer):
        read.append({"from": " ".join(hint.phrase), "to": ", ".join(hint.types), "entity": None, "kind": "scope"})
    return read


def alias_interpretations(query: ParsedQuery, hits: Iterable[JsonObject]) -> list[JsonObject]:
    """Return the aliases that are in the query, or all of it, with the entities they led to.

    The alias of the first hit may have more words than the query: "lou gehrigs".
    """
    return [
        {"from": hit["match"]["text"], "to": hit["name"], "entity": _card(hit), "kind": "alias"}
        for place, hit in enumerate(hits)
        if hit["match"]["kind"] == "alias" and _alias_contributed(query, hit["match"]["text"], first=place == 0)
    ]


def _alias_contributed(query: ParsedQuery, alias: str, *, first: bool) -> bool:
    name = parse_name(alias)
    if name.key in query.key or same_but_for_endings(alias, query):
        return True
    return first and all(any(same_stem(word, other) for other in name.tokens) for word in query.tokens)


def rule_interpretations(query: ParsedQuery, hits: Sequence[Mapping[str, Any]]) -> list[JsonObject]:
    """Return each rule that matches the query, with the first of these hits that it led to."""
    return [
        {
            "from": match.term,
            "to": ", ".join(term for term in match.rule.replacements if term != match.term),
            "entity": _led_to(match, query, hits),
            "kind": "rule",
            "rule": match.rule.text,
        }
        for match in query.rules
    ]


def _led_to(match: RuleMatch, query: ParsedQuery, hits: Sequence[Mapping[str, Any]]) -> JsonObject | None:
    """Return the card of the first hit whose matched or else displayed name has a term that was not typed."""
    added = [term for term in map(stems, match.rule.replacements) if not has_phrase(query.stems, term)]
    texts = [(hit["match"]["text"], hit) for hit in hits] + [(hit["name"], hit) for hit in hits]
    for text, hit in texts:
        words = stems(text)
        if any(has_phrase(words, term) for term in added):
            return _card(hit)
    return None


def _card(hit: Mapping[str, Any]) -> JsonObject:
    return {key: value for key, value in hit.items() if key not in {"score", "match"}}


def completions(query: ParsedQuery, answer: EngineResponse) -> JsonObject:
    """Return type-ahead hits in order, and their ids by type."""
    found = []
    for hit in answer.hits:
        shown = hit.card
        match = match_reasons.explain_completion(query, shown["name"], hit.aliases)
        found.append({**shown, "score": round(hit.score, 4), "match": match})
    groups: dict[str, list[str]] = {}
    for one in found:
        groups.setdefault(one["type"], []).append(one["id"])
    return {"results": found, "groups": [{"type": kind, "ids": ids} for kind, ids in groups.items()]}


def is_strong_match(answer: EngineResponse) -> bool:
    """Return whether the best hit matched well enough that the query needs no correction."""
    return not query_builder.NO_CORRECTION_NEEDED.isdisjoint(_best_tiers(answer))


def is_whole_name(answer: EngineResponse) -> bool:
    """Return whether the query is a name of the best hit."""
    return not query_builder.WHOLE.isdisjoint(_best_tiers(answer))


def matches_type_hint(answer: EngineResponse) -> bool:
    """Return whether the best hit goes with everything beside a type hint."""
    return query_builder.SCOPED in _best_tiers(answer)


def prefer_correction(
    corrected: EngineResponse, original: EngineResponse, query: ParsedQuery, correction: ParsedQuery
) -> bool:
    """Return whether the results of a correction replace those of the query: it is a name, or nothing matched as well.

    Correct words never change, so what a misspelled word found is chance ("hereing aid"). A short word alone ("shrek")
    is corrected only into a name, never into a word inside one; a first letter ("horoscope", "boroscope") only into a
    displayed name, never into an alias. An abbreviation ("ASD") is suggested, but does not replace a longer word
    ("asdf").
    """
    tiers = _best_tiers(corrected)
    if not spelling.same_beginnings(query, correction) and tiers.isdisjoint(DISPLAYED_NAME):
        return False
    if len(correction.text) <= MAX_ABBREVIATION < len(query.trimmed):
        return False
    if not original.hits:
        if query.has_spaces:
            return not query_builder.INFORMATIVE.isdisjoint(tiers)
        return is_whole_name(corrected) or (len(query.trimmed) >= LONG_WORD and query_builder.PHRASE in tiers)
    return query_builder.ALL_WORDS.isdisjoint(_best_tiers(original)) and (
        is_whole_name(corrected) or (is_strong_match(corrected) and query_builder.NAMED not in _best_tiers(original))
    )


def _best_tiers(answer: EngineResponse) -> set[str]:
    return answer.hits[0].tiers if answer.hits else set()


def corrections(
    query: ParsedQuery, suggester: EngineResponse, near: Sequence[EngineResponse], dictionary: Dictionary
) -> list[Correction]:
    """Return corrections to try: whole names first, then word by word. Words of the dictionary do not change."""
    names = spelling.name_corrections(query, _all_names(near), dictionary)
    return spelling.merged([*names, *spelling.word_corrections(query, suggester.suggestions, dictionary)])


def weak_suggestions(
    query: ParsedQuery, far: EngineResponse, known: Iterable[str], dictionary: Dictionary
) -> list[Correction]:
    """Return names that may be meant if neither the query nor a correction found anything; names have `known` words."""
    kept = {word for word in known if word not in dictionary}
    return spelling.merged(spelling.weak_suggestions(query, _all_names([far]), dictionary, kept))


def _all_names(answers: Iterable[EngineResponse]) -> list[Sequence[str]]:
    return [(hit.card["name"], *hit.aliases) for answer in answers for hit in answer.hits]
