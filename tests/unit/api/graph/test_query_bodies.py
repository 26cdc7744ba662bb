"""OpenSearch bodies of lists, with and without filters, of lookups by id, slug or name, and of paths."""

from typing import get_args

import pytest

from api.graph import query_bodies
from api.search import query_builder
from api.search.query import ParsedQuery
from schema.entity_kinds import EdgeName
from schema.json_types import JsonObject
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
    entity = [term("doc", "entity"), term("type", "occupation"), {"terms": {"ids": [key, full]}}]
    assert query_bodies.entity_body("occupation", key) == {"size": 1, "query": {"bool": {"filter": entity}}}


def test_a_retired_id_is_found_in_lower_case_too() -> None:
    ids = ["disability:ADD", "disability:add", "solution:wfh"]
    assert query_bodies.moved_body("disability:ADD", "solution:wfh", "disability:ADD") == {
        "size": 3,
        "query": {"bool": {"filter": [term("doc", "moved"), {"ids": {"values": ids}}]}},
    }


def test_a_batch_has_the_cards_of_all_ids_and_the_forms_of_each() -> None:
    ids = ["solution:telework", "solution:wfh"]
    assert query_bodies.batch_body(ids) == {
        "size": 2,
        "_source": ["ids"],
        "docvalue_fields": ["card", "alias_list", "sources"],
        "query": {"bool": {"filter": [term("doc", "entity"), {"terms": {"ids": ids}}]}},
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


def test_the_edge_pages_of_an_owner_are_read_by_number() -> None:
    owner = "occupation:software-developers"
    pages = {"range": {"page": {"gte": 2, "lte": 7}}}
    filters = [term("doc", "edges"), term("owner", owner), term("edge", "requires"), pages]
    assert query_bodies.owner_pages_body(owner, "requires", 2, 7) == {
        "size": 6,
        "query": {"bool": {"filter": filters}},
        "sort": [{"page": "asc"}],
    }


def test_the_first_pages_of_an_owner_are_those_of_all_edge_names() -> None:
    owner = "occupation:software-developers"
    assert query_bodies.first_pages_body(owner) == {
        "size": 50,
        "query": {"bool": {"filter": [term("doc", "edges"), term("owner", owner), {"term": {"page": 0}}]}},
    }
    assert len(get_args(EdgeName)) < 50


# Paths between two entities

ARRAYS = {
    "docvalue_fields": ["card", "sources"],
    "_source": [
        *("has_limitation", "limitation_of", "affects", "affected_by", "recommends", "recommended_for"),
        *("implemented_by", "implements", "sold_by", "sells", "requires", "required_by"),
        *("related_occupation", "related_occupation_of", "limits", "limited_by", "broader", "narrower"),
        "inherits_from",
        "inherited",
    ],
}


def test_an_end_is_found_by_its_whole_name_with_its_neighbors() -> None:
    query = ParsedQuery.parse("low vision")
    named = {
        "size": 5,
        **ARRAYS,
        "track_total_hits": False,
        "query": query_builder.whole_name_query(query),
        "sort": ["_score", {"position": "asc"}],
    }
    assert query_bodies.named_body(query) == named
    of_type = {"post_filter": {"terms": {"type": ["disability", "limitation"]}}}
    assert query_bodies.named_body(query, "disability", "limitation") == named | of_type


def test_the_strongest_edges_of_both_ends_are_on_their_first_two_pages() -> None:
    ends = {"terms": {"entity": ["vendor:a", "solution:b"]}}
    assert query_bodies.end_pages_body(["vendor:a", "solution:b"]) == {
        "size": 10_000,
        "query": {"bool": {"filter": [term("doc", "edges"), ends, {"range": {"page": {"lt": 2}}}]}},
        "sort": [{"page": "asc"}],
    }


def inner_entities(*filters: JsonObject) -> JsonObject:
    return {
        "size": 100,
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["entity", *ARRAYS["_source"][:-1]],
        "track_total_hits": False,
        "query": {
            "bool": {
                "filter": [term("doc", "entity"), *filters],
                "must_not": [{"ids": {"values": ["vendor:a", "solution:b"]}}],
                "should": [{"rank_feature": {"field": "popularity", "saturation": {"pivot": 40}}}],
            }
        },
        "sort": [{"_score": "asc"}, {"type": "asc"}, {"position": "asc"}],
    }


def test_entities_between_the_ends_have_edges_to_neighbors_of_both_the_least_connected_first() -> None:
    near, far, ends = ["product:n"], ["limitation:f", "limitation:g"], ("vendor:a", "solution:b")
    linked_to_near, linked_to_far = ({"terms": {"linked": nodes}} for nodes in (near, far))
    shared = query_bodies.shared_neighbors_body(near, far, ends, 100)
    assert shared == inner_entities({"ids": {"values": near}}, linked_to_far)
    assert query_bodies.bridging_entities_body(near, far, ends, 100) == inner_entities(linked_to_near, linked_to_far)


def test_edges_between_inner_entities_are_nested_edges_of_the_first_of_each_pair() -> None:
    pairs = [("solution:a", "limitation:l"), ("solution:b", "limitation:l"), ("solution:a", "limitation:m")]
    seconds = {"terms": {"edges.target": ["limitation:l", "limitation:m"]}}
    members = ["edges.target", "edges.weight", "edges.basis", "edges.sources", "edges.target_total"]
    inner_hits = {"size": 100, "_source": False, "stored_fields": "_none_", "docvalue_fields": members}
    nested = {"path": "edges", "query": seconds, "inner_hits": inner_hits}
    firsts = {"terms": {"entity": ["solution:a", "solution:b"]}}
    assert query_bodies.inner_edges_body(pairs) == {
        "size": 10_000,
        "_source": False,
        "docvalue_fields": ["entity", "edge", "total", "card", "sources"],
        "query": {"bool": {"filter": [term("doc", "edges"), firsts, {"nested": nested}]}},
    }
