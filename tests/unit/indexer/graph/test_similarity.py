"""Similarity of conditions: the formula by hand, and properties that hold for any graph."""

from itertools import chain
from math import log, sqrt
from typing import Any

import pytest

from indexer.content.rows import Link
from indexer.graph.hierarchy import Hierarchy
from indexer.graph.model import EditorialChoices, Graph
from indexer.graph.similarity import DAMPING, MAIN_NEED_FACTOR, SimilarCondition, related_conditions
from tests.support.small_graphs import edge, entity, graph_of


def graph(
    has: dict[str, str],
    *,
    inherited: tuple[str, ...] = (),
    names: dict[str, str] | None = None,
    links: tuple[Link, ...] = (),
    main: dict[str, str] | None = None,
) -> Graph:
    """Return conditions with the letters of their limitations; those named in `inherited` inherit theirs."""
    names, main = names or {}, main or {}
    needs = {
        f"disability:{key}": frozenset(f"limitation:{letter}" for letter in letters) for key, letters in main.items()
    }
    conditions = [entity(f"disability:{key}", names.get(key, key)) for key in has]
    limitations = [entity(f"limitation:{letter}") for letter in {*chain.from_iterable(has.values())}]
    bases = dict.fromkeys(inherited, "inherited")
    edges = [
        edge("has_limitation", f"disability:{key}", f"limitation:{letter}", basis=bases.get(key, "source"))
        for key, letters in has.items()
        for letter in letters
    ]
    hierarchy, editorial = Hierarchy.from_links(links), EditorialChoices(main_needs=needs)
    return graph_of([*conditions, *limitations], edges, hierarchy=hierarchy, editorial=editorial)


def test_similarity_is_the_rarity_weighted_overlap() -> None:
    found = related_conditions(graph({"a": "xy", "b": "x", "c": "yz"}))
    common, rare = log(1 + 3 / 2) ** 2, log(1 + 3 / 1) ** 2  # x and y: two of three conditions; z: one
    to_b, to_c = found["disability:a"]
    assert (to_b.disability, to_c.disability) == ("disability:b", "disability:c")
    assert to_b.score == pytest.approx(common / (sqrt(2 * common * common) + DAMPING))
    assert to_c.score == pytest.approx(common / (sqrt(2 * common * (common + rare)) + DAMPING))
    assert to_c.score == pytest.approx(0.1629, abs=1e-4)


def test_shared_limitations_are_sorted_by_their_share_of_the_score() -> None:
    found = related_conditions(graph({"a": "xyz", "b": "xyz", "c": "x"}))
    (first, *_) = found["disability:a"]
    # three conditions have x, two have y and z: y precedes z by id
    assert [limitation for limitation, _ in first.shared] == ["limitation:y", "limitation:z", "limitation:x"]
    assert sum(part for _, part in first.shared) == pytest.approx(first.score)
    assert first.shared[0][1] == first.shared[1][1] > first.shared[2][1]


def test_more_shared_limitations_give_a_higher_similarity() -> None:
    few = related_conditions(graph({"a": "x", "b": "x"}))["disability:a"][0].score
    many = related_conditions(graph({"a": "xyzuvw", "b": "xyzuvw"}))["disability:a"][0].score
    weight = log(1 + 2 / 2) ** 2
    assert few == pytest.approx(weight / (weight + DAMPING))
    assert many == pytest.approx(6 * weight / (6 * weight + DAMPING))


def test_conditions_without_shared_limitations_are_not_related() -> None:
    assert related_conditions(graph({"a": "x", "b": "y"})) == {"disability:a": [], "disability:b": []}


def test_a_shared_rare_limitation_counts_more_than_a_shared_common_one() -> None:
    found = related_conditions(graph({"a": "xy", "rare": "xz", "common": "yz", "d": "y", "e": "y"}))
    first, second = found["disability:a"][:2]
    assert [first.disability, first.shared[0][0]] == ["disability:rare", "limitation:x"]
    assert first.score > second.score


