"""Inheritance sources of a condition without lists, and the names that it shows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from indexer.content.rows import Alias, Link, Recommendation
from indexer.graph.build import build_graph
from indexer.graph.inheritance import inheritance_sources, inheritance_sources_by_condition, inheritors
from indexer.graph.model import alias_groups, popularity
from tests.support.small_graphs import EMPTY, entity

if TYPE_CHECKING:
    from indexer.graph.model import Graph
    from schema.vocabulary import Vocabulary

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
NAMES = (
    ("rash", "itchy rash", "lay"),
    ("rash", "IR", "abbreviation"),
    ("rash", "a-b-c-d", "abbreviation"),
    ("rash", "leper's rash", "hidden"),
    ("rash", "skin trouble", "near"),
    ("skin", "SK", "abbreviation"),
)


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
    aliases = [Alias(f"disability:{key}", text, kind, ("s",)) for key, text, kind in NAMES]
    content = replace(
        EMPTY, entities=tuple(nodes), aliases=tuple(aliases), links=tuple(links), recommendations=tuple(rows)
    )
    return build_graph(content, vocabulary)


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


def test_narrower_inheritors_add_nothing_to_the_popularity_of_their_source(tree: Graph) -> None:
    found = inheritors(inheritance_sources_by_condition(tree))
    assert found["disability:skin"] == [f"disability:{key}" for key in ("rare", "rash", "eye-rash", "rarest")]
    # a solution and a narrower main condition, plus one; the rash does not count
    assert popularity(tree, "disability:skin") == 3
    assert popularity(tree, "disability:eye-rash") == 1


def test_aliases_are_grouped_by_how_they_match_and_whether_they_are_shown(tree: Graph) -> None:
    rash = alias_groups(tree, "disability:rash")
    assert [alias.text for alias in rash.shown] == ["itchy rash", "IR", "a-b-c-d"]
    assert (rash.exact, rash.short) == (("itchy rash",), ("IR", "a-b-c-d"))  # up to four letters
    assert (rash.hidden, rash.near) == (("leper's rash",), ("skin trouble",))
    assert alias_groups(tree, "disability:skin").exact == ("SK",)
