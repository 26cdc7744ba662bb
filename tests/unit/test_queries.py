"""Request → OpenSearch body, whole bodies as literals: every change of a tier or boost is seen here."""

from __future__ import annotations

from itertools import pairwise

from api import queries
from api.queries import Search

PRIOR = {"rank_feature": {"field": "popularity", "boost": 8.0, "saturation": {"pivot": 40}}}


def test_a_search_asks_all_tiers_at_once_best_first() -> None:
    text = "low vision"
    every = {"query": text, "analyzer": "words_with_rules"}
    and_ = {**every, "operator": "and"}
    most = {**every, "minimum_should_match": "2<67%"}
    told = {**every, "minimum_should_match": "2<75%"}
    whole = {"query": text, "analyzer": "whole_with_rules"}
    start = {"query": text, "operator": "and"}
    assert queries.search_body(Search(text, ("solution", "product"), 5, 10)) == {
        "from": 10,
        "size": 5,
        "_source": False,
        "docvalue_fields": ["card", "alias_list", "sources"],
        "track_total_hits": True,
        "query": {
            "bool": {
                "must": {
                    "dis_max": {
                        "queries": [
                            {
                                "constant_score": {
                                    "filter": {"term": {"ids": "low vision"}},
                                    "boost": 2304.0,
                                    "_name": "id",
                                }
                            },
                            {
                                "constant_score": {
                                    "filter": {
                                        "bool": {
                                            "should": [
                                                {"term": {"name.key": "low vision"}},
                                                {"match_phrase": {"name.whole": "low vision"}},
                                            ]
                                        }
                                    },
                                    "boost": 2048.0,
                                    "_name": "name",
                                }
                            },
                            {
                                "constant_score": {
                                    "filter": {
                                        "bool": {
                                            "should": [
                                                {"term": {"aliases.key": "low vision"}},
                                                {"match_phrase": {"aliases.whole": "low vision"}},
                                            ]
                                        }
                                    },
                                    "boost": 1792.0,
                                    "_name": "alias",
                                }
                            },
                            {
                                "constant_score": {
                                    "filter": {
                                        "bool": {
                                            "should": [
                                                {"match_phrase": {"name.whole": whole}},
                                                {"match_phrase": {"aliases.whole": whole}},
                                            ]
                                        }
                                    },
                                    "boost": 1536.0,
                                    "_name": "synonym",
                                }
                            },
                            tier("phrase", 1280.0, {"match_phrase": {"names": every}}),
                            tier("words", 1024.0, {"match": {"names": and_}}),
                            tier("prefix", 768.0, {"match": {"names.prefix": start}}),
                            tier("most", 512.0, {"match": {"names": most}}),
                            tier("description", 256.0, {"match": {"description": told}}),
                        ]
                    }
                },
                "should": PRIOR,
            }
        },
        "sort": ["_score", {"position": "asc"}],
        "track_scores": True,
        "aggs": {"types": {"terms": {"field": "type", "size": 20}}},
        "post_filter": {"terms": {"type": ["solution", "product"]}},
    }


def tier(name: str, boost: float, text: queries.Body) -> queries.Body:
    """A tier whose hits are told apart by BM25."""
    fixed = {"constant_score": {"filter": text, "boost": boost, "_name": name}}
    return {"bool": {"must": [fixed], "should": [text]}}


def names_and_boosts(body: queries.Body) -> dict[str, float]:
    tiers = body["query"]["bool"]["must"]["dis_max"]["queries"]
    fixed = [one.get("constant_score") or one["bool"]["must"][0]["constant_score"] for one in tiers]
    return {one["_name"]: one["boost"] for one in fixed}


def test_without_synonyms_the_other_tiers_stay_where_they_are() -> None:
    with_rules = names_and_boosts(queries.search_body(Search("wfh")))
    without = queries.search_body(Search("wfh", synonyms=False))
    assert names_and_boosts(without) == {name: boost for name, boost in with_rules.items() if name != "synonym"}
    assert "with_rules" not in str(without)


def test_each_tier_lies_a_whole_step_above_the_next_and_the_ladder_is_complete() -> None:
    boosts = names_and_boosts(queries.search_body(Search("x")))
    assert tuple(boosts) == queries.TIERS
    steps = [*boosts.values(), 0.0]
    assert {high - low for high, low in pairwise(steps)} == {queries.STEP}
    assert queries.POPULARITY * 4 < queries.STEP  # the prior alone never lifts a hit over a tier


def test_with_a_strong_tier_no_spelling_help_is_needed() -> None:
    assert {"id", "name", "alias", "synonym", "phrase", "words"} == queries.STRONG


