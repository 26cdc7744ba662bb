"""One word is asked for in clauses that fit exactly what they say, without anything to leave out."""

from __future__ import annotations

import re
from typing import Any

import pytest

from api import behind, goods, narrower, queries
from api.exact import exact
from api.queries import Search

Body = dict[str, Any]
COMMON = re.compile(r"'(names|names\.prefix|everything)': ")
WORD: Body = {"term": {"names": "chairs"}}


def asked(query: Body, word: str = "chairs", *, ruled: bool = False) -> Body:
    return exact(query, word, ruled=ruled)


def either(field: str, *names: str) -> list[Body]:
    return [{"term": {field: name}} for name in names]


def test_who_gives_way_is_left_out_by_naming_all_others() -> None:
    ahead = [*either("kind", "main"), *either("family", "assistive", "protective", "ergonomic")]
    left = [*ahead, *either("type", "limitation", "workrelatedfunction", "solution", "vendor", "occupation", "ability")]
    found = asked(behind.others("phrase", WORD))
    assert found == {"bool": {"must": WORD, "filter": [{"bool": {"should": left}}]}}
    no_vendors = [one for one in left if one != {"term": {"type": "vendor"}}]
    found = asked({"bool": {**behind.others("everywhere", WORD)["bool"], "filter": WORD}})
    assert found == {"bool": {"must": WORD, "filter": [WORD, {"bool": {"should": no_vendors}}]}}


@pytest.mark.parametrize("query", [narrower.others(WORD), goods.made_for_it(WORD)])
def test_what_else_is_left_out_stays_left_out(query: Body) -> None:
    assert asked(query) == query


@pytest.mark.parametrize(
    ("word", "head"), [("chairs", "cha"), ("ladies", "lad"), ("boxes", "bo"), ("ms", "m"), ("a" * 30, "a" * 17)]
)
def test_whole_names_are_sought_among_those_that_begin_like_the_word(word: str, head: str) -> None:
    phrase = {"match_phrase": {"aliases.singular": word}}
    assert asked(phrase, word) == {"bool": {"filter": [phrase, {"term": {"aliases.begins": head}}]}}


def test_names_that_a_rule_finds_may_begin_in_any_way() -> None:
    phrase = {"match_phrase": {"name.singular": {"query": "qqbegin chairs qqend", "analyzer": "singular_with_rules"}}}
    assert asked(phrase, ruled=True) == phrase
    assert asked(phrase)["bool"]["filter"][0] == phrase
    as_typed = {"match_phrase": {"name.singular": "chairs"}}
    assert asked(as_typed, ruled=True)["bool"]["filter"][0] == as_typed


def test_where_common_words_are_found_nothing_is_left_out() -> None:
    query = queries.search_body(Search("chairs"))["query"]["function_score"]["query"]["bool"]["must"]
    common = [one for one in query["dis_max"]["queries"] if COMMON.search(str(one))]
    assert len(common) == 8  # phrase, words, prefix and everywhere, each also for those who give way
    assert "must_not" in str(common)
    assert "must_not" not in str([asked(one) for one in common])
