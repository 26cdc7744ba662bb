"""One word is requested in clauses that fit exactly what they say, without anything to leave out."""

from __future__ import annotations

import re
from typing import Any

import pytest

from api.engine.entity_clauses import exclude_general_products, exclude_narrower
from api.search import demotion, query_builder
from api.search.query import ParsedQuery, SearchRequest
from api.search.two_phase import exact

parse = ParsedQuery.parse

Body = dict[str, Any]
COMMON = re.compile(r"'(names|names\.prefix|everything)': ")
WORD: Body = {"term": {"names": "chairs"}}


def requests(query: Body, word: str = "chairs", *, ruled: bool = False) -> Body:
    return exact(query, parse(word), ruled=ruled)


def either(field: str, *names: str) -> list[Body]:
    return [{"term": {field: name}} for name in names]


def test_who_gives_way_is_left_out_by_naming_all_others() -> None:
    ahead = [*either("kind", "main"), *either("family", "assistive", "protective", "ergonomic")]
    left = [*ahead, *either("type", "limitation", "workrelatedfunction", "solution", "vendor", "occupation", "ability")]
    found = requests(demotion.without_demoted("phrase", WORD))
    assert found == {"bool": {"must": WORD, "filter": [{"bool": {"should": left}}]}}
    no_vendors = [one for one in left if one != {"term": {"type": "vendor"}}]
    found = requests({"bool": {**demotion.without_demoted("everywhere", WORD)["bool"], "filter": WORD}})
    assert found == {"bool": {"must": WORD, "filter": [WORD, {"bool": {"should": no_vendors}}]}}


@pytest.mark.parametrize("query", [exclude_narrower(WORD), exclude_general_products(WORD)])
def test_what_else_is_left_out_stays_left_out(query: Body) -> None:
    assert requests(query) == query


@pytest.mark.parametrize(
    ("word", "head"), [("chairs", "cha"), ("ladies", "lad"), ("boxes", "bo"), ("ms", "m"), ("a" * 30, "a" * 17)]
)
def test_whole_names_are_sought_among_those_that_begin_like_the_word(word: str, head: str) -> None:
    phrase = {"match_phrase": {"aliases.singular": word}}
    assert requests(phrase, word) == {"bool": {"filter": [phrase, {"term": {"aliases.begins": head}}]}}


def test_names_that_a_rule_finds_may_begin_in_any_way() -> None:
    phrase = {"match_phrase": {"name.singular": {"query": "qqbegin chairs qqend", "analyzer": "singular_with_rules"}}}
    assert requests(phrase, ruled=True) == phrase
    assert requests(phrase)["bool"]["filter"][0] == phrase
    as_typed = {"match_phrase": {"name.singular": "chairs"}}
    assert requests(as_typed, ruled=True)["bool"]["filter"][0] == as_typed


def test_where_common_words_are_found_nothing_is_left_out() -> None:
    query = query_builder.search_body(SearchRequest(parse("chairs")))["query"]["function_score"]["query"]["bool"][
        "must"
    ]
    common = [one for one in query["dis_max"]["queries"] if COMMON.search(str(one))]
    assert len(common) == 8  # phrase, words, prefix and everywhere, each also for those who give way
    assert "must_not" in str(common)
    assert "must_not" not in str([requests(one) for one in common])
