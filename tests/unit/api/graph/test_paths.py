"""Which paths are found and in which order: exact on the fixture graph, and compared with an exhaustive search."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from api.graph.paths import (
    DETOUR_FACTOR,
    MAX_EDGES,
    Candidate,
    Intermediate,
    Links,
    Neighborhood,
    Path,
    PathEndpoints,
    PathStep,
    links,
    select_paths,
    stated_links,
)
from indexer.content.rows import Link
from indexer.documents.builder import build_documents
from indexer.graph.model import Graph
from schema.vocabulary import Vocabulary
from tests.support.listings import all_edges, condition, edge_to
from tests.support.small_graphs import built
from tests.support.written_documents import Written

MAX_LIMIT = 20  # results
STARTS = [
    "vendor:quiet-works",
    "disability:low-vision",
    "occupation:15-1252.00",
    "limitation:blind",
    "solution:telework",
]


@dataclass(frozen=True, slots=True)
class World:
    """All documents of a graph: the steps from each entity, and the links of its neighbors."""

    neighborhoods: Mapping[str, Neighborhood]
    links: Mapping[str, Links]
    inverses: Mapping[str, str]

    @staticmethod
    def of(documents: Mapping[str, Mapping[str, Any]], vocabulary: Vocabulary) -> "World":
        """Read the documents that a build writes."""
        edges = all_edges(documents.values())
        entities = {node: body for node, body in documents.items() if body["doc"] == "entity"}
        totals = {node: {name: len(named) for name, named in by_name.items()} for node, by_name in edges.items()}
        neighborhoods = {node: Neighborhood.parse(edges.get(node, {}), totals.get(node, {})) for node in entities}
        linked = {node: stated_links(body) for node, body in entities.items()}
        return World(neighborhoods, linked, vocabulary.inverses)

    def find_paths(self, start: str, end: str) -> list[Path]:
        """Return the paths between two entities, with all others between them."""
        near, far = (self.neighborhoods[node].steps for node in (start, end))
        endpoints = PathEndpoints(start, end, near, far, self.inverses)
        inner = {node: linked for node, linked in self.links.items() if node not in {start, end}}
        candidates = endpoints.candidates({node: inner[node] for node in inner if node in near}, inner)
        steps = {
            (first, second): step
            for candidate in candidates
            for first, second in candidate.pairs
            if (step := self.neighborhoods[first].steps.get(second))
        }
        return [*endpoints.short_paths(), *endpoints.long_paths(candidates, steps)]


@pytest.fixture(scope="module")
def world(written: Written, vocabulary: Vocabulary) -> World:
    return World.of(written, vocabulary)


def simple_paths(
    neighborhoods: Mapping[str, Neighborhood], start: str, end: str, max_steps: int
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
    world: World, start: str
) -> None:
    for end in world.neighborhoods:
        if end == start:
            continue
        paths = world.find_paths(start, end)
        nodes = [path.nodes for path in paths]
        assert len(set(nodes)) == len(nodes)
        expected = set(simple_paths(world.neighborhoods, start, end, 4))
        assert {path for path in nodes if len(path) < 5} == {path for path in expected if len(path) < 5}
        longest = [path for path in nodes if len(path) == 5]
        assert sorted(path[2] for path in longest) == sorted({path[2] for path in expected if len(path) == 5})
        assert set(longest) <= expected


def test_each_step_is_an_edge_of_the_graph(graph: Graph, world: World) -> None:
    for path in world.find_paths("vendor:quiet-works", "disability:low-vision"):
        for (start, end), step in zip(pairwise(path.nodes), path.steps, strict=True):
            (edge,) = (edge for edge in graph.edges_named(start, step.edge) if edge.target == end)
            assert (step.weight, step.basis, step.sources) == (edge.weight, edge.basis, [*edge.sources])


def test_the_score_of_a_path_is_the_product_of_its_steps(world: World) -> None:
    first, *_ = select_paths(world.find_paths("vendor:quiet-works", "solution:checklists"), 1)
    assert [step.edge for step in first.steps] == ["sells", "implements"]
    # one of the two products that the vendor sells; the only product of a strategy; mainstream products count half
    score = math.sqrt(1 / (2 * 1)) * math.sqrt(0.5 / (1 * 1)) * 0.25
    assert first.score == pytest.approx(score, rel=1e-3)


@pytest.mark.parametrize("start", STARTS[:3])
def test_both_directions_find_the_same_paths(world: World, start: str) -> None:
    path, *_ = world.find_paths(start, "limitation:memory-loss")
    reverse = path.reverse(world.inverses)
    assert reverse.nodes == path.nodes[::-1]
    assert reverse.reverse(world.inverses) == path
    assert reverse in world.find_paths("limitation:memory-loss", start)


def test_a_path_through_a_rare_entity_ranks_before_one_through_a_hub(vocabulary: Vocabulary) -> None:
    conditions = [f"disability:{n}" for n in range(50)]
    nodes = [*conditions, "limitation:rare", "limitation:usual"]
    links = [Link("has_limitation", node, "limitation:usual", "source", (), 0.9) for node in conditions]
    links += [Link("has_limitation", node, "limitation:rare", "source", (), 0.2) for node in conditions[:2]]
    documents = dict(build_documents(built(vocabulary, nodes, links=tuple(links)), vocabulary))
    selected = select_paths(World.of(documents, vocabulary).find_paths(conditions[0], conditions[1]), 2)
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


# The neighborhood of an entity


def test_a_step_is_worth_its_weight_among_the_edges_at_both_ends() -> None:
    edge = edge_to("solution:a", 0.5, target_total=4, basis="derived", sources=["atlas"])
    step = PathStep.parse("recommends", edge, 2)
    assert step == PathStep("recommends", 0.5, "derived", ["atlas"], math.sqrt(0.5 / (2 * 4)))


def test_a_neighborhood_has_the_best_step_to_each_neighbor() -> None:
    near, far = edge_to("solution:a", 0.9, target_total=1), edge_to("solution:a", 0.9, target_total=9)
    edges = {"broader": [far], "recommends": [near, edge_to("solution:b", 0.4)], "narrower": [far]}
    found = Neighborhood.parse(edges, {"broader": 1, "recommends": 2, "narrower": 1})
    assert {node: (step.edge, step.factor) for node, step in found.steps.items()} == {
        "solution:a": ("recommends", math.sqrt(0.9 / 2)),
        "solution:b": ("recommends", math.sqrt(0.4 / 2)),
    }
    assert found.edges["solution:a"] is near
    assert found.is_complete


def test_an_entity_without_edges_has_an_empty_neighborhood() -> None:
    assert Neighborhood.parse({}, {}) == Neighborhood({}, {}, is_complete=True)


@pytest.mark.parametrize(("total", "is_complete"), [(MAX_EDGES, True), (MAX_EDGES + 1, False)])
def test_of_a_hub_only_the_strongest_edges_of_each_name_are_followed(total: int, *, is_complete: bool) -> None:
    edges = [edge_to(f"product:{number}") for number in range(total)]
    found = Neighborhood.parse({"sells": edges, "sold_by": [edge_to("vendor:v")]}, {"sells": total, "sold_by": 1})
    assert (len(found.steps), found.is_complete) == (MAX_EDGES + 1, is_complete)
    assert found.steps["product:0"].factor == math.sqrt(1 / total)  # the total counts the others too


def test_inherited_steps_do_not_replace_direct_ones() -> None:
    own = edge_to("disability:main", target_total=3, sources=["atlas"])
    narrow = Neighborhood.parse({"broader": [own]}, {"broader": 1})
    helped, weaker = edge_to("solution:a", 0.8, sources=["jan"]), edge_to("solution:a", 0.2)
    parents = [
        condition(
            "disability:main",
            edges={
                "recommends": [weaker, edge_to("disability:main", 0.9)],
                "narrower": [edge_to("disability:kind")],  # not inherited
                "has_limitation": [edge_to("limitation:l", 0.5), edge_to("limitation:m", 0.5)],
            },
        ),
        condition("disability:other", edges={"recommends": [helped]}),
    ]
    merged = narrow.inherit(parents)
    half = math.sqrt(0.5 / 2)
    assert merged.steps == {
        "disability:main": narrow.steps["disability:main"],
        "solution:a": PathStep("recommends", 0.8, "inherited", ["jan"], math.sqrt(0.8)),
        "limitation:l": PathStep("has_limitation", 0.5, "inherited", (), half),
        "limitation:m": PathStep("has_limitation", 0.5, "inherited", (), half),
    }
    assert merged.edges["solution:a"] is helped
    assert merged.edges["disability:main"] is own
    assert merged.is_complete
    assert narrow.inherit([]) == narrow


def test_the_stated_links_of_an_entity_omit_what_it_inherits() -> None:
    own = {"has_limitation": ["limitation:l"], "broader": ["disability:a", "disability:b"]}
    half = dict.fromkeys(["disability:a", "disability:b"], math.sqrt(0.5))
    assert stated_links(own) == pytest.approx({"limitation:l": 1.0, **half})
    assert stated_links({**own, "inherits_from": ["disability:a"]}) == pytest.approx(half)
    assert stated_links({**own, "entity": ["disability:b"], "type": "disability"}) == stated_links(own)


def test_a_link_to_an_entity_that_two_edges_lead_to_is_that_of_the_rarer_name() -> None:
    assert links({"out": ["a"], "in": ["a", "b"]}) == links({"in": ["a", "b"], "out": ["a"]})
    assert links({"out": ["a"], "in": ["a", "b"]})["a"] == 1.0


def test_an_intermediate_entity_has_all_its_edges() -> None:
    edges = {
        "limits": [edge_to(f"ability:{number}") for number in range(MAX_EDGES + 1)],
        "broader": [edge_to("limitation:b")],
    }
    found = Intermediate.parse(edges)
    assert found.steps.keys() == found.links.keys() == {*(edge["target"] for edge in edges["limits"]), "limitation:b"}
    assert found.steps["ability:0"].factor == found.links["ability:0"] == pytest.approx(math.sqrt(1 / (MAX_EDGES + 1)))


# Longer paths: from the start s to the end e, whose neighbors are a to d and w to z

INVERSES = {"out": "in", "in": "out"}


def steps(**factors: float) -> dict[str, PathStep]:
    return {node: PathStep("out", 1.0, "source", (), factor) for node, factor in factors.items()}


def linked(arrays: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, Links]:
    """Return the links of these entities, from the targets of their edges by name."""
    return {node: links(by_name) for node, by_name in arrays.items()}


def ends(near: dict[str, float], far: dict[str, float]) -> PathEndpoints:
    return PathEndpoints("s", "e", steps(**near), steps(**far), INVERSES)


def test_a_shared_neighbor_is_followed_to_every_neighbor_of_the_end() -> None:
    endpoints = ends({"a": 0.5, "b": 0.5}, {"x": 0.9, "y": 0.1, "a": 0.5})
    shared = {"a": {"out": ["x", "y", "s", "e", "unrelated"]}, "b": {"out": ["a"], "in": ["x"]}}
    assert endpoints.candidates(linked(shared), {}) == [
        Candidate((("b", "x"),)),  # the only edge of its name
        Candidate((("b", "a"),)),
        Candidate((("a", "x"),)),  # one of five
        Candidate((("a", "y"),)),
    ]


def test_an_entity_between_the_ends_is_followed_to_its_best_neighbor_of_each() -> None:
    endpoints = ends({"a": 0.9, "b": 0.2}, {"x": 0.1, "y": 0.8})
    bridging = {"m": {"in": ["b", "a"], "out": ["x", "y", "e"]}, "n": {"out": ["a"]}, "o": {"out": ["y"]}}
    (candidate,) = endpoints.candidates({}, linked(bridging))
    assert candidate.ways == (("a", "m", "y"), ("b", "m", "y"), ("a", "m", "x"), ("b", "m", "x"))
    assert candidate.pairs == {("m", "a"), ("m", "b"), ("m", "x"), ("m", "y")}


def test_a_path_does_not_pass_an_entity_twice() -> None:
    endpoints = ends({"a": 0.9, "b": 0.2}, {"a": 0.9, "y": 0.1})
    (candidate,) = endpoints.candidates({}, linked({"m": {"out": ["a", "b", "y"]}}))
    assert candidate.ways == (("b", "m", "a"), ("a", "m", "y"), ("b", "m", "y"))  # 0.2 × 0.9, not 0.9 × 0.1
    assert ends({"a": 0.9}, {"a": 0.9}).candidates({}, linked({"m": {"out": ["a"]}})) == []


def test_an_edge_of_a_rarer_name_counts_more() -> None:
    endpoints = ends({"a": 0.5}, {"x": 0.5, "y": 0.5})
    often = ["x", *(f"other-{number}" for number in range(8))]
    (candidate,) = endpoints.candidates({}, linked({"m": {"in": ["a"], "out": often, "broader": ["y"]}}))
    assert candidate.ways[0] == ("a", "m", "y")


def test_shorter_candidates_come_before_longer_ones_of_the_same_strength() -> None:
    endpoints = ends({"a": 0.5}, {"x": 0.5})
    found = endpoints.candidates(linked({"a": {"out": ["x"]}}), linked({"m": {"in": ["a"], "out": ["x"]}}))
    assert [candidate.ways[0] for candidate in found] == [("a", "x"), ("a", "m", "x")]


def test_candidates_come_the_most_promising_first() -> None:
    far = {f"x{number:02}": 1 - number / 100 for number in range(9)}
    found = ends({"a": 0.5}, far).candidates(linked({"a": {"out": sorted(far)}}), {})
    assert [candidate.ways[0][1] for candidate in found] == sorted(far)


def test_of_several_ways_through_an_entity_the_best_counts() -> None:
    endpoints = ends({"a": 0.5, "b": 0.4}, {"x": 0.4})
    weak, strong = (PathStep("out", 0.7, "derived", (), factor) for factor in (0.1, 0.3))
    inner = {("m", "a"): weak, ("m", "b"): strong, ("m", "x"): strong}
    (path,) = endpoints.long_paths([Candidate((("a", "m", "x"), ("b", "m", "x")))], inner)
    assert path.nodes == ("s", "b", "m", "x", "e")


def test_a_long_path_has_the_steps_between_its_inner_entities() -> None:
    endpoints = ends({"a": 0.5}, {"x": 0.4})
    between = PathStep("out", 0.7, "derived", ("atlas",), 0.3)
    back = PathStep("in", 0.6, "derived", ("fair",), 0.2)
    candidates = [
        Candidate((("a", "x"),)),
        Candidate((("a", "m", "x"),)),
        Candidate((("a", "n", "x"),)),  # its second edge was not found
    ]
    inner = {("a", "x"): between, ("m", "a"): back, ("m", "x"): between, ("n", "a"): back}
    three, four = endpoints.long_paths(candidates, inner)
    first, last = endpoints.start_steps["a"], endpoints.end_steps["x"]._replace(edge="in")
    assert (three.nodes, three.steps) == (("s", "a", "x", "e"), (first, between, last))
    assert three.score == pytest.approx(0.5 * 0.3 * 0.4 * DETOUR_FACTOR**2, rel=1e-3)
    assert (four.nodes, four.steps) == (("s", "a", "m", "x", "e"), (first, back._replace(edge="out"), between, last))
    assert four.score == pytest.approx(0.5 * 0.2 * 0.3 * 0.4 * DETOUR_FACTOR**3, rel=1e-3)


def test_short_paths_are_the_edge_between_the_ends_and_shared_neighbors() -> None:
    endpoints = ends({"e": 0.5, "a": 0.4, "b": 0.3}, {"s": 0.5, "a": 0.2, "y": 0.9})
    assert {path.nodes: path.score for path in endpoints.short_paths()} == {
        ("s", "e"): 0.5,
        ("s", "a", "e"): pytest.approx(0.4 * 0.2 * DETOUR_FACTOR),
    }
