"""OpenSearch bodies of lists, with and without filters."""

from __future__ import annotations

from api.graph import query_bodies


def test_a_list_filters_by_a_range_of_positions() -> None:
    assert query_bodies.list_body("ability", 20, 40) == {
        "size": 20,
        "_source": False,
        "stored_fields": "_none_",
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


def test_a_filtered_list_counts_the_valid_values() -> None:
    assert query_bodies.filtered_list_body("solution", 20, 40, {"settings": "school"}) == {
        "from": 40,
        "size": 20,
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["card", "alias_list", "sources"],
        "track_total_hits": True,
        "query": {"bool": {"filter": [{"term": {"doc": "entity"}}, {"term": {"type": "solution"}}]}},
        "post_filter": {"bool": {"filter": [{"term": {"settings": "school"}}]}},
        "aggs": {"settings": {"terms": {"field": "settings", "size": 200, "order": {"_key": "asc"}}}},
        "sort": [{"position": "asc"}],
    }


def test_a_page_past_the_end_stays_inside_the_result_window() -> None:
    assert query_bodies.filtered_list_body("solution", 20, 10**9, {"settings": "work"})["from"] == 99_980
