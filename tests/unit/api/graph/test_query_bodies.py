"""OpenSearch bodies of lists, with and without filters, of lookups by id, slug or name, and of paths."""

from typing import get_args

import pytest

from api.graph import query_bodies
from api.search.features import Feature
from api.search.query import ParsedQuery
from schema.entity_kinds import EdgeName
from schema.json_types import JsonObject
from tests.support.query_clauses import CARD, NARROWER, boosted, keys, term


def test_a_list_filters_by_a_range_of_positions() -> None:
    assert query_bodies.list_body("ability", 20, 40) == {
        "size": 20,
        **CARD,
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
        **CARD,
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
        "docvalue_fields": ["card", "sources"],
        "query": {"bool": {"filter": [term("doc", "entity"), {"terms": {"ids": ids}}]}},
    }


def test_the_nearest_entities_are_found_by_comparing_a_slug_with_names() -> None:
    fuzzy = {"match": {"spelling": {"query": "multipl sclerosis", "fuzziness": "AUTO", "boost": 2}}}
    prefix = {"match": {"spelling.words": {"query": "multipl sclerosis", "boost": 2.0}}}
    shorter = {"match": {"spelling.words": "multi sclero"}}
    name = boosted(8.0, {"term": {"spelling.names": "multiplsclerosis"}})
    near = {"bool": {"should": [fuzzy, prefix, shorter, name], "minimum_should_match": 1}}
    demoted = {"boosting": {"positive": near, "negative": NARROWER, "negative_boost": 0.4}}
    assert query_bodies.nearest_body(ParsedQuery.parse(" multipl--sclerosis "), "disability") == {
        "size": 5,
        **CARD,
        "query": {"bool": {"must": [demoted], "filter": [term("type", "disability")]}},
    }


@pytest.mark.parametrize(
    ("word", "beginning"),
    [("softwar", "softw"), ("bookkeepers", "bookkee"), ("vison", "vison"), ("tumours", "tumor"), ("a", "a")],
)
def test_the_beginning_of_a_word_is_compared_too(word: str, beginning: str) -> None:
    (must,) = query_bodies.nearest_body(ParsedQuery.parse(word), "disability")["query"]["bool"]["must"]
    assert {"match": {"spelling.words": beginning}} in must["boosting"]["positive"]["bool"]["should"]


def test_the_nearest_entities_may_be_of_any_type() -> None:
    assert query_bodies.nearest_body(ParsedQuery.parse("vison"))["query"]["bool"]["filter"] == [term("doc", "entity")]


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
    "docvalue_fields": ["hit", "card", "sources"],
    "_source": [
        *("has_limitation", "limitation_of", "affects", "affected_by", "recommends", "recommended_for"),
        *("implemented_by", "implements", "sold_by", "sells", "requires", "required_by"),
        *("related_occupation", "related_occupation_of", "limits", "limited_by", "broader", "narrower"),
        "inherits_from",
        "inherited",
        "ancestors",
        "troubles",
    ],
}


def test_an_end_is_found_by_its_whole_name_with_its_neighbors() -> None:
    query = ParsedQuery.parse("low vision")
    either = [
        boosted(float(Feature.ID), keys("id:low vision")),
        boosted(float(Feature.NAME), keys("name:lowvision")),
        boosted(2.0, keys("name:lowvision")),  # as typed, not by a rule
    ]
    for types in ((), ("disability", "limitation")):
        limited: list[JsonObject] = [{"terms": {"type": list(types)}}] if types else []
        filters = [term("doc", "entity"), *limited]
        assert query_bodies.named_body(query, *types) == {
            "size": 5,
            **ARRAYS,
            "track_total_hits": False,
            "query": {"bool": {"filter": filters, "should": either, "minimum_should_match": 1}},
        }


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
        "docvalue_fields": ["entity", *ARRAYS["_source"][:-3]],
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
        "stored_fields": "_none_",
        "docvalue_fields": ["entity", "edge", "total"],
        "query": {"bool": {"filter": [term("doc", "edges"), firsts, {"nested": nested}]}},
    }
