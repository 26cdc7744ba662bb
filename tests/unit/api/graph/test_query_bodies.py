"""OpenSearch bodies of lists, with and without filters, and of lookups by id, slug or name."""

import pytest

from api.graph import query_bodies
from api.search.query import ParsedQuery
from tests.support.query_clauses import NARROWER, SHOWN, boosted, term


def test_a_list_filters_by_a_range_of_positions() -> None:
    assert query_bodies.list_body("ability", 20, 40) == {
        "size": 20,
        **SHOWN,
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


def test_a_filtered_list_has_the_entities_with_all_values() -> None:
    assert query_bodies.filtered_list_body("solution", 20, 40, {"settings": "school"}) == {
        "from": 40,
        "size": 20,
        **SHOWN,
        "track_total_hits": True,
        "query": {
            "bool": {
                "filter": [
                    {"term": {"doc": "entity"}},
                    {"term": {"type": "solution"}},
                    {"term": {"settings": "school"}},
                ]
            }
        },
        "sort": [{"position": "asc"}],
    }


def test_a_page_past_the_end_stays_inside_the_result_window() -> None:
    assert query_bodies.filtered_list_body("solution", 20, 10**9, {"settings": "work"})["from"] == 99_980


def test_an_entity_is_found_by_any_form_of_its_id() -> None:
    key, full = "software-developers", "occupation:software-developers"
    record = [term("doc", "record"), term("owner", full)]
    entity = [term("doc", "entity"), term("type", "occupation"), {"terms": {"ids": [key, full]}}]
    assert query_bodies.entity_body("occupation", key) == {
        "size": 1,
        "query": {"bool": {"should": [{"bool": {"filter": record}}, {"bool": {"filter": entity}}]}},
        "sort": [{"doc": "desc"}],
    }


def test_the_nearest_entities_are_found_by_comparing_a_slug_with_names() -> None:
    fuzzy = {"match": {"names": {"query": "multipl sclerosis", "fuzziness": "AUTO", "analyzer": "plain", "boost": 2}}}
    prefix = {"match": {"names.prefix": {"query": "multipl sclerosis", "boost": 2.0}}}
    shorter = {"match": {"names.prefix": "multi sclero"}}
    name = boosted(8.0, {"term": {"name.begins": "multiplsclerosis"}})
    near = {"bool": {"should": [fuzzy, prefix, shorter, name], "minimum_should_match": 1}}
    demoted = {"boosting": {"positive": near, "negative": NARROWER, "negative_boost": 0.4}}
    assert query_bodies.nearest_body(ParsedQuery.parse(" multipl--sclerosis "), "disability") == {
        "size": 5,
        **SHOWN,
        "query": {"bool": {"must": [demoted], "filter": [term("type", "disability")]}},
    }


@pytest.mark.parametrize("slug", ["q", "??", "a b"])
def test_a_slug_with_few_letters_is_not_searched_as_a_prefix(slug: str) -> None:
    (must,) = query_bodies.nearest_body(ParsedQuery.parse(slug), "disability")["query"]["bool"]["must"]
    assert not any("prefix" in clause for clause in must["boosting"]["positive"]["bool"]["should"])


def test_edge_pages_are_read_by_number() -> None:
    numbers = {"range": {"number": {"gte": 2, "lte": 7}}}
    assert query_bodies.pages_body("occupation:software-developers", "requires", 2, 7) == {
        "size": 6,
        "query": {
            "bool": {"filter": [term("owner", "occupation:software-developers"), term("edge", "requires"), numbers]}
        },
        "sort": [{"number": "asc"}],
    }
