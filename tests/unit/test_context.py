"""The words of an entity's neighbours: over the small world, and where the lists end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.context import NEEDS, context, joined
from indexer.graph import Edge, Graph
from indexer.needs import Listings
from indexer.rows import Alias, Entity

if TYPE_CHECKING:
    from collections.abc import Iterable

# worked out from the tables of the world
WORLD = {
    # half of the two pages with memory loss list it
    "solution:checklists": ["Attentiveness/Concentration", "Memory Loss", "trouble remembering"],
    # two of three pages with fatigue, one of two with commuting
    "solution:flexible-schedule": ["Decreased Stamina/Fatigue", "tires easily", "Commute to and from Work"],
    # one of three pages with fatigue is too seldom
    "solution:telework": ["Attentiveness/Concentration", "Commute to and from Work"],
    # the limitation, not the condition of the same name
    "solution:screen-magnification-software": ["Low Vision"],
    "product:hushband-headset": ["Noise Canceling Headsets", "Noise-Cancelling Headphones"],
    "product:largeview-pocket": ["Screen Magnification Software"],
    # both of its products answer the same solution: said once, and without the solution's other names
    "vendor:brightline-access": ["Software", "Screen Magnification Software", "Devices"],
    "vendor:quiet-works": ["Software", "Checklists", "Hearing", "Noise Canceling Headsets"],
    # for school alone: all it is named for, however seldom
    "solution:preferential-seating": ["Attentiveness/Concentration", "Low Vision"],
    # the categories it falls under
    "disability:crohns-disease": ["Other Health Impairment", "OHI"],
    "disability:multiple-sclerosis": [],
    "limitation:low-vision": [],
    "workrelatedfunction:commute": [],
    "occupation:15-1252.00": [],
    "ability:1.A.4.a.1": [],
}


@pytest.mark.parametrize(("node", "names"), WORLD.items(), ids=WORLD)
def test_an_entity_is_found_by_what_it_is_for(graph: Graph, node: str, names: list[str]) -> None:
    assert context(graph, graph.nodes[node]) == names


def entity(node: str, **facts: str) -> Entity:
    kind, _, key = node.partition(":")
    return Entity(node, kind, key, key.title(), "", "", "", (), facts)


def one_with(name: str, source: str, targets: Iterable[tuple[str, float]], *aliases: tuple[str, str]) -> Graph:
    """One entity with edges of one kind, in this order, and the other names of whom they lead to."""
    edges = tuple(Edge(name, source, target, weight, "source", ()) for target, weight in targets)
    others: dict[str, tuple[Alias, ...]] = {}
    for node, text in aliases:
        others[node] = (*others.get(node, ()), Alias(node, text, "lay", ()))
    nodes = {node: entity(node) for node in (source, *(edge.target for edge in edges))}
    return Graph(nodes, others, {source: {name: edges}}, {}, {}, Listings.of(()), "1.0.0+0")


def test_a_solution_has_only_its_first_needs_and_conditions_are_none() -> None:
    needs = [(f"limitation:l{number}", 1.0) for number in range(NEEDS)]
    conditions = [(f"disability:d{number}", 1.0) for number in range(NEEDS)]
    late = ("workrelatedfunction:late", 1.0)
    graph = one_with("recommended_for", "solution:breaks", [*conditions, *needs, late])
    assert context(graph, graph.nodes["solution:breaks"]) == [f"L{number}" for number in range(NEEDS)]


@pytest.mark.parametrize(("weight", "names"), [(0.5, ["Pain", "aches"]), (0.4999, [])])
def test_a_need_counts_where_half_of_its_pages_list_the_solution(weight: float, names: list[str]) -> None:
    graph = one_with("recommended_for", "solution:breaks", [("limitation:pain", weight)], ("limitation:pain", "aches"))
    assert context(graph, graph.nodes["solution:breaks"]) == names


def test_a_name_that_two_neighbours_share_is_said_once_where_it_is_nearest() -> None:
    graph = one_with(
        "implements",
        "product:lamp",
        [("solution:light", 1.0), ("solution:glare", 0.5)],
        ("solution:light", "Lighting"),
        ("solution:light", "Bright"),
        ("solution:glare", "Lighting"),
        ("solution:glare", "Light"),
    )
    assert context(graph, graph.nodes["product:lamp"]) == ["Light", "Lighting", "Bright", "Glare"]


@pytest.mark.parametrize("node", ["solution:alone", "product:alone", "vendor:alone"])
def test_what_is_joined_to_nothing_has_no_context(node: str) -> None:
    graph = one_with("requires", node, [])
    assert context(graph, graph.nodes[node]) == []
    assert joined(graph, graph.nodes[node]) == []


# worked out from the tables of the world
BESIDE_A_TYPE_WORD = {
    "limitation:low-vision": ["Low Vision", "MS", "Multiple Sclerosis"],
    "solution:checklists": [],
}


@pytest.mark.parametrize(("node", "names"), BESIDE_A_TYPE_WORD.items(), ids=BESIDE_A_TYPE_WORD)
def test_what_is_joined_counts_beside_a_type_word(graph: Graph, node: str, names: list[str]) -> None:
    assert joined(graph, graph.nodes[node]) == names


def test_an_occupation_asks_for_what_its_abilities_take_of_a_need_together() -> None:
    requires = tuple(Edge("requires", "occupation:a", f"ability:{one}", 0.8, "source", ()) for one in ("x", "y"))
    limits = {
        ability: {"limited_by": tuple(Edge("limited_by", ability, need, 0.5, "editorial", ()) for need in needs)}
        for ability, needs in (
            ("ability:x", ("limitation:standing", "limitation:sitting")),
            ("ability:y", ("limitation:standing",)),
        )
    }
    ids = ("occupation:a", "ability:x", "ability:y", "limitation:standing", "limitation:sitting")
    edges = {**limits, "occupation:a": {"requires": requires}}
    graph = Graph({node: entity(node) for node in ids}, {}, edges, {}, {}, Listings.of(()), "1.0.0+0")
    assert joined(graph, graph.nodes["occupation:a"]) == ["Standing", "X", "Y"]
