"""The query-independent score of an entity, and the names of its neighbors."""

from collections.abc import Iterable

import pytest

from indexer.content.rows import Alias, Entity
from indexer.documents.entity import MAX_NEEDS, context_names, document_prior, neighbor_names, static_rank
from indexer.graph.model import Graph
from schema.document_ids import POPULARITY_BOOST
from tests.support.small_graphs import edge, entity, graph_of


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (entity("disability:a", kind="main"), 128 + 96),
        (entity("disability:a"), 128 + 96),
        (entity("disability:a", kind="narrower"), 0),
        (entity("limitation:a"), 128 + 96),
        (entity("workrelatedfunction:a"), 128 + 96),
        (entity("solution:a"), 128 + 64),
        (entity("vendor:a"), 128),
        (entity("product:a", family="assistive"), 128),
        (entity("product:a", family="ergonomic"), 0),
        (entity("product:a", family="mainstream"), 0),
    ],
)
def test_type_and_family_give_the_static_rank(node: Entity, expected: float) -> None:
    assert document_prior(node, 40) == expected + 4
    assert static_rank(node) == expected


def test_popularity_adds_little_and_saturates() -> None:
    vendor = entity("vendor:a")
    assert document_prior(vendor, 40) - document_prior(vendor, 1) > document_prior(vendor, 400) - document_prior(
        vendor, 360
    )
    assert document_prior(vendor, 25_000) - 128 < 8


@pytest.mark.parametrize(("edges", "stored"), [(1, 1), (511, 511), (513, 512), (1027, 1024), (25_000, 24_960)])
def test_popularity_has_the_precision_of_a_rank_feature(edges: int, stored: int) -> None:
    assert document_prior(entity("product:a", family="mainstream"), edges) == POPULARITY_BOOST * stored / (stored + 40)


# computed by hand from the tables of the test world
CONTEXT = {
    # half of the two pages with memory loss list it
    "solution:checklists": ["Attentiveness/Concentration", "Memory Loss", "trouble remembering"],
    # two of three pages with fatigue, one of two with commuting
    "solution:flexible-schedule": ["Decreased Stamina/Fatigue", "tires easily", "Commute to and from Work"],
    # one of three pages with fatigue is too few
    "solution:telework": ["Attentiveness/Concentration", "Commute to and from Work"],
    # the limitation, not the condition of the same name
    "solution:screen-magnification-software": ["Low Vision"],
    "product:hushband-headset": ["Noise Canceling Headsets", "Noise-Cancelling Headphones"],
    "product:largeview-pocket": ["Screen Magnification Software"],
    # both of its products implement the same solution, which is named once and without its aliases
    "vendor:brightline-access": ["Software", "Screen Magnification Software", "Devices"],
    "vendor:quiet-works": ["Software", "Checklists", "Hearing", "Noise Canceling Headsets"],
    # only for school: all needs that it is named for, even rare ones
    "solution:preferential-seating": ["Attentiveness/Concentration", "Low Vision"],
    # its categories
    "disability:crohns-disease": ["Other Health Impairment", "OHI"],
    "disability:multiple-sclerosis": [],
    "limitation:low-vision": [],
    "workrelatedfunction:commute": [],
    "occupation:15-1252.00": [],
    "ability:1.A.4.a.1": [],
}


@pytest.mark.parametrize(("node", "names"), CONTEXT.items(), ids=CONTEXT)
def test_the_context_has_the_names_of_the_nearest_neighbors(graph: Graph, node: str, names: list[str]) -> None:
    assert context_names(graph, graph.nodes[node]) == names


def graph_with(name: str, source: str, targets: Iterable[tuple[str, float]], **aliases: list[str]) -> Graph:
    """Return one entity with edges of one name, in this order, and the aliases of their targets by key."""
    edges = [edge(name, source, target, weight) for target, weight in targets]
    nodes = [item.target for item in edges]
    texts = {node: aliases.get(node.partition(":")[2], []) for node in nodes}
    found = {node: tuple(Alias(node, text, "lay", ()) for text in names) for node, names in texts.items()}
    return graph_of([source, *nodes], edges, aliases=found)


def test_a_solution_has_only_its_first_needs_and_no_conditions() -> None:
    needs = [(f"limitation:l{number}", 1.0) for number in range(MAX_NEEDS)]
    conditions = [(f"disability:d{number}", 1.0) for number in range(MAX_NEEDS)]
    late = ("workrelatedfunction:late", 1.0)
    graph = graph_with("recommended_for", "solution:breaks", [*conditions, *needs, late])
    assert context_names(graph, graph.nodes["solution:breaks"]) == [f"L{number}" for number in range(MAX_NEEDS)]


@pytest.mark.parametrize(("weight", "names"), [(0.5, ["Pain", "aches"]), (0.4999, [])])
def test_a_need_counts_if_half_of_its_pages_list_the_solution(weight: float, names: list[str]) -> None:
    graph = graph_with("recommended_for", "solution:breaks", [("limitation:pain", weight)], pain=["aches"])
    assert context_names(graph, graph.nodes["solution:breaks"]) == names


def test_a_shared_name_occurs_once_where_it_is_nearest() -> None:
    targets, aliases = [("solution:light", 1.0), ("solution:glare", 0.5)], {"light": ["Lighting", "Bright"]}
    graph = graph_with("implements", "product:lamp", targets, **aliases, glare=["Lighting", "Light"])
    assert context_names(graph, graph.nodes["product:lamp"]) == ["Light", "Lighting", "Bright", "Glare"]


@pytest.mark.parametrize("node", ["solution:alone", "product:alone", "vendor:alone"])
def test_an_entity_without_edges_has_no_context(node: str) -> None:
    graph = graph_with("requires", node, [])
    assert context_names(graph, graph.nodes[node]) == []
    assert neighbor_names(graph, graph.nodes[node]) == []


@pytest.mark.parametrize(
    ("node", "names"),
    [("limitation:low-vision", ["Low Vision", "MS", "Multiple Sclerosis"]), ("solution:checklists", [])],
)
def test_joined_names_are_those_of_neighbors(graph: Graph, node: str, names: list[str]) -> None:
    assert neighbor_names(graph, graph.nodes[node]) == names


def test_an_occupation_requires_what_limits_several_of_its_abilities() -> None:
    edges = [
        *(edge("requires", "occupation:a", ability, 0.8) for ability in ("ability:x", "ability:y")),
        *(edge("limited_by", ability, "limitation:standing", 0.5) for ability in ("ability:x", "ability:y")),
        edge("limited_by", "ability:x", "limitation:sitting", 0.5),
    ]
    graph = graph_of(["occupation:a", *dict.fromkeys(item.target for item in edges)], edges)
    assert neighbor_names(graph, graph.nodes["occupation:a"]) == ["Standing", "X", "Y"]
