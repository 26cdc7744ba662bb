"""Which conditions are alike: the formula by hand, and what must hold for any graph."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import pytest

from indexer.content.rows import Entity, Link
from indexer.graph.hierarchy import Hierarchy
from indexer.graph.model import Edge, EditorialChoices, Graph
from indexer.graph.needs import Listings
from indexer.graph.similarity import DAMPING, MAIN_NEED_FACTOR, SimilarCondition, related_conditions


def graph(
    has: dict[str, str],
    *,
    inherited: tuple[str, ...] = (),
    names: dict[str, str] | None = None,
    links: tuple[Link, ...] = (),
    main: dict[str, str] | None = None,
) -> Graph:
    """Conditions with the letters of their limitations; those named in `inherited` took theirs from another."""
    editorial = EditorialChoices(
        main_needs={
            f"disability:{key}": frozenset(f"limitation:{one}" for one in own) for key, own in (main or {}).items()
        }
    )
    nodes = {f"disability:{key}": (names or {}).get(key, key) for key in has}
    nodes |= {f"limitation:{key}": key for letters in has.values() for key in letters}
    edges = {
        f"disability:{key}": {
            "has_limitation": tuple(
                Edge(
                    "has_limitation",
                    f"disability:{key}",
                    f"limitation:{letter}",
                    1.0,
                    "inherited" if key in inherited else "source",
                    ("atlas",),
                )
                for letter in letters
            )
        }
        for key, letters in has.items()
    }
    entities = {
        node: Entity(node, node.partition(":")[0], node.partition(":")[2], name, "", "", "", ())
        for node, name in nodes.items()
    }
    return Graph(
        entities,
        {},
        edges,
        {},
        {},
        Listings.from_rows(()),
        "1.0.0+0",
        hierarchy=Hierarchy.from_links(links),
        editorial=editorial,
    )


def test_likeness_is_the_rarity_weighted_overlap() -> None:
    found = related_conditions(graph({"a": "xy", "b": "x", "c": "yz"}))
    common, rare = log(1 + 3 / 2) ** 2, log(1 + 3 / 1) ** 2  # x and y: two of three conditions; z: one
    to_b, to_c = found["disability:a"]
    assert (to_b.disability, to_c.disability) == ("disability:b", "disability:c")
    assert to_b.score == pytest.approx(common / (sqrt(2 * common * common) + DAMPING))
    assert to_c.score == pytest.approx(common / (sqrt(2 * common * (common + rare)) + DAMPING))
    assert to_c.score == pytest.approx(0.1629, abs=1e-4)


def test_the_shared_limitations_are_named_most_telling_first_and_add_up() -> None:
    found = related_conditions(graph({"a": "xyz", "b": "xyz", "c": "x"}))
    (first, *_) = found["disability:a"]
    # x is had by three, y and z by two: y before z by id
    assert [limitation for limitation, _ in first.shared] == ["limitation:y", "limitation:z", "limitation:x"]
    assert sum(part for _, part in first.shared) == pytest.approx(first.score)
    assert first.shared[0][1] == first.shared[1][1] > first.shared[2][1]


def test_the_same_limitations_are_the_more_alike_the_more_there_are() -> None:
    few = related_conditions(graph({"a": "x", "b": "x"}))["disability:a"][0].score
    many = related_conditions(graph({"a": "xyzuvw", "b": "xyzuvw"}))["disability:a"][0].score
    weight = log(1 + 2 / 2) ** 2
    assert few == pytest.approx(weight / (weight + DAMPING))
    assert many == pytest.approx(6 * weight / (6 * weight + DAMPING))


def test_nothing_in_common_is_not_offered() -> None:
    assert related_conditions(graph({"a": "x", "b": "y"})) == {"disability:a": [], "disability:b": []}


def test_a_shared_rare_limitation_counts_more_than_a_shared_common_one() -> None:
    found = related_conditions(graph({"a": "xy", "rare": "xz", "common": "yz", "d": "y", "e": "y"}))
    first, second = found["disability:a"][:2]
    assert [first.disability, first.shared[0][0]] == ["disability:rare", "limitation:x"]
    assert first.score > second.score


def test_what_both_are_best_known_for_makes_them_more_alike() -> None:
    has = {"a": "xy", "b": "xz", "c": "yz"}
    found = related_conditions(graph(has, main={"a": "x", "b": "x", "c": "z"}))
    weight = log(1 + 3 / 2) ** 2
    to_b, to_c = found["disability:a"]
    assert (to_b.disability, to_c.disability) == ("disability:b", "disability:c")
    length = (MAIN_NEED_FACTOR**2 + 1) * weight
    assert to_b.score == pytest.approx(MAIN_NEED_FACTOR**2 * weight / (length + DAMPING))
    assert to_c.score == pytest.approx(weight / (length + DAMPING))


def parts(found: dict[str, list[SimilarCondition]], key: str) -> dict[str, Any]:
    """What a condition shares with each of its related ones, by their short names."""
    return {one.disability.partition(":")[2]: dict(one.shared) for one in found[f"disability:{key}"]}


def link(edge: str, source: str, target: str, weight: float | None = None) -> Link:
    return Link(edge, f"limitation:{source}", target, "editorial", (), weight)


# x and y are kinds of w and limit the same; z is one too, and limits something else
BRANCH = (
    *(link("broader", kind, "limitation:w") for kind in "xyz"),
    link("limits", "x", "ability:hearing", 1.0),
    link("limits", "y", "ability:hearing", 0.5),
    link("limits", "z", "ability:voice", 1.0),
)


def test_limitations_that_limit_the_same_count_under_the_name_of_what_covers_them() -> None:
    found = related_conditions(graph({"deaf": "x", "hard": "y", "mute": "z"}, links=BRANCH))
    weight = log(1 + 3 / 1) ** 2
    for one, other in (("deaf", "hard"), ("hard", "deaf")):
        assert parts(found, one) == {other: {"limitation:w": pytest.approx(weight / (weight + DAMPING))}}
    assert parts(found, "mute") == {}


def test_each_limitation_is_paired_once() -> None:
    found = related_conditions(graph({"a": "x", "b": "xy", "c": "y"}, links=BRANCH))
    weight = log(1 + 3 / 2) ** 2
    assert parts(found, "a") == {
        "b": {"limitation:x": pytest.approx(weight / (sqrt(2) * weight + DAMPING))},
        "c": {"limitation:w": pytest.approx(weight / (weight + DAMPING))},
    }


def test_likeness_is_symmetric_in_what_is_shared() -> None:
    has = {"a": "xyz", "b": "xw", "c": "wvz", "d": "vy", "e": "yz"}
    found = related_conditions(graph(has, links=BRANCH))
    shared = {(one, other.disability): other.shared for one, others in found.items() for other in others}
    assert len(shared) > 10
    assert all(shared[other, one] == parts for (one, other), parts in shared.items())


def test_likeness_is_symmetric() -> None:
    found = related_conditions(graph({"a": "xyz", "b": "xw", "c": "wvz", "d": "v"}))
    scores = {(one, other.disability): other.score for one, others in found.items() for other in others}
    assert len(scores) == 8
    assert all(scores[other, one] == pytest.approx(score) for (one, other), score in scores.items())


def test_what_only_inherits_its_limitations_is_neither_offered_nor_asked() -> None:
    found = related_conditions(graph({"a": "xy", "child": "xy", "b": "x"}, inherited=("child",)))
    assert set(found) == {"disability:a", "disability:b"}
    assert [other.disability for other in found["disability:a"]] == ["disability:b"]
    # and it does not make its limitations any more common
    assert found == related_conditions(graph({"a": "xy", "b": "x"}))


def test_equally_alike_conditions_stand_by_name_then_by_id() -> None:
    names = {"b": "Zoster", "c": "anemia", "d": "Anemia"}
    found = related_conditions(graph({"a": "x", "b": "x", "c": "x", "d": "x"}, names=names))
    assert [other.disability for other in found["disability:a"]] == ["disability:c", "disability:d", "disability:b"]


def test_at_most_fifty_are_kept() -> None:
    found = related_conditions(graph({f"{number:02}": "x" for number in range(60)}))
    others = [other.disability for other in found["disability:00"]]
    assert others == [f"disability:{number:02}" for number in range(1, 51)]
