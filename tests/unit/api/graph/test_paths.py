"""Which paths are found and in which order: exact on the fixture graph, and compared with an exhaustive search."""

import math
from collections.abc import Iterator
from itertools import pairwise

import pytest

from api.graph.paths import Neighborhood, Path, PathEndpoints, PathStep, select_paths
from indexer.content.rows import Content, Entity
from indexer.content.rows import Link as Row
from indexer.documents.adjacency import pack_adjacency
from indexer.graph.build import build_graph
from indexer.graph.model import Graph
from schema.vocabulary import Vocabulary

STARTS = [
    "vendor:quiet-works",
    "disability:low-vision",
    "occupation:15-1252.00",
    "limitation:blind",
    "solution:telework",
]


def neighborhoods_of(graph: Graph, vocabulary: Vocabulary) -> dict[str, Neighborhood]:
    return {node: Neighborhood.unpack(pack_adjacency(graph, vocabulary, node)) for node in graph.nodes}


def find_paths(neighborhoods: dict[str, Neighborhood], vocabulary: Vocabulary, start: str, end: str) -> list[Path]:
    endpoints = PathEndpoints(start, end, neighborhoods[start].steps, neighborhoods[end].steps, vocabulary.inverses)
    inner = {node: neighborhood for node, neighborhood in neighborhoods.items() if node not in {start, end}}
    shared = {node: neighborhood for node, neighborhood in inner.items() if node in endpoints.start_steps}
    return [*endpoints.short_paths(), *endpoints.long_paths(shared, inner)]


def simple_paths(
    neighborhoods: dict[str, Neighborhood], start: str, end: str, max_steps: int
) -> Iterator[tuple[str, ...]]:
    """Yield the nodes of every simple path of up to `max_steps` steps, by exhaustive search."""
    stack: list[tuple[str, ...]] = [(start,)]
    while stack:
        nodes = stack.pop()
        for node in neighborhoods[nodes[-1]].steps:
            if node == end:
                yield (*nodes, node)
            elif len(nodes) < max_steps and node not in nodes:
                stack.append((*nodes, node))


@pytest.mark.parametrize("start", STARTS)
def test_finds_every_short_path_and_the_best_of_four_steps_through_each_bridging_entity(
    graph: Graph, vocabulary: Vocabulary, start: str
) -> None:
    neighborhoods = neighborhoods_of(graph, vocabulary)
    for end in graph.nodes:
        if end == start:
            continue
        paths = find_paths(neighborhoods, vocabulary, start, end)
        nodes = [path.nodes for path in paths]
        assert len(set(nodes)) == len(nodes)
        expected = set(simple_paths(neighborhoods, start, end, 4))
        assert {path for path in nodes if len(path) < 5} == {path for path in expected if len(path) < 5}
        longest = [path for path in nodes if len(path) == 5]
        assert sorted(path[2] for path in longest) == sorted({path[2] for path in expected if len(path) == 5})
        assert set(longest) <= expected


def test_each_step_is_an_edge_of_the_graph(graph: Graph, vocabulary: Vocabulary) -> None:
    neighborhoods = neighborhoods_of(graph, vocabulary)
    for path in find_paths(neighborhoods, vocabulary, "vendor:quiet-works", "disability:low-vision"):
        for (start, end), step in zip(pairwise(path.nodes), path.steps, strict=True):
            (edge,) = (edge for edge in graph.edges_named(start, step.edge) if edge.target == end)
            assert (step.weight, step.basis, tuple(step.sources)) == (edge.weight, edge.basis, edge.sources)


def test_the_score_of_a_path_is_the_product_of_its_steps(graph: Graph, vocabulary: Vocabulary) -> None:
    neighborhoods = neighborhoods_of(graph, vocabulary)
    first, *_ = select_paths(find_paths(neighborhoods, vocabulary, "vendor:quiet-works", "solution:checklists"), 1)
    assert [step.edge for step in first.steps] == ["sells", "implements"]
    # one of the two products that the vendor sells; the only product of a strategy; mainstream products count half
    score = math.sqrt(1 / (2 * 1)) * math.sqrt(0.5 / (1 * 1)) * 0.25
    assert first.score == pytest.approx(score, rel=1e-3)


