"""Who speaks for a condition without lists of its own, and which of its names are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.content.rows import Alias, Content, Entity, Link, Recommendation, Source
from indexer.graph.build import build_graph
from indexer.graph.inheritance import inheritance_sources, inheritance_sources_by_condition, inheritors
from indexer.graph.model import alias_groups, popularity

if TYPE_CHECKING:
    from indexer.graph.model import Graph
    from schema.vocabulary import Vocabulary

MAINS = ("sight", "eyes", "skin", "rare")
NARROW = ("cataract", "rubella-cataract", "rash", "eye-rash", "rarest")
ABOVE = {
    "eyes": ("sight",),  # both are main, and have lists
    "cataract": ("eyes",),
    "rubella-cataract": ("cataract", "sight"),
    "rash": ("skin",),
    "eye-rash": ("rash", "cataract"),
    "rare": ("skin",),  # a main one without lists of its own
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


def entity(node: str, kind: str = "") -> Entity:
    type_name, _, key = node.partition(":")
    return Entity(node, type_name, key, key.title(), "", "", "", ("s",), {"kind": kind} if kind else {})


@pytest.fixture(scope="module")
def tree(vocabulary: Vocabulary) -> Graph:
    nodes = [entity(f"disability:{key}", "main") for key in MAINS]
    nodes += [entity(f"disability:{key}", "narrower") for key in NARROW]
    nodes += [entity("limitation:seeing"), entity("solution:lens")]
    rows = [Recommendation(f"disability:{key}", "limitation:seeing", "solution:lens", "", ("s",)) for key in MAINS[:3]]
    links = [
        Link("broader", f"disability:{one}", f"disability:{other}", "source", ("s",))
        for one, several in ABOVE.items()
        for other in several
    ]
    aliases = [Alias(f"disability:{key}", text, kind, ("s",)) for key, text, kind in NAMES]
    source = Source("s", "S", "", "", "CC0", "", "")
    content = Content((source,), tuple(nodes), tuple(aliases), tuple(links), tuple(rows), (), (), {}, "1.0.0+0")
    return build_graph(content, vocabulary)


@pytest.mark.parametrize(
    ("node", "speaking"),
    [
        ("eyes", ()),  # it has lists of its own
        ("cataract", ("eyes",)),
        ("rubella-cataract", ("eyes",)),  # sight stands above eyes
        ("eye-rash", ("eyes", "skin")),
        ("rare", ("skin",)),
        ("rarest", ("skin",)),  # the one above it has nothing to say itself
    ],
)
def test_the_nearest_with_lists_speak_on_every_way_up(tree: Graph, node: str, speaking: tuple[str, ...]) -> None:
    assert inheritance_sources(tree, f"disability:{node}") == tuple(f"disability:{one}" for one in speaking)


def test_each_speaker_knows_its_heirs_and_they_add_nothing_to_its_fame(tree: Graph) -> None:
    found = inheritors(inheritance_sources_by_condition(tree))
    assert found["disability:skin"] == [
        "disability:rare",
        "disability:rash",
        "disability:eye-rash",
        "disability:rarest",
    ]
    # a solution, a main condition under it, and one more than none; the rash does not count
    assert popularity(tree, "disability:skin") == 3
    assert popularity(tree, "disability:eye-rash") == 1


def test_names_are_told_apart_by_how_they_are_matched_and_whether_they_are_shown(tree: Graph) -> None:
    rash = alias_groups(tree, "disability:rash")
    assert [alias.text for alias in rash.shown] == ["itchy rash", "IR", "a-b-c-d"]
    assert (rash.exact, rash.short) == (("itchy rash",), ("IR", "a-b-c-d"))  # up to four letters
    assert (rash.hidden, rash.near) == (("leper's rash",), ("skin trouble",))
    assert alias_groups(tree, "disability:skin").exact == ("SK",)
