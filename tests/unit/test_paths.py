"""Which paths are found and in which order: exact on the small world, and against a plain search of all there are."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from api.paths import Around, Ends, Link, Path, best
from indexer.graph import build_graph
from indexer.reach import reach
from indexer.rows import Content, Entity
from indexer.rows import Link as Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.graph import Graph
    from indexer.vocabulary import Vocabulary

STARTS = [
    "vendor:quiet-works",
    "disability:low-vision",
    "occupation:15-1252.00",
    "limitation:blind",
    "solution:telework",
]


def everything(graph: Graph, vocabulary: Vocabulary) -> dict[str, Around]:
    return {node: Around.of(reach(graph, vocabulary, node)) for node in graph.nodes}


def ends_of(around: dict[str, Around], vocabulary: Vocabulary, start: str, end: str) -> Ends:
    inverses = {name: kind.inverse for name, kind in vocabulary.edges.items()}
    return Ends(start, end, around[start].links, around[end].links, inverses)


def found(around: dict[str, Around], vocabulary: Vocabulary, start: str, end: str) -> list[Path]:
    """All paths, were the engine to return everything."""
    ends = ends_of(around, vocabulary, start, end)
    others = {node: one for node, one in around.items() if node not in {start, end}}
    return [*ends.short(), *ends.long({node: one for node, one in others.items() if node in ends.near_start}, others)]


def walks(around: dict[str, Around], start: str, end: str, most: int) -> Iterator[tuple[str, ...]]:
    """Every simple path of up to `most` steps, by trying all."""
    waiting: list[tuple[str, ...]] = [(start,)]
    while waiting:
        walk = waiting.pop()
        for node in around[walk[-1]].links:
            if node == end:
                yield (*walk, node)
            elif len(walk) < most and node not in walk:
                waiting.append((*walk, node))


@pytest.mark.parametrize("start", STARTS)
def test_every_short_path_is_found_and_the_best_of_four_steps_through_each_middle(
    graph: Graph, vocabulary: Vocabulary, start: str
) -> None:
    around = everything(graph, vocabulary)
    for end in graph.nodes:
        if end == start:
            continue
        paths = found(around, vocabulary, start, end)
        nodes = [path.nodes for path in paths]
        assert len(set(nodes)) == len(nodes)
        there = set(walks(around, start, end, 4))
        assert {one for one in nodes if len(one) < 5} == {one for one in there if len(one) < 5}
        four = [one for one in nodes if len(one) == 5]
        assert sorted(one[2] for one in four) == sorted({one[2] for one in there if len(one) == 5})
        assert set(four) <= there


def test_each_step_is_an_edge_of_the_graph_as_it_is_named_there(graph: Graph, vocabulary: Vocabulary) -> None:
    around = everything(graph, vocabulary)
    for path in found(around, vocabulary, "vendor:quiet-works", "disability:low-vision"):
        for (one, other), link in zip(pairwise(path.nodes), path.links, strict=True):
            (edge,) = (edge for edge in graph.of(one, link.edge) if edge.target == other)
            assert (link.weight, link.basis, tuple(link.sources)) == (edge.weight, edge.basis, edge.sources)


def test_a_path_is_worth_the_product_of_its_steps(graph: Graph, vocabulary: Vocabulary) -> None:
    around = everything(graph, vocabulary)
    first, *_ = best(found(around, vocabulary, "vendor:quiet-works", "solution:checklists"), 1)
    assert [link.edge for link in first.links] == ["sells", "implements"]
    # one of the two products that the vendor sells; the only product of a strategy, and goods for everybody count half
    worth = math.sqrt(1 / (2 * 1)) * math.sqrt(0.5 / (1 * 1)) * 0.25
    assert first.score == pytest.approx(worth, rel=1e-3)


@pytest.mark.parametrize("start", STARTS[:3])
def test_from_the_other_end_the_paths_are_the_same(graph: Graph, vocabulary: Vocabulary, start: str) -> None:
    around = everything(graph, vocabulary)
    inverses = {name: kind.inverse for name, kind in vocabulary.edges.items()}
    path, *_ = found(around, vocabulary, start, "limitation:memory-loss")
    turned = path.turned(inverses)
    assert turned.nodes == path.nodes[::-1]
    assert turned.turned(inverses) == path
    assert turned in found(around, vocabulary, "limitation:memory-loss", start)


def test_a_telling_way_comes_before_one_through_what_everybody_has(vocabulary: Vocabulary) -> None:
    conditions = [f"disability:{n}" for n in range(50)]
    nodes = [*conditions, "limitation:rare", "limitation:usual"]
    rows = [Row("has_limitation", node, "limitation:usual", "source", (), 0.9) for node in conditions]
    rows += [Row("has_limitation", node, "limitation:rare", "source", (), 0.2) for node in conditions[:2]]
    entities = tuple(Entity(node, node.partition(":")[0], node, node, "", "", "", ()) for node in nodes)
    content = Content((), entities, (), tuple(rows), (), (), (), {}, "1+0")
    around = everything(build_graph(content, vocabulary), vocabulary)
    chosen = best(found(around, vocabulary, conditions[0], conditions[1]), 2)
    assert [path.nodes[1] for path in chosen] == ["limitation:rare", "limitation:usual"]


def path(score: float, *middle: str) -> Path:
    link = Link("sells", 1.0, "source", (), 1.0)
    return Path(("a", *middle, "b"), tuple(link for _ in range(len(middle) + 1)), score)


def test_each_result_is_another_explanation() -> None:
    paths = [path(0.8, "x", "one"), path(0.7, "x", "two"), path(0.6, "x", "three"), path(0.5, "y"), path(0.1)]
    assert [(one.nodes[1:-1], one.score) for one in best(paths, 9)] == [
        (("x", "one"), 0.8),
        (("y",), 0.5),
        (("x", "two"), 0.35),
        (("x", "three"), 0.15),
        ((), 0.1),
    ]


@pytest.mark.parametrize("limit", range(1, 6))
def test_fewer_results_are_the_first_of_more(limit: int) -> None:
    paths = [path(0.8, "x", "one"), path(0.7, "x", "two"), path(0.7, "x", "six"), path(0.5, "y"), path(0.5, "z")]
    assert best(paths, limit) == best(paths, 5)[:limit]
    assert best(paths[::-1], limit) == best(paths, limit)


def test_equals_stand_by_length_and_then_by_id() -> None:
    paths = [path(0.5, "b", "c"), path(0.5, "d"), path(0.5, "a")]
    assert [one.nodes[1:-1] for one in best(paths, 3)] == [("a",), ("d",), ("b", "c")]


def test_what_is_inherited_is_followed_and_what_is_its_own_stays() -> None:
    own = Link("broader", 1.0, "source", ("atlas",), 0.5)
    helped, sold = Link("recommends", 0.8, "source", ("jan",), 0.4), Link("related", 1.0, "source", ("jan",), 0.9)
    weaker = helped._replace(worth=0.1)
    heir = Around({"disability:main": own}, whole=True, heir_of=("disability:main", "disability:other"))
    speakers = [
        Around({"solution:a": weaker, "vendor:x": sold, "disability:main": helped}, whole=True),
        Around({"solution:a": helped}, whole=False),
    ]
    found = heir.inheriting(speakers)
    assert found.links == {"disability:main": own, "solution:a": helped._replace(basis="inherited")}
    assert (found.whole, found.heir_of) == (False, heir.heir_of)
