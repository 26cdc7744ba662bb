"""Queries of precomputed and renamed fields, and their form for releases in an older format."""

from dataclasses import replace

import pytest

from api.engine import older_format
from api.engine.older_format import for_release, inherited_id, with_current_keys
from api.engine.release import Release
from api.recommend.seeds import seed_body
from api.search import query_builder
from api.search.query import ParsedQuery, SearchRequest
from schema.json_types import JsonObject
from tests.support.query_clauses import GENERAL_PRODUCTS, NARROWER
from tests.support.search_responses import RELEASE

parse = ParsedQuery.parse

NEW = replace(RELEASE, documents_version=older_format.NAMES_SINCE_VERSION)
RENAMED = replace(NEW, documents_version=older_format.NAMES_SINCE_VERSION - 1)
OLD = replace(NEW, documents_version=0)


def prior(boost: float, **conditions: object) -> JsonObject:
    return {"constant_score": {"filter": {"bool": conditions}, "boost": boost}}


LIVED_WITH = ["disability", "limitation", "workrelatedfunction"]
PRIORS = [
    {"rank_feature": {"field": "popularity", "boost": 8.0, "saturation": {"pivot": 40}}},
    prior(128.0, must_not=[GENERAL_PRODUCTS, NARROWER]),
    prior(96.0, must={"terms": {"type": LIVED_WITH}}, must_not=NARROWER),
    prior(64.0, must={"terms": {"type": ["solution"]}}, must_not=NARROWER),
]


def test_a_current_release_gets_the_query_unchanged() -> None:
    body = query_builder.search_body(SearchRequest(parse("low vision")))
    assert for_release(body, NEW) is body
    assert for_release(body, None) is body  # the live release is unknown


def test_an_older_release_gets_clauses_that_compute_the_prior() -> None:
    body = query_builder.search_body(SearchRequest(parse("low vision"), setting="school"))
    requests = for_release(body, OLD)
    query = body["query"]["function_score"]["query"]["bool"]
    assert requests == {**body, "query": {"bool": {**query, "should": PRIORS}}}


def test_an_older_release_gets_prefix_queries_on_names() -> None:
    body = query_builder.suggest_body(parse("screen rea"), (), 10)
    requests = for_release(body, OLD)
    assert ".begins" in str(body)
    assert ".begins" not in str(requests)
    begun = {"bool": {"must": {"prefix": {"name.key": "screenrea"}}, "must_not": NARROWER}}
    assert {"constant_score": {"filter": begun, "boost": query_builder.BEGINS}} in requests["query"]["bool"]["should"]
    assert requests["query"]["bool"]["should"][-4:] == PRIORS


@pytest.mark.parametrize("release", [RENAMED, OLD])
def test_an_older_release_gets_the_previous_names_of_fields(release: Release) -> None:
    requests = for_release(seed_body("disability", parse("add")), release)
    assert "inheritor_" not in str(requests)
    clauses = requests["query"]["bool"]["filter"][1]["bool"]["should"][-1]["bool"]["should"]
    assert clauses[1:3] == [{"term": {"heir_keys": "add"}}, {"match_phrase": {"heir_names": "add"}}]


def test_documents_of_older_releases_get_the_current_names_of_keys() -> None:
    current = {"card": {}, "inheritance_sources": ["disability:a"]}
    assert with_current_keys({"card": {}, "heir_of": ["disability:a"]}) == current
    assert with_current_keys(current) is current
    assert [inherited_id("disability:a", release) for release in (NEW, RENAMED)] == [
        "disability:a/inherited",
        "disability:a/heirlooms",
    ]