def test_a_plain_search_counts_types_and_filters_nothing() -> None:
    body = queries.search_body(Search("x"))
    assert (body["from"], body["size"], "post_filter" in body, "aggs" in body) == (0, 20, False, True)
    assert "aggs" not in queries.search_body(Search("x", facets=False))


def test_only_the_beginning_of_a_very_long_query_is_looked_at() -> None:
    long = "a" * 500
    assert queries.search_body(Search(long + "b")) == queries.search_body(Search(long))
    assert queries.spelling_body(long + "b") == queries.spelling_body(long)


def test_an_id_is_looked_up_without_the_space_around_it() -> None:
    first = queries.search_body(Search(" 15-1252.00 "))["query"]["bool"]["must"]["dis_max"]["queries"][0]
    assert first["constant_score"]["filter"] == {"term": {"ids": "15-1252.00"}}


def test_spelling_touches_only_words_that_no_name_has() -> None:
    assert queries.spelling_body("multpile sclerosis") == {
        "size": 0,
        "suggest": {
            "text": "multpile sclerosis",
            "fixes": {
                "phrase": {
                    "field": "spelling.shingles",
                    "size": 3,
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


def test_a_list_is_a_range_of_positions() -> None:
    assert queries.list_body("ability", 20, 40) == {
        "size": 20,
        "_source": False,
        "docvalue_fields": ["card", "alias_list", "sources"],
        "query": {
            "bool": {
                "filter": [
                    {"term": {"doc": "entity"}},
                    {"term": {"type": "ability"}},
                    {"range": {"position": {"gte": 40, "lt": 60}}},
                ]
            }
        },
        "sort": [{"position": "asc"}],
    }


def test_an_entity_is_found_by_any_form_of_its_id() -> None:
    assert queries.entity_body("occupation", "software-developers") == {
        "size": 1,
        "query": {
            "bool": {
                "filter": [
                    {"term": {"doc": "entity"}},
                    {"term": {"type": "occupation"}},
                    {"terms": {"ids": ["software-developers", "occupation:software-developers"]}},
                ]
            }
        },
    }


def test_the_nearest_entities_are_found_by_their_names_from_a_slug() -> None:
    fuzzy = {"match": {"names": {"query": "multipl sclerosis", "fuzziness": "AUTO", "analyzer": "plain", "boost": 2}}}
    assert queries.nearest_body("disability", " multipl--sclerosis ", 3) == {
        "size": 3,
        "_source": False,
        "docvalue_fields": ["card", "alias_list", "sources"],
        "query": {
            "bool": {
                "should": [fuzzy, {"match": {"names.prefix": "mult sclero"}}],
                "minimum_should_match": 1,
                "filter": [{"term": {"type": "disability"}}],
            }
        },
    }


def test_edge_pages_are_asked_for_by_number() -> None:
    assert queries.pages_body("occupation:software-developers", "requires", 2, 7) == {
        "size": 6,
        "query": {
            "bool": {
                "filter": [
                    {"term": {"owner": "occupation:software-developers"}},
                    {"term": {"edge": "requires"}},
                    {"range": {"number": {"gte": 2, "lte": 7}}},
                ]
            }
        },
        "sort": [{"number": "asc"}],
    }


def test_related_conditions_are_one_document() -> None:
    assert queries.related_body("disability:low-vision") == {
        "size": 1,
        "query": {"bool": {"filter": [{"term": {"doc": "related"}}, {"term": {"owner": "disability:low-vision"}}]}},
    }


def test_a_seed_is_found_by_id_key_slug_name_or_alias_within_its_type() -> None:
    assert queries.seed_body("limitation", "tires easily") == {
        "size": 5,
        "query": {
            "bool": {
                "filter": [
                    {"term": {"doc": "needs"}},
                    {"prefix": {"owner": "limitation:"}},
                    {
                        "bool": {
                            "should": [
                                {"term": {"owner": "limitation:tires easily"}},
                                {"term": {"owner": "tires easily"}},
                                {"term": {"seed_keys": "tires easily"}},
                            ],
                            "minimum_should_match": 1,
                        }
                    },
                ]
            }
        },
    }


def test_examples_are_the_best_connected_entity_of_each_type() -> None:
    best = {
        "top_hits": {
            "size": 1,
            "_source": False,
            "docvalue_fields": ["card", "alias_list", "sources"],
            "sort": [{"_score": "desc"}, {"position": "asc"}],
        }
    }
    assert queries.examples_body() == {
        "size": 1,
        "_source": False,
        "query": {
            "bool": {
                "filter": {"term": {"doc": "entity"}},
                "should": {"rank_feature": {"field": "popularity", "log": {"scaling_factor": 1}}},
            }
        },
        "aggs": {"types": {"terms": {"field": "type", "size": 20}, "aggs": {"best": best}}},
    }
