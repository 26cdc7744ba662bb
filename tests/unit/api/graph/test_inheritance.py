"""Merging what a condition inherits from several parents: each target once, with its greatest weight."""

from typing import Any

import pytest

from api.graph.inheritance import merge_edges
from api.graph.listings import Condition
from schema.edge_documents import NestedEdge
from tests.support.listings import condition, edge_to

A, B, C = "disability:a", "disability:b", "disability:c"
LENS, REST = "solution:lens", "solution:rest"


def parent(node: str, *edges: NestedEdge, name: str = "recommends") -> Condition:
    return condition(node, edges={name: edges})


def merged(*edges_of_parents: NestedEdge, own_choices: dict[str, float] | None = None) -> dict[str, Any]:
    """Return the edge that parents with these edges to one target have in common."""
    parents = [parent(f"disability:{key}", edge) for key, edge in zip("abc", edges_of_parents, strict=False)]
    (edge,) = merge_edges("recommends", parents, own_choices or {})
    return dict(edge)


def test_edges_of_several_parents_become_one_list_best_first() -> None:
    parents = [
        parent(A, edge_to(LENS, 0.4, sources=["s"]), edge_to(REST, 0.9)),
        parent(B, edge_to(LENS, 0.6, sources=["s", "t"])),
    ]
    edges = merge_edges("recommends", parents, {})
    assert [(edge["target"], edge["weight"], edge["inherited_from"], edge["basis"]) for edge in edges] == [
        (REST, 0.9, [A], "inherited"),
        (LENS, 0.6, [A, B], "inherited"),
    ]
    assert edges[1]["sources"] == ["s", "t"]
    assert [edge["order"] for edge in edges] == [0, 1]


def test_the_edge_of_a_single_parent_is_marked_as_inherited() -> None:
    facts = {"via": ["limitation:l"], "first_choice": 0.5, "order": 7, "target_total": 3}
    (edge,) = merge_edges("recommends", [parent(A, edge_to(LENS, 0.4, sources=["s"], **facts))], {})
    inherited = {"basis": "inherited", "inherited_from": [A], "order": 0, "target_total": 3}
    via = {"via": ["limitation:l"], "first_choice": 0.5}
    assert edge == {**edge_to(LENS, 0.4, sources=["s"]), **via, **inherited}


def test_only_edges_of_the_name_are_merged() -> None:
    parents = [parent(A, edge_to("limitation:l"), name="has_limitation"), parent(B, edge_to(LENS))]
    assert [edge["target"] for edge in merge_edges("has_limitation", parents, {})] == ["limitation:l"]
    assert merge_edges("affects", parents, {}) == []


def test_edges_of_equal_weight_are_sorted_by_name_then_by_id() -> None:
    names = {"solution:z": "anchor", "solution:c": "Zoom", "solution:b": "ZOOM", "solution:d": "Audio"}
    edges = [edge_to(node, 0.5, target_name=name) for node, name in names.items()]
    found = merge_edges("recommends", [parent(A, *edges[:2]), parent(B, *edges[2:])], {})
    assert [edge["target"] for edge in found] == ["solution:z", "solution:d", "solution:b", "solution:c"]


@pytest.mark.parametrize("weights", [(0.4, 0.6, 0.2), (0.6, 0.4, 0.2), (0.2, 0.4, 0.6)])
def test_sources_and_headings_are_those_of_all_parents(weights: tuple[float, ...]) -> None:
    facts = (
        {"sources": ["s"], "via": ["limitation:l"], "read_at": ["p"]},
        {"sources": ["t", "s"], "via": ["limitation:m", "limitation:l"], "school_sources": ["q"]},
        {"sources": ["u"], "via": ["limitation:l"], "school_sources": ["q", "r"], "read_at": ["o", "p"]},
    )
    edge = merged(*(edge_to(LENS, weight, **members) for weight, members in zip(weights, facts, strict=True)))
    assert edge["weight"] == 0.6
    assert edge["inherited_from"] == [A, B, C]
    assert edge["sources"] == ["s", "t", "u"]
    assert edge["via"] == ["limitation:l", "limitation:m"]
    assert edge["school_sources"] == ["q", "r"]
    assert edge["read_at"] == ["p", "o"]


def test_facts_that_no_parent_has_are_absent() -> None:
    edge = merged(edge_to(LENS, 0.4), edge_to(LENS, 0.6))
    assert edge.keys() - edge_to(LENS).keys() == {"inherited_from"}


@pytest.mark.parametrize(
    ("first", "second", "strength"), [(1.0, 0.5, 1.0), (0.5, 1.0, 1.0), (0.5, None, 0.5), (None, 0.5, 0.5)]
)
def test_the_greatest_first_choice_of_all_parents_applies(
    first: float | None, second: float | None, strength: float
) -> None:
    edges = [
        edge_to(LENS, weight, **({} if choice is None else {"first_choice": choice}))
        for weight, choice in ((0.4, first), (0.6, second))
    ]
    assert merged(*edges)["first_choice"] == strength
    assert merged(*edges[::-1])["first_choice"] == strength


@pytest.mark.parametrize("mains", [(True, False), (False, True), (True, True)])
def test_a_main_need_of_any_parent_is_a_main_need(mains: tuple[bool, bool]) -> None:
    edges = [
        edge_to("limitation:l", weight, **({"main": True} if main else {}))
        for weight, main in zip((0.4, 0.6), mains, strict=True)
    ]
    assert merged(*edges)["main"] is True
    assert merged(*edges[::-1])["main"] is True


def test_first_choices_for_the_condition_itself_take_the_place_of_those_of_its_parents() -> None:
    parents = [parent(A, edge_to(LENS, 0.9, first_choice=1.0), edge_to(REST, 0.4)), parent(B, edge_to(REST, 0.6))]
    edges = merge_edges("recommends", parents, {REST: 0.5, "solution:unlisted": 1.0})
    assert {edge["target"]: edge.get("first_choice") for edge in edges} == {LENS: None, REST: 0.5}
    assert [edge["target"] for edge in edges] == [LENS, REST]
    inherited = merge_edges("recommends", parents, {})
    assert {edge["target"]: edge.get("first_choice") for edge in inherited} == {LENS: 1.0, REST: None}


def test_the_edges_of_the_parents_do_not_change() -> None:
    parents = [parent(A, edge_to(LENS, 0.4, sources=["s"])), parent(B, edge_to(LENS, 0.6, sources=["t"]))]
    before = repr(parents)
    merge_edges("recommends", parents, {LENS: 1.0})
    assert repr(parents) == before
