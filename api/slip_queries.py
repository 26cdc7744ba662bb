"""The three questions behind spelling help, as OpenSearch bodies: words, names nearby, names further off. Pure."""

from __future__ import annotations

from api import spelling
from api.queries import MEANT, SHOWN, Body, looked_at
from api.words import parts, squeeze

SUGGESTIONS = 3


def spelling_body(text: str) -> Body:
    """Ask for whole corrected queries. Only words that no name has are touched, and none under four letters."""
    return {
        "size": 0,
        "suggest": {
            "text": looked_at(text),
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


def near_names_body(text: str) -> Body | None:
    """Entities with a whole name one or two slips away; None for what is too short or long for it or holds digits."""
    key = squeeze(looked_at(text))
    if not spelling.SHORTEST <= len(key) <= spelling.LONGEST_NAME or not key.isalpha():
        return None
    near = {"value": key, "fuzziness": spelling.slips(len(key)), "max_expansions": 20}
    return {
        "size": 5,
        **SHOWN,
        "query": {"bool": {"should": [{"fuzzy": {"name.key": near}}, {"fuzzy": {"aliases.key": near}}]}},
    }


def far_names_body(text: str) -> Body | None:
    """Entities with a whole name two slips away; for a single word conditions, limitations, functions and solutions."""
    key = squeeze(looked_at(text))
    if near_names_body(text) is None:
        return None
    near = {"value": key, "fuzziness": 2, "prefix_length": 1, "max_expansions": 100}
    either: Body = {"bool": {"should": [{"fuzzy": {"name.key": near}}, {"fuzzy": {"aliases.key": near}}]}}
    if len(parts(looked_at(text))) == 1:  # too many goods and firms have short names
        either["bool"] |= {"filter": [{"terms": {"type": list(MEANT)}}], "minimum_should_match": 1}
    return {
        "size": 10,
        **SHOWN,
        "query": either,
    }


def words_of(text: str) -> list[str]:
    """The different words of a query, as names are read."""
    return list(dict.fromkeys(parts(looked_at(text))))


def word_body(word: str) -> Body:
    """Whether a word stands in any name: the first that has it is enough, however many there are."""
    return {"size": 0, "track_total_hits": 1, "terminate_after": 1, "query": {"term": {"spelling": word}}}
