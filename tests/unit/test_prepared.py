"""What releases hold ready for searches, and how older ones are asked without it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from api import prepared, queries
from api.prepared import begins, for_release
from api.queries import Body, Search
from api.release import Release

NEW = Release.of("akg-1", {
    "data_version": "1", "synonyms_version": "2", "released": "now", "counts": {}, "sources": [], "core_sources": [],
    "rules": [], "examples": {}, "documents_version": prepared.SINCE,
})  # fmt: skip
OLD = replace(NEW, documents_version=0)
NARROWER: Body = {"term": {"kind": "narrower"}}


def of_kind(boost: float, *kinds: str) -> Body:
    filtered = {"bool": {"must": {"terms": {"type": list(kinds)}}, "must_not": NARROWER}}
    return {"constant_score": {"filter": filtered, "boost": boost}}


PRIORS = [
    {"rank_feature": {"field": "popularity", "boost": 8.0, "saturation": {"pivot": 40}}},
    {
        "constant_score": {
            "filter": {
                "bool": {"must_not": [{"terms": {"family": ["mainstream", "protective", "ergonomic"]}}, NARROWER]}
            },
            "boost": 128.0,
        }
    },
    of_kind(96.0, "disability", "limitation", "workrelatedfunction"),
    of_kind(64.0, "solution"),
]


def test_a_release_that_holds_it_ready_is_asked_as_it_is() -> None:
    body = queries.search_body(Search("low vision"))
    assert for_release(body, NEW) is body
    assert for_release(body, None) is body  # which release is live is not known yet


def test_an_older_release_is_asked_for_what_the_points_come_from() -> None:
    body = queries.search_body(Search("low vision", setting="school"))
    asked = for_release(body, OLD)
    query = body["query"]["function_score"]["query"]["bool"]
    assert asked["query"] == {"bool": {**query, "should": PRIORS}}
    assert {name: part for name, part in asked.items() if name != "query"} == {
        name: part for name, part in body.items() if name != "query"
    }


def test_an_older_release_is_asked_for_beginnings_of_names_by_their_letters() -> None:
    body = queries.suggest_body("screen rea", (), 10)
    asked = for_release(body, OLD)
    assert ".begins" in str(body)
    assert ".begins" not in str(asked)
    begun = {"bool": {"must": {"prefix": {"name.key": "screenrea"}}, "must_not": NARROWER}}
    assert {"constant_score": {"filter": begun, "boost": queries.BEGINS}} in asked["query"]["bool"]["should"]
    assert asked["query"]["bool"]["should"][-4:] == PRIORS


@pytest.mark.parametrize("key", ["", "b" * 21, "na\u00efve"])
def test_beginnings_that_are_not_kept_are_looked_for_letter_by_letter(key: str) -> None:
    assert begins("name", key) == {"prefix": {"name.key": key}}
    for kept in ("b", "b" * 20):
        assert begins("name", kept) == {"term": {"name.begins": kept}}
