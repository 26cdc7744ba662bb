"""How a query was interpreted: the aliases, synonym rules and type words in it, as responses show them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.search.name_match import has_phrase, parse_name, same_but_for_endings, same_stem
from schema.text import stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from api.search.query import ParsedQuery
    from schema.synonyms import RuleMatch

Card = dict[str, Any]


def alias_interpretations(query: ParsedQuery, hits: Iterable[Card]) -> list[Card]:
    """Return the aliases that are in the query, or all of it, with the entities they led to.

    The alias of the first hit may have more words than the query: "lou gehrigs".
    """
    return [
        {"from": hit["match"]["text"], "to": hit["name"], "entity": _card(hit), "kind": "alias"}
        for place, hit in enumerate(hits)
        if hit["match"]["kind"] == "alias" and _alias_contributed(query, hit["match"]["text"], first=place == 0)
    ]


def _alias_contributed(query: ParsedQuery, alias: str, *, first: bool) -> bool:
    if parse_name(alias).key in query.key or same_but_for_endings(alias, query):
        return True
    return first and bool(alias) and _all_words_inflected(query, alias)


def _all_words_inflected(query: ParsedQuery, text: str) -> bool:
    return all(any(same_stem(word, other) for other in parse_name(text).tokens) for word in query.tokens)


def rule_interpretations(query: ParsedQuery, hits: Sequence[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
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


def _led_to(match: RuleMatch, query: ParsedQuery, hits: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the card of the first hit whose matched or else displayed name has a term that was not typed."""
    terms = [stems(term) for term in match.rule.replacements]
    added = [term for term in terms if not has_phrase(query.stems, term)]
    texts = [(hit["match"]["text"], hit) for hit in hits] + [(hit["name"], hit) for hit in hits]
    for text, hit in texts:
        words = stems(text)
        if any(has_phrase(words, term) for term in added):
            return _card(hit)
    return None


def type_interpretations(query: ParsedQuery) -> list[dict[str, Any]]:
    """Return the type word at an end of the query."""
    hint = query.type_hint
    if hint is None:
        return []
    return [{"from": " ".join(hint.phrase), "to": ", ".join(hint.types), "entity": None, "kind": "scope"}]


def _card(hit: Mapping[str, Any]) -> Card:
    return {key: value for key, value in hit.items() if key not in {"score", "match"}}
