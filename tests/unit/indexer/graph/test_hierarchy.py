"""Relations and similarity of entities, and the sources of an entity without lists."""

import pytest

from indexer.content.rows import Link
from indexer.graph.hierarchy import SIMILARITY_THRESHOLD, Hierarchy, RelatedEntity


def limits(limitation: str, **abilities: float) -> list[Link]:
    return [Link("limits", limitation, ability, "editorial", (), weight) for ability, weight in abilities.items()]


NARROWER = {
    "seeing": ("blindness", "partial", "colors"),
    "blindness": ("total", "one eye"),
    "partial": ("dim", "narrow"),
}
HIERARCHY = Hierarchy.from_links(
    [
        *(Link("broader", narrow, broad, "editorial", ()) for broad, kinds in NARROWER.items() for narrow in kinds),
        *limits("total", near=1, far=1),
        *limits("one eye", depth=1, side=0.5),
        *limits("dim", near=1, far=0.75),
        *limits("narrow", far=1, near=0.25, side=0.5),
        *limits("colors", hue=1),
        *limits("partial", near=0.5),
    ]
)


@pytest.mark.parametrize(
    ("first", "second", "similarity"),
    [
        ("total", "total", 1.0),
        ("total", "dim", 1.75 / (2**0.5 * 1.25)),
        ("dim", "total", 1.75 / (2**0.5 * 1.25)),
        ("total", "colors", 0.0),
        ("total", "seeing", 0.0),  # not in the crosswalk
    ],
)
def test_limitations_that_limit_the_same_abilities_are_similar(first: str, second: str, similarity: float) -> None:
    assert HIERARCHY.similarity(first, second) == pytest.approx(similarity)


def test_ancestors_are_sorted_by_their_distance() -> None:
    assert list(HIERARCHY.ancestors("dim")) == [["partial"], ["seeing"]]
    assert list(HIERARCHY.ancestors("seeing")) == []


@pytest.mark.parametrize(
    ("node", "other", "relation"),
    [("seeing", "dim", "narrower"), ("dim", "seeing", "broader"), ("dim", "narrow", None), ("dim", "dim", None)],
)
def test_an_entity_is_narrower_than_all_its_ancestors(node: str, other: str, relation: str | None) -> None:
    assert HIERARCHY.relation(node, other) == relation


@pytest.mark.parametrize(
    ("node", "candidates", "related"),
    [
        # a broad entity uses the lists of its nearest descendants with lists
        ("blindness", {"total"}, [("total", "narrower")]),
        ("seeing", {"total", "dim", "colors"}, [("total", "narrower"), ("colors", "narrower"), ("dim", "narrower")]),
        ("seeing", {"blindness", "total"}, [("blindness", "narrower")]),
        # a narrow one uses those of its nearest ancestor with lists
        ("narrow", {"seeing"}, [("seeing", "broader")]),
        ("narrow", {"partial", "seeing"}, [("partial", "broader")]),
        # and those of similar descendants of it: total blindness is similar to dim sight, not to one eye or to colors
        ("total", {"dim", "one eye", "colors"}, [("dim", "similar")]),
        ("one eye", {"total"}, []),
        ("colors", {"total", "dim"}, []),
        ("dim", set(), []),
    ],
)
def test_an_entity_without_lists_uses_those_of_the_nearest_related_ones(
    node: str, candidates: set[str], related: list[tuple[str, str]]
) -> None:
    found = HIERARCHY.entities_to_inherit_from(node, candidates)
    assert sorted((entity.node, entity.relation) for entity in found) == sorted(related)


def test_a_similar_entity_has_its_similarity_and_an_ancestor_counts_in_full() -> None:
    (similar,) = HIERARCHY.entities_to_inherit_from("total", {"dim"})
    assert similar == RelatedEntity("dim", "similar", HIERARCHY.similarity("total", "dim"))
    assert similar.similarity >= SIMILARITY_THRESHOLD
    assert HIERARCHY.entities_to_inherit_from("narrow", {"seeing"}) == [RelatedEntity("seeing", "broader", 1.0)]


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [("total", "one eye", "blindness"), ("total", "dim", "seeing"), ("dim", "partial", "partial"), ("dim", "x", None)],
)
def test_two_entities_have_a_nearest_common_ancestor(first: str, second: str, common: str | None) -> None:
    assert HIERARCHY.common_ancestor(first, second) == HIERARCHY.common_ancestor(second, first) == common
