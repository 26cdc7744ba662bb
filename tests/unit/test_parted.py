"""When one word is asked for in two parts, and what these are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from api import parted, queries
from api.exact import exact
from api.queries import Search
from api.release import Answer, Release
from api.rules import Rules

POINTS = [
    {"rank_feature": {"field": "popularity", "boost": 8.0, "saturation": {"pivot": 40}}},
    {"rank_feature": {"field": "standing", "linear": {}}},
]


def release(entities: int = parted.LARGE, documents_version: int = parted.SINCE) -> Release:
    return Release.of("akg-1", {
        "data_version": "1", "synonyms_version": "2", "released": "now", "sources": [], "core_sources": [],
        "counts": {"types": {"solution": 1, "product": entities - 1}}, "rules": [], "examples": {},
        "documents_version": documents_version,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("query", "of", "parts"),
    [
        ("software", release(), True),
        (" Software ", release(), True),
        ("software", release(parted.LARGE - 1), False),
        ("software", release(documents_version=parted.SINCE - 1), False),  # not sorted
        ("software", None, False),  # which release is live is not known yet
        ("screen reader", release(), False),
        ("na\u00efve", release(), False),
        ("e-mail", release(), False),
    ],
)
def test_one_plain_word_of_a_large_release_that_is_sorted_is_asked_for_in_parts(
    query: str, of: Release | None, *, parts: bool
) -> None:
    assert parted.worth(Search(query), of) == parts


def test_what_is_best_is_asked_for_apart_from_how_many_there_are() -> None:
    body = queries.search_body(Search("software", ("product",), 10, 30, setting="school"))
    found = body["query"]["function_score"]["query"]["bool"]
    ranked, counted = parted.bodies(body, "software", ruled=False)
    must = exact(found["must"], "software", ruled=False)
    assert ranked == {
        **queries.SHOWN,
        "from": 30,
        "size": 10,
        "track_total_hits": False,
        "query": {"bool": {"must": must, "filter": found["filter"], "should": POINTS}},
        "post_filter": {"terms": {"type": ["product"]}},
    }
    assert counted == {
        "size": 0,
        "track_total_hits": True,
        "query": {"bool": {"filter": [found["must"], *found["filter"]]}},
        "aggs": body["aggs"],
        "post_filter": body["post_filter"],
    }


def test_whether_a_rule_acts_on_the_word_is_known_of_the_release_that_is_asked() -> None:
    rule = {"given": ["sw"], "read_as": ["software"], "text": "sw => software"}
    of = replace(release(), rules=Rules([rule]))
    assert [parted.ruled(Search(word), of) for word in ("sw", "SW", "software")] == [True, True, False]
    assert not parted.ruled(Search("sw", synonyms=False), of)
    assert not parted.ruled(Search("sw"), release())
    assert not parted.ruled(Search("sw"), None)


def test_types_are_counted_only_where_that_is_asked_for() -> None:
    _, counted = parted.bodies(queries.search_body(Search("software", facets=False)), "software", ruled=False)
    assert "aggs" not in counted


def test_both_answers_are_one() -> None:
    of = release()
    ranked = Answer({"took": 1, "hits": {"hits": ["a"]}}, of)
    counted = Answer({"took": 2, "hits": {"total": {"value": 7}, "hits": []}, "aggregations": {"types": {}}}, of)
    told = {"took": 1, "hits": {"hits": ["a"], "total": {"value": 7}}}
    assert parted.joined(ranked, counted) == Answer({**told, "aggregations": {"types": {}}}, of)
    assert parted.joined(ranked, Answer({"hits": counted.body["hits"]}, of)) == Answer(told, of)
