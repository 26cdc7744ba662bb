"""Two-phase search of a single word: when it applies, its two bodies and their clauses without exclusions."""

import re
from dataclasses import replace
from typing import Any

import pytest

from api.engine.entity_clauses import exclude_general_products, exclude_narrower
from api.engine.release import EngineResponse, Hit, Release
from api.search import demotion, query_builder, two_phase
from api.search.query import ParsedQuery, SearchRequest
from api.search.two_phase import exact
from schema.synonyms import SynonymMatcher, SynonymRule
from tests.support.search_responses import RELEASE

parse = ParsedQuery.parse

PRIOR = [
    {"rank_feature": {"field": "popularity", "boost": 8.0, "saturation": {"pivot": 40}}},
    {"rank_feature": {"field": "standing", "linear": {}}},
]


def release(entities: int = two_phase.LARGE) -> Release:
    counts = {"types": {"solution": 1, "product": entities - 1}}
    return replace(RELEASE, counts=counts, synonyms=SynonymMatcher(()))


@pytest.mark.parametrize(
    ("query", "live", "expected"),
    [
        ("software", release(), True),
        (" Software ", release(), True),
        ("software", release(two_phase.LARGE - 1), False),
        ("software", None, False),  # the live release is unknown
        ("screen reader", release(), False),
        ("na\u00efve", release(), False),
        ("e-mail", release(), False),
    ],
)
def test_a_single_word_in_a_large_release_is_searched_in_two_phases(
    query: str, live: Release | None, *, expected: bool
) -> None:
    assert two_phase.worth(SearchRequest(parse(query)), live) == expected


def test_one_query_ranks_and_one_counts() -> None:
    body = query_builder.search_body(SearchRequest(parse("software"), ("product",), 10, 30, setting="school"))
    found = body["query"]["function_score"]["query"]["bool"]
    ranked, counted = two_phase.bodies(body, parse("software"), ruled=False)
    must = exact(found["must"], parse("software"), ruled=False)
    assert ranked == {
        **query_builder.SHOWN,
        "from": 30,
        "size": 10,
        "track_total_hits": False,
        "query": {"bool": {"must": must, "filter": found["filter"], "should": PRIOR}},
        "post_filter": {"terms": {"type": ["product"]}},
    }
    assert counted == {
        "size": 0,
        "track_total_hits": True,
        "query": {"bool": {"filter": [found["must"], *found["filter"]]}},
        "aggs": body["aggs"],
        "post_filter": body["post_filter"],
    }


def test_the_rules_of_the_release_determine_whether_one_fires() -> None:
    rule = SynonymRule("technology.txt", 1, ("sw",), ("software",))
    live = replace(release(), synonyms=SynonymMatcher([rule]))
    fires = {word: two_phase.ruled(SearchRequest(parse(word)), live) for word in ("sw", "SW", "software")}
    assert fires == {"sw": True, "SW": True, "software": False}
    assert not two_phase.ruled(SearchRequest(parse("sw"), synonyms=False), live)
    assert not two_phase.ruled(SearchRequest(parse("sw")), release())
    assert not two_phase.ruled(SearchRequest(parse("sw")), None)


def test_types_are_counted_only_if_requested() -> None:
    body = query_builder.search_body(SearchRequest(parse("software"), facets=False))
    _, counted = two_phase.bodies(body, parse("software"), ruled=False)
    assert "aggs" not in counted


def test_both_responses_are_joined() -> None:
    live = release()
    ranked, types = EngineResponse(live, [Hit("a")]), {"types": {"product": 7}}
    for buckets in (types, {}):
        joined = two_phase.joined(ranked, EngineResponse(live, [], 7, buckets))
        assert joined == EngineResponse(live, [Hit("a")], 7, buckets)


Body = dict[str, Any]
COMMON = re.compile(r"'(names|names\.prefix|everything)': ")
WORD: Body = {"term": {"names": "chairs"}}


def rewritten(query: Body, word: str = "chairs", *, ruled: bool = False) -> Body:
    return exact(query, parse(word), ruled=ruled)


def terms(field: str, *names: str) -> list[Body]:
    return [{"term": {field: name}} for name in names]


def test_demoted_entities_are_excluded_by_listing_all_others() -> None:
    preferred = [*terms("kind", "main"), *terms("family", "assistive", "protective", "ergonomic")]
    types = [
        *preferred,
        *terms("type", "limitation", "workrelatedfunction", "solution", "vendor", "occupation", "ability"),
    ]
    found = rewritten(demotion.without_demoted("phrase", WORD))
    assert found == {"bool": {"must": WORD, "filter": [{"bool": {"should": types}}]}}
    no_vendors = [clause for clause in types if clause != {"term": {"type": "vendor"}}]
    found = rewritten({"bool": {**demotion.without_demoted("everywhere", WORD)["bool"], "filter": WORD}})
    assert found == {"bool": {"must": WORD, "filter": [WORD, {"bool": {"should": no_vendors}}]}}


@pytest.mark.parametrize("query", [exclude_narrower(WORD), exclude_general_products(WORD)])
def test_other_exclusions_are_unchanged(query: Body) -> None:
    assert rewritten(query) == query


@pytest.mark.parametrize(
    ("word", "prefix"), [("chairs", "cha"), ("ladies", "lad"), ("boxes", "bo"), ("ms", "m"), ("a" * 30, "a" * 17)]
)
def test_whole_name_clauses_are_filtered_by_the_prefix_of_the_word(word: str, prefix: str) -> None:
    phrase = {"match_phrase": {"aliases.singular": word}}
    assert rewritten(phrase, word) == {"bool": {"filter": [phrase, {"term": {"aliases.begins": prefix}}]}}


def test_clauses_with_rules_have_no_prefix_filter() -> None:
    phrase = {"match_phrase": {"name.singular": {"query": "qqbegin chairs qqend", "analyzer": "singular_with_rules"}}}
    assert rewritten(phrase, ruled=True) == phrase
    assert rewritten(phrase)["bool"]["filter"][0] == phrase
    as_typed = {"match_phrase": {"name.singular": "chairs"}}
    assert rewritten(as_typed, ruled=True)["bool"]["filter"][0] == as_typed


def test_clauses_of_common_words_have_no_exclusions() -> None:
    body = query_builder.search_body(SearchRequest(parse("chairs")))
    queries = body["query"]["function_score"]["query"]["bool"]["must"]["dis_max"]["queries"]
    common = [query for query in queries if COMMON.search(str(query))]
    assert len(common) == 8  # phrase, words, prefix and everywhere, each also for the demoted
    assert "must_not" in str(common)
    assert "must_not" not in str([rewritten(query) for query in common])
