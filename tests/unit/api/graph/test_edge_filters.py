"""Filtered and sorted edges, as queries on the pages of the other end and for merged lists in memory."""

from typing import Any

import pytest

from api.graph.edge_filters import ANY_EDGE, EdgeFilters, words_body
from schema.json_types import JsonObject
from tests.support.listings import edge_to
from tests.support.query_clauses import term

SOLUTION = "solution:telework"
WORDS = {"match": {"entity_names": {"query": "low vision", "operator": "and", "analyzer": "words_with_rules"}}}
SHOWN_FACTS = (
    *("weight", "basis", "sources", "via", "editorial_via", "pages", "importance", "level", "tier", "rank", "reason"),
    *("main", "school_basis", "school_sources", "read_at", "first_choice"),
)
BY_WEIGHT = {
    "edges.weight": {"order": "desc", "nested": {"path": "edges", "filter": {"term": {"edges.target": SOLUTION}}}}
}


def page(pages: list[JsonObject], edges: list[JsonObject], **window: Any) -> JsonObject:  # noqa: ANN401 - of the body
    """Return the body of a page with these clauses on the pages and on their nested edges."""
    inner_hits = {"size": 1, "_source": [f"edges.{name}" for name in SHOWN_FACTS]}
    matching = {"bool": {"filter": [term("edges.target", SOLUTION), *edges]}}
    nested = {"nested": {"path": "edges", "query": matching, "inner_hits": inner_hits}}
    return {
        "from": 0,
        "size": 20,
        "_source": False,
        "docvalue_fields": ["card", "sources"],
        "track_total_hits": True,
        "query": {"bool": {"filter": [term("doc", "edges"), term("edge", "recommends"), *pages, nested]}},
        "sort": [BY_WEIGHT, {"sort_name": "asc"}],
        **window,
    }


def body(filters: EdgeFilters, limit: int = 20, offset: int = 0) -> JsonObject:
    return filters.body(SOLUTION, "recommends", limit, offset)


EITHER_SOURCE = [term("edges.sources", "fair"), term("edges.school_sources", "fair")]


@pytest.mark.parametrize(
    ("filters", "pages", "edges"),
    [
        (EdgeFilters(target_type="limitation"), [term("entity_type", "limitation")], []),
        (EdgeFilters(query="low vision"), [WORDS], []),
        (EdgeFilters(min_weight=0.0), [], [{"range": {"edges.weight": {"gte": 0.0}}}]),
        (EdgeFilters(min_weight=0.5), [], [{"range": {"edges.weight": {"gte": 0.5}}}]),
        (EdgeFilters(basis="editorial"), [], [term("edges.basis", "editorial")]),
        (EdgeFilters(source="fair"), [], [{"bool": {"should": EITHER_SOURCE}}]),
        (
            EdgeFilters("limitation", 0.5, "source", "fair", "low vision"),
            [term("entity_type", "limitation"), WORDS],
            [
                {"range": {"edges.weight": {"gte": 0.5}}},
                term("edges.basis", "source"),
                {"bool": {"should": EITHER_SOURCE}},
            ],
        ),
    ],
)
def test_all_filters_match_the_same_nested_edge_or_its_page(
    filters: EdgeFilters, pages: list[JsonObject], edges: list[JsonObject]
) -> None:
    assert filters
    assert body(filters) == page(pages, edges)


def test_edges_are_sorted_by_weight_then_name_or_only_by_name() -> None:
    by_name = EdgeFilters(sort="name")
    assert by_name
    assert body(by_name) == page([], [], sort=[{"sort_name": "asc"}])
    assert body(EdgeFilters(sort="weight")) == page([], [])


def test_without_filters_and_order_there_is_nothing_to_filter() -> None:
    assert not EdgeFilters()
    assert EdgeFilters() == ANY_EDGE


@pytest.mark.parametrize(
    ("limit", "offset", "window"),
    [
        (20, 40, {"from": 40, "size": 20}),
        (20, 99_980, {"from": 99_980, "size": 20}),
        (20, 99_990, {"from": 99_990, "size": 10}),  # OpenSearch rejects what is beyond its result window
        (20, 100_000, {"from": 100_000, "size": 0}),
        (20, 10**9, {"from": 100_000, "size": 0}),
    ],
)
def test_a_page_stays_inside_the_result_window(limit: int, offset: int, window: dict[str, int]) -> None:
    assert body(EdgeFilters(sort="name"), limit, offset) == page([], [], sort=[{"sort_name": "asc"}], **window)


def test_words_of_a_merged_list_are_matched_on_the_pages_that_lead_to_the_parents() -> None:
    parents = {"nested": {"path": "edges", "query": {"terms": {"edges.target": ["disability:a", "disability:b"]}}}}
    assert words_body(["disability:a", "disability:b"], "recommended_for", "low vision") == {
        "size": 10_000,
        "_source": False,
        "docvalue_fields": ["entity"],
        "query": {"bool": {"filter": [term("doc", "edges"), term("edge", "recommended_for"), WORDS, parents]}},
    }


def test_words_are_matched_in_american_spelling() -> None:
    filters = words_body(["disability:a"], "recommended_for", "Brain Tumours")["query"]["bool"]["filter"]
    assert filters[2]["match"]["entity_names"]["query"] == "Brain tumors"


EDGES = [
    edge_to("limitation:zoom", 0.9, basis="inherited", sources=["atlas"]),
    edge_to("limitation:audio", 0.5, basis="inherited", sources=["fair"]),
    edge_to("solution:break", 0.4, basis="inherited", sources=["atlas"], school_sources=["fair"]),
    edge_to("solution:audio", 0.1, basis="editorial", sources=["book"]),
]


@pytest.mark.parametrize(
    ("filters", "targets", "keys"),
    [
        (ANY_EDGE, None, ["limitation:zoom", "limitation:audio", "solution:break", "solution:audio"]),
        (EdgeFilters(target_type="solution"), None, ["solution:break", "solution:audio"]),
        (EdgeFilters(min_weight=0.5), None, ["limitation:zoom", "limitation:audio"]),
        (EdgeFilters(basis="editorial"), None, ["solution:audio"]),
        (EdgeFilters(source="fair"), None, ["limitation:audio", "solution:break"]),
        (EdgeFilters(query="audio"), {"limitation:audio"}, ["limitation:audio"]),
        (EdgeFilters(query="nothing"), set(), []),
        (EdgeFilters(sort="name"), None, ["limitation:audio", "solution:audio", "solution:break", "limitation:zoom"]),
        (EdgeFilters("limitation", 0.1, "inherited", "fair", sort="name"), None, ["limitation:audio"]),
        (EdgeFilters("limitation", 0.1, "inherited", "book"), None, []),
    ],
)
def test_merged_lists_are_filtered_and_sorted_in_memory(
    filters: EdgeFilters, targets: set[str] | None, keys: list[str]
) -> None:
    assert [edge["target"] for edge in filters.select(EDGES, targets)] == keys
