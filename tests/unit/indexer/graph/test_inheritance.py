"""Inheritance sources of a condition without lists."""

import pytest

from indexer.content.rows import Link, Recommendation
from indexer.graph.inheritance import inheritance_sources, inheritance_sources_by_condition
from indexer.graph.model import Graph, popularity
from schema.vocabulary import Vocabulary
from tests.support.small_graphs import built, entity

MAINS = ("sight", "eyes", "skin", "rare")
NARROW = ("cataract", "rubella-cataract", "rash", "eye-rash", "rarest")
PARENTS = {
    "eyes": ("sight",),  # both are main conditions with lists
    "cataract": ("eyes",),
    "rubella-cataract": ("cataract", "sight"),
    "rash": ("skin",),
    "eye-rash": ("rash", "cataract"),
    "rare": ("skin",),  # a main condition without lists
    "rarest": ("rare",),
}


@pytest.fixture(scope="module")
def tree(vocabulary: Vocabulary) -> Graph:
    nodes = [entity(f"disability:{key}", kind="main") for key in MAINS]
    nodes += [entity(f"disability:{key}", kind="narrower") for key in NARROW]
    nodes += [entity("limitation:seeing"), entity("solution:lens")]
    rows = [Recommendation(f"disability:{key}", "limitation:seeing", "solution:lens", "", ("s",)) for key in MAINS[:3]]
    links = [
        Link("broader", f"disability:{child}", f"disability:{parent}", "source", ("s",))
        for child, parents in PARENTS.items()
        for parent in parents
    ]
    return built(vocabulary, nodes, links=tuple(links), recommendations=tuple(rows))


@pytest.mark.parametrize(
    ("node", "sources"),
    [
        ("eyes", ()),  # it has lists
        ("cataract", ("eyes",)),
        ("rubella-cataract", ("eyes",)),  # sight is an ancestor of eyes
        ("eye-rash", ("eyes", "skin")),
        ("rare", ("skin",)),
        ("rarest", ("skin",)),  # its parent has no lists
    ],
)
def test_a_condition_inherits_from_the_nearest_with_lists(tree: Graph, node: str, sources: tuple[str, ...]) -> None:
    assert inheritance_sources(tree, f"disability:{node}") == tuple(f"disability:{source}" for source in sources)


def test_every_inheriting_condition_has_its_sources(tree: Graph) -> None:
    found = inheritance_sources_by_condition(tree)
    assert found.keys() == {f"disability:{key}" for key in (*NARROW, "rare")}
    assert found == {node: inheritance_sources(tree, node) for node in found}
    assert inheritance_sources_by_condition(tree) is found  # computed once for a graph


def test_narrower_inheritors_add_nothing_to_the_popularity_of_their_source(tree: Graph) -> None:
    found = inheritance_sources_by_condition(tree)
    inheriting = [node for node, sources in found.items() if "disability:skin" in sources]
    assert inheriting == [f"disability:{key}" for key in ("rare", "rash", "eye-rash", "rarest")]
    # a solution and a narrower main condition, plus one; the rash does not count
    assert popularity(tree, "disability:skin") == 3
    assert popularity(tree, "disability:eye-rash") == 1
