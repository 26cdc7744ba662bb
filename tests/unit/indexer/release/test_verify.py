"""The expectations of verification, counted by hand from the tables of the test world."""

from indexer.graph.model import Graph
from indexer.release.verify import Expected
from schema.vocabulary import Vocabulary

FORWARD = {
    "has_limitation": 9,
    "affects": 3,
    "recommends": 32,  # 17 from conditions, 14 from limitations and functions, 1 from a broad limitation
    "implemented_by": 4,
    "sold_by": 4,
    "requires": 6,  # of nine ratings
    "related_occupation": 3,
    "limits": 3,
    "broader": 6,
}


def test_counts_types_and_the_edges_of_both_directions(graph: Graph, vocabulary: Vocabulary) -> None:
    expected = Expected.from_graph(graph, vocabulary)
    assert expected.types == {
        "disability": 8,
        "limitation": 6,
        "workrelatedfunction": 2,
        "solution": 8,
        "product": 4,
        "vendor": 2,
        "occupation": 3,
        "ability": 3,
    }
    inverses = {vocabulary.edges[name].inverse: count for name, count in FORWARD.items()}
    assert expected.edges == {**FORWARD, **inverses}
    assert expected.inverses == {name: vocabulary.edges[name].inverse for name in FORWARD}


def test_searches_must_find_the_best_connected_entity_of_each_type(graph: Graph, vocabulary: Vocabulary) -> None:
    assert Expected.from_graph(graph, vocabulary).golden == {
        "disability:multiple-sclerosis": "Multiple Sclerosis",  # 8 edges; ADHD has 7
        "limitation:decreased-stamina-fatigue": "Decreased Stamina/Fatigue",
        "workrelatedfunction:commute": "Commute to and from Work",
        "solution:telework": "Telework",
        "product:largeview-pocket": "LargeView Pocket",  # all four have 2: the last by id
        "vendor:quiet-works": "Quiet Works",
        "occupation:43-4051.00": "Customer Service Representatives",
        "ability:1.A.4.a.1": "Near Vision",
    }
