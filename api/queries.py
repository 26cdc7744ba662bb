"""Request → OpenSearch body. Pure; the only place where fields and boosts are chosen.

Search is a ladder of tiers. Each tier's boost is a multiple of STEP, far above what BM25 and popularity can add
inside a tier, so a hit of a higher tier always comes first. STEP is a power of two because scores are 32-bit floats:
at 9 × 256 they still tell apart differences of 0.0002.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]

STEP = 256.0
ID, NAME, ALIAS, SYNONYM, PHRASE, WORDS, PREFIX, MOST, DESCRIPTION = (
    "id", "name", "alias", "synonym", "phrase", "words", "prefix", "most", "description",
)  # fmt: skip
TIERS = (ID, NAME, ALIAS, SYNONYM, PHRASE, WORDS, PREFIX, MOST, DESCRIPTION)  # best first
STRONG = frozenset(TIERS[: TIERS.index(PREFIX)])  # with one of these no spelling help is needed
WHOLE = frozenset((ID, NAME, ALIAS, SYNONYM))  # the whole query is a name
MOST_WORDS = "2<67%"  # up to two words all must match; "flashing lights headache office" may miss one in three
DESCRIPTION_WORDS = "2<75%"  # summaries are longer, so chance agrees more often
POPULARITY_PIVOT = 40  # half of the prior at 40 edges: between a usual product (2) and a usual solution (60)
POPULARITY = 8.0  # at most; BM25 of a good phrase match is 10–20
LONGEST = 500  # characters of a query; the longest name has 106
FACETS = 20  # more than there are types
SUGGESTIONS = 3
SHORTEST_BEGINNING = 4  # letters; three begin too many words
CARD = ["card", "alias_list", "sources"]


@dataclass(frozen=True, slots=True)
class Search:
    """What a caller asks of search."""

    query: str
    scope: tuple[str, ...] = ()
    limit: int = 20
    offset: int = 0
    synonyms: bool = True
    spelling: bool = True
    facets: bool = field(default=True, kw_only=True)


def search_body(ask: Search) -> Body:
    """Search in all tiers at once, with the number of hits per type."""
    body: Body = {
        "from": ask.offset,
        "size": ask.limit,
        "_source": False,
        "docvalue_fields": CARD,
        "track_total_hits": True,
        "query": _ranked(ask.query[:LONGEST], synonyms=ask.synonyms),
        "sort": ["_score", {"position": "asc"}],
        "track_scores": True,
    }
    if ask.facets:
        body["aggs"] = {"types": {"terms": {"field": "type", "size": FACETS}}}
    if ask.scope:
        body["post_filter"] = {"terms": {"type": list(ask.scope)}}  # after the facets: they count every type
    return body


def _ranked(text: str, *, synonyms: bool) -> Body:
    prior = {"rank_feature": {"field": "popularity", "boost": POPULARITY, "saturation": {"pivot": POPULARITY_PIVOT}}}
    # The text stands in must: a rank_feature beside it under one should makes every document match.
    return {"bool": {"must": {"dis_max": {"queries": _tiers(text, synonyms=synonyms)}}, "should": prior}}


def _tiers(text: str, *, synonyms: bool) -> list[Body]:
    words = "words_with_rules" if synonyms else "words"
    every = {"query": text, "analyzer": words}
    ladder = {
        ID: [{"term": {"ids": text.strip()}}],
        NAME: [{"term": {"name.key": text}}, {"match_phrase": {"name.whole": text}}],
        ALIAS: [{"term": {"aliases.key": text}}, {"match_phrase": {"aliases.whole": text}}],
        SYNONYM: [_whole("name.whole", text), _whole("aliases.whole", text)] if synonyms else [],
        PHRASE: [{"match_phrase": {"names": every}}],
        WORDS: [{"match": {"names": {**every, "operator": "and"}}}],
        PREFIX: [{"match": {"names.prefix": {"query": text, "operator": "and"}}}],
        MOST: [{"match": {"names": {**every, "minimum_should_match": MOST_WORDS}}}],
        DESCRIPTION: [{"match": {"description": {**every, "minimum_should_match": DESCRIPTION_WORDS}}}],
    }
    return [_tier(name, (len(TIERS) - place) * STEP, ladder[name]) for place, name in enumerate(TIERS) if ladder[name]]


def _whole(name: str, text: str) -> Body:
    return {"match_phrase": {name: {"query": text, "analyzer": "whole_with_rules"}}}


def _tier(name: str, boost: float, either: list[Body]) -> Body:
    filtered: Body = either[0] if len(either) == 1 else {"bool": {"should": either}}
    fixed: Body = {"constant_score": {"filter": filtered, "boost": boost, "_name": name}}
    if name in WHOLE:
        return fixed  # equals among themselves: the better connected entity comes first
    return {"bool": {"must": [fixed], "should": [either[0]]}}


def spelling_body(text: str) -> Body:
    """Ask for whole corrected queries. Only words that no name has are touched, and none under four letters."""
    return {
        "size": 0,
        "suggest": {
            "text": text[:LONGEST],
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


def list_body(type_name: str, limit: int, offset: int) -> Body:
    """One page of all entities of a type, by name. A range over positions costs the same at any depth."""
    page = {"range": {"position": {"gte": offset, "lt": offset + limit}}}
    return {
        "size": limit,
        "_source": False,
        "docvalue_fields": CARD,
        "query": {"bool": {"filter": [{"term": {"doc": "entity"}}, {"term": {"type": type_name}}, page]}},
        "sort": [{"position": "asc"}],
    }


def entity_body(type_name: str, given: str) -> Body:
    """Find an entity by any form of its id."""
    forms = {"terms": {"ids": [given, f"{type_name}:{given}"]}}
    return {
        "size": 1,
        "query": {"bool": {"filter": [{"term": {"doc": "entity"}}, {"term": {"type": type_name}}, forms]}},
    }


def nearest_body(type_name: str, given: str, size: int = 5) -> Body:
    """The entities whose names are nearest to what was given, for "did you mean" in an error."""
    spoken = " ".join(given.replace("-", " ").split())[:LONGEST]
    beginnings = " ".join(word[: max(SHORTEST_BEGINNING, len(word) * 2 // 3)] for word in spoken.split())
    either = [
        {"match": {"names": {"query": spoken, "fuzziness": "AUTO", "analyzer": "plain", "boost": 2}}},
        {"match": {"names.prefix": beginnings}},  # "bookkeepers" is far from "bookkeeping", its beginning is not
    ]
    return {
        "size": size,
        "_source": False,
        "docvalue_fields": CARD,
        "query": {"bool": {"should": either, "minimum_should_match": 1, "filter": [{"term": {"type": type_name}}]}},
    }


def pages_body(owner: str, edge: str, first: int, last: int) -> Body:
    """Edge pages by any form of their owner's id."""
    wanted = [{"term": {"owner": owner}}, {"term": {"edge": edge}}, {"range": {"number": {"gte": first, "lte": last}}}]
    return {"size": last - first + 1, "query": {"bool": {"filter": wanted}}, "sort": [{"number": "asc"}]}


