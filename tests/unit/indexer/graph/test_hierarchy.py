"""Which entities stand near each other, and from whom those without lists of their own take them."""

from __future__ import annotations

import pytest

from indexer.content.rows import Link
from indexer.graph.hierarchy import SIMILARITY_THRESHOLD, Hierarchy, RelatedEntity


def broader(narrow: str, broad: str) -> Link:
    return Link("broader", narrow, broad, "editorial", ())


def limits(limitation: str, **abilities: float) -> list[Link]:
    return [Link("limits", limitation, ability, "editorial", (), weight) for ability, weight in abilities.items()]


# seeing ⊃ blindness ⊃ (total, one eye); seeing ⊃ partial ⊃ (dim, narrow); seeing ⊃ colors
HIERARCHY = Hierarchy.from_links(
    [
        broader("blindness", "seeing"),
        broader("partial", "seeing"),
        broader("colors", "seeing"),
        broader("total", "blindness"),
        broader("one eye", "blindness"),
        broader("dim", "partial"),
        broader("narrow", "partial"),
        *limits("total", near=1, far=1),
        *limits("one eye", depth=1, side=0.5),
        *limits("dim", near=1, far=0.75),
        *limits("narrow", far=1, near=0.25, side=0.5),
        *limits("colors", hue=1),
        *limits("partial", near=0.5),
    ]
)


@pytest.mark.parametrize(
    ("one", "other", "likeness"),
    [
        ("total", "total", 1.0),
        ("total", "dim", 1.75 / (2**0.5 * 1.25)),
        ("dim", "total", 1.75 / (2**0.5 * 1.25)),
        ("total", "colors", 0.0),
        ("total", "seeing", 0.0),  # the crosswalk says nothing of it
    ],
)
def test_limitations_are_alike_as_far_as_they_limit_the_same_abilities(one: str, other: str, likeness: float) -> None:
    assert HIERARCHY.similarity(one, other) == pytest.approx(likeness)


def test_broader_ones_stand_by_their_distance() -> None:
    assert list(HIERARCHY.ancestors("dim")) == [["partial"], ["seeing"]]
    assert list(HIERARCHY.ancestors("seeing")) == []


@pytest.mark.parametrize(
    ("node", "other", "relation"),
    [("seeing", "dim", "narrower"), ("dim", "seeing", "broader"), ("dim", "narrow", None), ("dim", "dim", None)],
)
def test_of_two_one_may_be_a_kind_of_the_other_at_any_distance(node: str, other: str, relation: str | None) -> None:
    assert HIERARCHY.relation(node, other) == relation


@pytest.mark.parametrize(
    ("node", "having", "relatives"),
    [
        # a broad one has what its kinds have, on each way down to the first that has anything
        ("blindness", {"total"}, [("total", "narrower")]),
        ("seeing", {"total", "dim", "colors"}, [("total", "narrower"), ("colors", "narrower"), ("dim", "narrower")]),
        ("seeing", {"blindness", "total"}, [("blindness", "narrower")]),
        # a narrow one has what the nearest broader one has of its own
        ("narrow", {"seeing"}, [("seeing", "broader")]),
        ("narrow", {"partial", "seeing"}, [("partial", "broader")]),
        # and what similar narrower ones have: total blindness is similar to dim sight, not to one eye or to colors
        ("total", {"dim", "one eye", "colors"}, [("dim", "similar")]),
        ("one eye", {"total"}, []),
        ("colors", {"total", "dim"}, []),
        ("dim", set(), []),
    ],
)
def test_who_has_no_lists_takes_them_from_the_nearest_that_can_speak_for_it(
    node: str, having: set[str], relatives: list[tuple[str, str]]
) -> None:
    found = HIERARCHY.entities_to_inherit_from(node, having)
    assert sorted((one.node, one.relation) for one in found) == sorted(relatives)


def test_a_similar_entity_has_its_similarity_and_an_ancestor_counts_in_full() -> None:
    (similar,) = HIERARCHY.entities_to_inherit_from("total", {"dim"})
    assert similar == RelatedEntity("dim", "similar", HIERARCHY.similarity("total", "dim"))
    assert similar.similarity >= SIMILARITY_THRESHOLD
    assert HIERARCHY.entities_to_inherit_from("narrow", {"seeing"}) == [RelatedEntity("seeing", "broader", 1.0)]


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [("total", "one eye", "blindness"), ("total", "dim", "seeing"), ("dim", "partial", "partial"), ("dim", "x", None)],
)
def test_two_have_a_nearest_that_covers_both(one: str, other: str, common: str | None) -> None:
    assert HIERARCHY.common_ancestor(one, other) == HIERARCHY.common_ancestor(other, one) == common
