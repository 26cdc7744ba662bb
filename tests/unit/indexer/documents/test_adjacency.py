"""Packed adjacency equals the graph, and hubs are truncated."""

import math
from typing import Any

from api.graph.paths import Neighborhood, PathStep
from indexer.documents.adjacency import MAX_EDGES, pack_adjacency
from indexer.graph.model import Graph
from schema.codec import unpack
from schema.vocabulary import Vocabulary
from tests.support.small_graphs import edge, graph_of


def unpacked(graph: Graph, vocabulary: Vocabulary, node: str) -> Any:  # noqa: ANN401 - any JSON value
    return unpack(pack_adjacency(graph, vocabulary, node))


def test_packs_edges_by_name_with_the_counts_of_both_ends(graph: Graph, vocabulary: Vocabulary) -> None:
    # three jobs require near vision, two of them memorization
    assert unpacked(graph, vocabulary, "occupation:43-4051.00") == {
        "grounds": [["source", ["jobbook"]]],
        "edges": {
            "requires": [2, [["ability:1.A.4.a.1", 0.7, 3, 0], ["ability:1.A.1.d.1", 0.6, 2, 0]]],
            "related_occupation": [2, [["occupation:15-1252.00", 0.75, 1, 0], ["occupation:53-3032.00", 0.5, 1, 0]]],
            "related_occupation_of": [1, [["occupation:15-1252.00", 1.0, 1, 0]]],
        },
    }
    assert unpacked(graph, vocabulary, "product:largeview-pocket") == {
        "grounds": [["derived", ["fair", "editors"]], ["source", ["fair"]]],
        "edges": {
            "implements": [1, [["solution:screen-magnification-software", 1.0, 2, 0]]],
            "sold_by": [1, [["vendor:brightline-access", 1.0, 2, 1]]],
        },
    }


def test_the_service_reads_the_best_link_to_each_target(graph: Graph, vocabulary: Vocabulary) -> None:
    packed = pack_adjacency(graph, vocabulary, "occupation:43-4051.00")
    neighborhood = Neighborhood.unpack(packed)
    assert neighborhood.is_complete
    assert neighborhood.steps == {
        "ability:1.A.4.a.1": PathStep("requires", 0.7, "source", ["jobbook"], math.sqrt(0.7 / (2 * 3))),
        "ability:1.A.1.d.1": PathStep("requires", 0.6, "source", ["jobbook"], math.sqrt(0.6 / (2 * 2))),
        # named from both sides: the rarer and stronger statement counts
        "occupation:15-1252.00": PathStep("related_occupation_of", 1.0, "source", ["jobbook"], 1.0),
        "occupation:53-3032.00": PathStep("related_occupation", 0.5, "source", ["jobbook"], math.sqrt(0.5 / 2)),
    }
    assert Neighborhood.unpack(packed, {"ability:1.A.4.a.1"}).steps.keys() == {"ability:1.A.4.a.1"}
    assert Neighborhood.unpack(packed.rstrip("=")) == neighborhood  # doc values have no padding


def test_a_hub_has_its_strongest_edges_and_the_total(vocabulary: Vocabulary) -> None:
    graph = graph_of(["vendor:hub"], [edge("sells", "vendor:hub", f"product:{n}") for n in range(MAX_EDGES + 1)])
    total, items = unpacked(graph, vocabulary, "vendor:hub")["edges"]["sells"]
    assert (total, len(items), items[0][0]) == (MAX_EDGES + 1, MAX_EDGES, "product:0")