@pytest.mark.parametrize("start", STARTS[:3])
def test_both_directions_find_the_same_paths(graph: Graph, vocabulary: Vocabulary, start: str) -> None:
    neighborhoods = neighborhoods_of(graph, vocabulary)
    path, *_ = find_paths(neighborhoods, vocabulary, start, "limitation:memory-loss")
    reverse = path.reverse(vocabulary.inverses)
    assert reverse.nodes == path.nodes[::-1]
    assert reverse.reverse(vocabulary.inverses) == path
    assert reverse in find_paths(neighborhoods, vocabulary, "limitation:memory-loss", start)


def test_a_path_through_a_rare_entity_ranks_before_one_through_a_hub(vocabulary: Vocabulary) -> None:
    conditions = [f"disability:{n}" for n in range(50)]
    nodes = [*conditions, "limitation:rare", "limitation:usual"]
    rows = [Row("has_limitation", node, "limitation:usual", "source", (), 0.9) for node in conditions]
    rows += [Row("has_limitation", node, "limitation:rare", "source", (), 0.2) for node in conditions[:2]]
    entities = tuple(Entity(node, node.partition(":")[0], node, node, "", "", "", ()) for node in nodes)
    content = Content((), entities, (), tuple(rows), (), (), (), {}, "1+0")
    neighborhoods = neighborhoods_of(build_graph(content, vocabulary), vocabulary)
    selected = select_paths(find_paths(neighborhoods, vocabulary, conditions[0], conditions[1]), 2)
    assert [path.nodes[1] for path in selected] == ["limitation:rare", "limitation:usual"]


def path(score: float, *middle: str) -> Path:
    step = PathStep("sells", 1.0, "source", (), 1.0)
    return Path(("a", *middle, "b"), (step,) * (len(middle) + 1), score)


def test_results_do_not_repeat_entities() -> None:
    paths = [path(0.8, "x", "one"), path(0.7, "x", "two"), path(0.6, "x", "three"), path(0.5, "y"), path(0.1)]
    selected = [path(0.8, "x", "one"), path(0.5, "y"), path(0.35, "x", "two"), path(0.15, "x", "three"), path(0.1)]
    assert select_paths(paths, 9) == selected


@pytest.mark.parametrize("limit", range(1, 6))
def test_a_smaller_limit_returns_the_first_results(limit: int) -> None:
    paths = [path(0.8, "x", "one"), path(0.7, "x", "two"), path(0.7, "x", "six"), path(0.5, "y"), path(0.5, "z")]
    selected = select_paths(paths, limit)
    assert selected == select_paths(paths, 5)[:limit] == select_paths(paths[::-1], limit)


def test_paths_with_equal_scores_are_ordered_by_length_then_id() -> None:
    paths = [path(0.5, "b", "c"), path(0.5, "d"), path(0.5, "a")]
    assert select_paths(paths, 3) == paths[::-1]


def test_inherited_steps_do_not_replace_direct_ones() -> None:
    direct = PathStep("broader", 1.0, "source", ("atlas",), 0.5)
    helped = PathStep("recommends", 0.8, "source", ("jan",), 0.4)
    sold = PathStep("related", 1.0, "source", ("jan",), 0.9)
    weaker = helped._replace(factor=0.1)
    narrow = Neighborhood({"disability:main": direct}, is_complete=True, parents=("disability:main", "disability:x"))
    parents = [
        Neighborhood({"solution:a": weaker, "vendor:x": sold, "disability:main": helped}, is_complete=True),
        Neighborhood({"solution:a": helped}, is_complete=False),
    ]
    merged = narrow.inherit(parents)
    assert merged.steps == {"disability:main": direct, "solution:a": helped._replace(basis="inherited")}
    assert (merged.is_complete, merged.parents) == (False, narrow.parents)
