"""The three questions behind spelling help, as OpenSearch bodies: words, names nearby, names further off. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.search.query_builder import MEANT, SHOWN
from api.search.spelling import corrections

if TYPE_CHECKING:
    from api.search.query import ParsedQuery
    from schema.json_types import JsonObject

SUGGESTIONS = 3


def spelling_body(query: ParsedQuery) -> JsonObject:
    """Ask for whole corrected queries. Only words that no name has are touched, and none under four letters."""
    return {
        "size": 0,
        "suggest": {
            "text": query.text,
            "fixes": {
                "phrase": {
                    "field": "spelling.shingles",
                    "size": SUGGESTIONS,
                    "gram_size": 3,
                    "max_errors": 4,
                    "confidence": 0.0,
                    "direct_generator": [
                        {
                            "field": "spelling",
                            "suggest_mode": "missing",
                            "min_word_length": 4,
                            "prefix_length": 0,
                            "size": 10,
                        }
                    ],
                    "highlight": {"pre_tag": "<em>", "post_tag": "</em>"},
                }
            },
        },
    }


def near_names_body(query: ParsedQuery) -> JsonObject | None:
    """Entities with a whole name one or two slips away; None for what is too short or long for it or holds digits."""
    if not _is_like_a_name(query):
        return None
    near = {"value": query.key, "fuzziness": corrections.max_edits(len(query.key)), "max_expansions": 20}
    return {
        "size": 5,
        **SHOWN,
        "query": {"bool": {"should": [{"fuzzy": {"name.key": near}}, {"fuzzy": {"aliases.key": near}}]}},
    }


def far_names_body(query: ParsedQuery) -> JsonObject | None:
    """Entities with a whole name two slips away; for a single word conditions, limitations, functions and solutions."""
    if not _is_like_a_name(query):
        return None
    near = {"value": query.key, "fuzziness": 2, "prefix_length": 1, "max_expansions": 100}
    either: JsonObject = {"bool": {"should": [{"fuzzy": {"name.key": near}}, {"fuzzy": {"aliases.key": near}}]}}
    if len(query.tokens) == 1:  # too many products and vendors have short names
        either["bool"] |= {"filter": [{"terms": {"type": list(MEANT)}}], "minimum_should_match": 1}
    return {
        "size": 10,
        **SHOWN,
        "query": either,
    }


def _is_like_a_name(query: ParsedQuery) -> bool:
    return corrections.MIN_LETTERS <= len(query.key) <= corrections.MAX_NAME_LETTERS and query.key.isalpha()


def word_exists_body(word: str) -> JsonObject:
    """Whether a word stands in any name: the first that has it is enough, however many there are."""
    return {"size": 0, "track_total_hits": 1, "terminate_after": 1, "query": {"term": {"spelling": word}}}
