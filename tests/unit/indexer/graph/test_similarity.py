"""Statistics of limitations: rarity by hand, similar ones with their common ancestor, and what does not count."""

from itertools import chain
from math import log

import pytest

from indexer.content.rows import Link
from indexer.graph.hierarchy import SIMILARITY_THRESHOLD, Hierarchy
from indexer.graph.model import Graph
from indexer.graph.similarity import LimitationStatistics, SimilarLimitation, limitation_statistics
from tests.support.small_graphs import edge, entity, graph_of


def graph(has: dict[str, str], *, inherited: tuple[str, ...] = (), links: tuple[Link, ...] = ()) -> Graph:
    """Return conditions with the letters of their limitations; those named in `inherited` inherit theirs."""
    conditions = [entity(f"disability:{key}") for key in has]
    limitations = [entity(f"limitation:{letter}") for letter in {*chain.from_iterable(has.values())}]
    bases = dict.fromkeys(inherited, "inherited")
    edges = [
        edge("has_limitation", f"disability:{key}", f"limitation:{letter}", basis=bases.get(key, "source"))
        for key, letters in has.items()
        for letter in letters
    ]
    return graph_of([*conditions, *limitations], edges, hierarchy=Hierarchy.from_links(links))


def rarities(found: dict[str, LimitationStatistics]) -> dict[str, float]:
    return {key.partition(":")[2]: statistics.rarity for key, statistics in found.items()}


def similar(found: dict[str, LimitationStatistics]) -> dict[str, list[tuple[str, float, str]]]:
    """Return the similar limitations of each limitation, by the letters of both and of their common ancestor."""
    return {
        key.partition(":")[2]: [(it.id[-1], it.similarity, it.common_ancestor[-1]) for it in statistics.similar]
        for key, statistics in found.items()
    }


def test_a_limitation_of_few_conditions_is_rare() -> None:
    found = limitation_statistics(graph({"a": "xy", "b": "x", "c": "yz"}))
    assert rarities(found) == {"x": log(1 + 3 / 2), "y": log(1 + 3 / 2), "z": log(1 + 3)}
    assert similar(found) == {"x": [], "y": [], "z": []}


def test_a_limitation_of_no_condition_has_no_statistics() -> None:
    without = graph_of(["disability:a", "limitation:x", "solution:s"])
    assert limitation_statistics(without) == {}


def test_inherited_limitations_do_not_count() -> None:
    found = limitation_statistics(graph({"a": "xy", "child": "xyz", "b": "x"}, inherited=("child",)))
    assert found == limitation_statistics(graph({"a": "xy", "b": "x"}))
    assert rarities(found) == {"x": log(2), "y": log(3)}  # and nobody has z


def link(edge: str, source: str, target: str, weight: float | None = None) -> Link:
    return Link(edge, f"limitation:{source}", target, "editorial", (), weight)


# x, y and z are narrower than w; x and y limit the same ability, z another
BRANCH = (
    *(link("broader", kind, "limitation:w") for kind in "xyz"),
    link("limits", "x", "ability:hearing", 1.0),
    link("limits", "y", "ability:hearing", 0.5),
    link("limits", "z", "ability:voice", 1.0),
)


def test_limitations_of_the_same_abilities_are_similar_to_each_other() -> None:
    found = limitation_statistics(graph({"deaf": "x", "hard": "y", "mute": "z"}, links=BRANCH))
    assert found["limitation:x"] == LimitationStatistics(
        log(4), (SimilarLimitation("limitation:y", 1.0, "limitation:w"),)
    )
    assert similar(found) == {"x": [("y", 1.0, "w")], "y": [("x", 1.0, "w")], "z": []}


def test_a_limitation_that_no_condition_states_is_not_similar_to_any() -> None:
    found = limitation_statistics(graph({"deaf": "x", "hard": "y"}, inherited=("hard",), links=BRANCH))
    assert similar(found) == {"x": []}


def test_a_limitation_may_be_its_own_common_ancestor() -> None:
    links = (
        link("broader", "x", "limitation:y"),
        *(link("limits", key, "ability:hearing", 1.0) for key in "xy"),
    )
    found = limitation_statistics(graph({"deaf": "x", "hard": "y"}, links=links))
    assert similar(found) == {"x": [("y", 1.0, "y")], "y": [("x", 1.0, "y")]}


@pytest.mark.parametrize(("voice", "count"), [(0.9, 1), (1.1, 0)])
def test_similarity_below_the_threshold_is_left_out(voice: float, count: int) -> None:
    links = (*BRANCH, link("limits", "y", "ability:voice", voice / 2))
    found = limitation_statistics(graph({"deaf": "x", "hard": "y"}, links=links))
    assert len(found["limitation:x"].similar) == count
    assert all(it.similarity >= SIMILARITY_THRESHOLD for it in found["limitation:x"].similar)


def test_similar_limitations_without_a_common_ancestor_are_left_out() -> None:
    links = tuple(link("limits", key, "ability:hearing", 1.0) for key in "xy")
    assert similar(limitation_statistics(graph({"deaf": "x", "hard": "y"}, links=links))) == {"x": [], "y": []}


def test_similarity_is_symmetric() -> None:
    links = (
        *(link("broader", kind, "limitation:w") for kind in "xyzv"),
        *(link("limits", kind, "ability:hearing", 1.0) for kind in "xyzv"),
        *(link("limits", kind, "ability:voice", 0.3) for kind in "xz"),
    )
    found = limitation_statistics(graph({"a": "xyz", "b": "xw", "c": "wvz", "d": "vy", "e": "yz"}, links=links))
    pairs = {(key, it.id): (it.similarity, it.common_ancestor) for key, own in found.items() for it in own.similar}
    assert len(pairs) == 12  # of four limitations; w limits nothing
    assert all(pairs[second, first] == value for (first, second), value in pairs.items())