def related_body(owner: str) -> Body:
    """The related conditions by any form of the condition's id."""
    return {"size": 1, "query": {"bool": {"filter": [{"term": {"doc": "related"}}, {"term": {"owner": owner}}]}}}


def seed_body(type_name: str, given: str) -> Body:
    """What recommend reads of a seed, found by id, key, slug, name or alias."""
    either = [{"term": {"owner": f"{type_name}:{given}"}}, {"term": {"owner": given}}, {"term": {"seed_keys": given}}]
    exact = {"bool": {"should": either, "minimum_should_match": 1}}
    return {
        "size": 5,
        "query": {"bool": {"filter": [{"term": {"doc": "needs"}}, {"prefix": {"owner": f"{type_name}:"}}, exact]}},
    }


def examples_body() -> Body:
    """The best connected entity of each type, for example calls."""
    best = {
        "top_hits": {
            "size": 1,
            "_source": False,
            "docvalue_fields": CARD,
            "sort": [{"_score": "desc"}, {"position": "asc"}],
        }
    }
    return {
        "size": 1,
        "_source": False,
        "query": {
            "bool": {
                "filter": {"term": {"doc": "entity"}},
                "should": {"rank_feature": {"field": "popularity", "log": {"scaling_factor": 1}}},
            }
        },
        "aggs": {"types": {"terms": {"field": "type", "size": FACETS}, "aggs": {"best": best}}},
    }
