"""The form of edges in responses, and how pages of edges are requested and joined."""

from typing import Any

import pytest

from api import models
from api.engine.release import EngineResponse, Hit
from api.graph.edges import edge_card, edge_facts, edge_item, edge_sources, edges_by_entity, pages_body
from tests.support.listings import card, edge_to
from tests.support.query_clauses import term
from tests.support.search_responses import RELEASE

LENS = "solution:lens"
MARKET = {"status": "verified", "checked": "2026-11-01", "method": "page", "evidence": None, "note": None}


@pytest.mark.parametrize(
    ("members", "shown"),
    [
        ({}, {}),
        ({"target_settings": ["work", "school"]}, {"settings": ["work", "school"]}),
        ({"target_market": MARKET}, {"market_verification": MARKET}),
    ],
)
def test_the_card_of_a_target_equals_that_of_its_entity(members: dict[str, Any], shown: dict[str, Any]) -> None:
    assert edge_card(edge_to(LENS, **members)) == card(LENS) | shown


def test_the_url_of_a_target_has_its_key_and_not_its_slug() -> None:
    job = edge_to("occupation:15-1252.00", target_slug="software-developers")
    assert edge_card(job)["url"] == "/occupation/15-1252.00"


FACTS: dict[str, Any] = {
    "via": ["limitation:l"],
    "pages": 2,
    "importance": 3.5,
    "level": 4.0,
    "tier": "primary-short",
    "rank": 1,
    "reason": "Because.",
    "main": True,
    "first_choice": 0.5,
    "school_basis": "editorial",
    "school_sources": ["editors"],
    "read_at": ["https://school.example.org/"],
}
UNSHOWN: dict[str, Any] = {
    "order": 7,
    "target_total": 9,
    "school_weight": 0.5,
    "vendor": "vendor:v",
    "target_sources": ["t"],
}


def test_an_edge_is_shown_with_its_facts_and_without_what_only_the_service_reads() -> None:
    stated: dict[str, Any] = {"weight": 0.4, "basis": "source", "sources": ["s"]}
    edge = edge_to(LENS, **{**stated, **FACTS, **UNSHOWN})
    assert edge_facts(edge) == {**stated, **FACTS}
    assert edge_item(edge) == {**card(LENS), **stated, **FACTS}
    models.Neighbor.model_validate(edge_item(edge))


def test_an_inherited_edge_names_the_parents() -> None:
    edge = {**edge_to(LENS, 0.4, basis="inherited"), "inherited_from": ["disability:a"]}
    inherited = {"weight": 0.4, "basis": "inherited", "sources": (), "inherited_from": ["disability:a"]}
    assert edge_item(edge) == {**card(LENS), **inherited}


def test_pages_are_read_by_entity_and_edge_in_order() -> None:
    filters = [term("doc", "edges"), {"terms": {"entity": ["disability:a"]}}, {"terms": {"edge": ["recommends"]}}]
    whole = {"size": 10_000, "query": {"bool": {"filter": filters}}, "sort": [{"page": "asc"}]}
    assert pages_body(["disability:a"], ["recommends"]) == whole
    members = {"_source": ["entity", "edge", "edges.target", "edges.weight"]}
    assert pages_body(["disability:a"], ["recommends"], ("target", "weight")) == whole | members


def test_the_pages_of_an_edge_are_joined_in_their_order() -> None:
    one, two, three = (edge_to(f"solution:{key}") for key in ("one", "two", "three"))
    pages: list[dict[str, Any]] = [
        {"entity": "disability:a", "edge": "recommends", "edges": [two]},
        {"entity": "disability:b", "edge": "recommends", "edges": [three]},
        {"entity": "disability:a", "edge": "has_limitation", "edges": []},
        {"entity": "disability:a", "edge": "recommends", "edges": [one, three]},
    ]
    assert edges_by_entity(EngineResponse(RELEASE, [Hit(document=page) for page in pages])) == {
        "disability:a": {"recommends": [two, one, three], "has_limitation": []},
        "disability:b": {"recommends": [three]},
    }


def test_an_edge_rests_on_its_sources_on_those_for_school_and_on_those_of_its_target() -> None:
    edges = [
        edge_to(LENS, sources=["s"], school_sources=["p"], target_sources=["t"]),
        edge_to(LENS, sources=["u"], target_sources=["t"]),
    ]
    assert edge_sources(edges) == ["s", "p", "t", "u", "t"]