def test_a_main_need_of_both_gives_a_higher_similarity() -> None:
    has = {"a": "xy", "b": "xz", "c": "yz"}
    found = related_conditions(graph(has, main={"a": "x", "b": "x", "c": "z"}))
    weight = log(1 + 3 / 2) ** 2
    to_b, to_c = found["disability:a"]
    assert (to_b.disability, to_c.disability) == ("disability:b", "disability:c")
    length = (MAIN_NEED_FACTOR**2 + 1) * weight
    assert to_b.score == pytest.approx(MAIN_NEED_FACTOR**2 * weight / (length + DAMPING))
    assert to_c.score == pytest.approx(weight / (length + DAMPING))


def parts(found: dict[str, list[SimilarCondition]], key: str) -> dict[str, Any]:
    """Return the shared limitations of a condition by the key of each related condition."""
    return {match.disability.partition(":")[2]: dict(match.shared) for match in found[f"disability:{key}"]}


def link(edge: str, source: str, target: str, weight: float | None = None) -> Link:
    return Link(edge, f"limitation:{source}", target, "editorial", (), weight)


# x, y and z are narrower than w; x and y limit the same ability, z another
BRANCH = (
    *(link("broader", kind, "limitation:w") for kind in "xyz"),
    link("limits", "x", "ability:hearing", 1.0),
    link("limits", "y", "ability:hearing", 0.5),
    link("limits", "z", "ability:voice", 1.0),
)


def test_similar_limitations_count_under_their_common_ancestor() -> None:
    found = related_conditions(graph({"deaf": "x", "hard": "y", "mute": "z"}, links=BRANCH))
    weight = log(1 + 3 / 1) ** 2
    for condition, other in (("deaf", "hard"), ("hard", "deaf")):
        assert parts(found, condition) == {other: {"limitation:w": pytest.approx(weight / (weight + DAMPING))}}
    assert parts(found, "mute") == {}


def test_each_limitation_is_paired_once() -> None:
    found = related_conditions(graph({"a": "x", "b": "xy", "c": "y"}, links=BRANCH))
    weight = log(1 + 3 / 2) ** 2
    assert parts(found, "a") == {
        "b": {"limitation:x": pytest.approx(weight / (sqrt(2) * weight + DAMPING))},
        "c": {"limitation:w": pytest.approx(weight / (weight + DAMPING))},
    }


@pytest.mark.parametrize(
    ("has", "links", "pairs"),
    [
        ({"a": "xyz", "b": "xw", "c": "wvz", "d": "v"}, (), 8),
        ({"a": "xyz", "b": "xw", "c": "wvz", "d": "vy", "e": "yz"}, BRANCH, 20),
    ],
)
def test_similarity_and_shared_limitations_are_symmetric(
    has: dict[str, str], links: tuple[Link, ...], pairs: int
) -> None:
    found = related_conditions(graph(has, links=links))
    shared = {(condition, match.disability): match.shared for condition, matches in found.items() for match in matches}
    scores = {(condition, match.disability): match.score for condition, matches in found.items() for match in matches}
    assert len(shared) == pairs
    assert all(shared[second, first] == parts for (first, second), parts in shared.items())
    assert all(scores[second, first] == pytest.approx(score) for (first, second), score in scores.items())


def test_conditions_that_only_inherit_limitations_are_ignored() -> None:
    found = related_conditions(graph({"a": "xy", "child": "xy", "b": "x"}, inherited=("child",)))
    assert set(found) == {"disability:a", "disability:b"}
    assert [match.disability for match in found["disability:a"]] == ["disability:b"]
    # and its limitations do not become more common
    assert found == related_conditions(graph({"a": "xy", "b": "x"}))


def test_equally_similar_conditions_are_sorted_by_name_then_by_id() -> None:
    names = {"b": "Zoster", "c": "anemia", "d": "Anemia"}
    found = related_conditions(graph({"a": "x", "b": "x", "c": "x", "d": "x"}, names=names))
    assert [match.disability for match in found["disability:a"]] == ["disability:c", "disability:d", "disability:b"]


def test_at_most_fifty_conditions_are_related() -> None:
    found = related_conditions(graph({f"{number:02}": "x" for number in range(60)}))
    others = [match.disability for match in found["disability:00"]]
    assert others == [f"disability:{number:02}" for number in range(1, 51)]
