"""Seed data: the lists of a seed, what is usual for its needs, and what it inherits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from indexer.content.rows import FirstChoice, Link, Recommendation
from indexer.documents.seeds import list_sources, seed_data, seed_data_without_lists
from indexer.graph.hierarchy import Hierarchy
from indexer.graph.model import EditorialChoices
from indexer.graph.needs import Listings
from tests.support.small_graphs import EMPTY, edge, graph_of

if TYPE_CHECKING:
    from indexer.graph.model import Graph

NAMES = (
    *("disability:ms", "disability:als", "disability:rrms", "disability:nerves", "disability:covid"),
    *("limitation:fatigue", "limitation:pain", "limitation:sight", "limitation:blur", "limitation:odor"),
    *("solution:breaks", "solution:naps", "solution:lens", "ability:near"),
)


def listed(*rows: tuple[str, str, str]) -> Listings:
    return Listings.from_rows(
        Recommendation(f"disability:{disability}", f"limitation:{via}", f"solution:{solution}", "", ("atlas",))
        for disability, via, solution in rows
    )


LISTINGS = listed(
    ("ms", "fatigue", "breaks"),
    ("ms", "fatigue", "naps"),
    ("als", "fatigue", "breaks"),
    ("als", "sight", "lens"),
)
BROADER = {
    "disability:rrms": "disability:ms",
    "disability:ms": "disability:nerves",
    "disability:als": "disability:nerves",
    "limitation:blur": "limitation:sight",
}
HIERARCHY = Hierarchy.from_links(Link("broader", *ends, "editorial", ()) for ends in BROADER.items())
EDITORIAL = EditorialChoices(
    main_needs=dict.fromkeys(("disability:ms", "disability:covid"), frozenset({"limitation:fatigue"})),
    first_choices_by_need={("limitation:fatigue", "solution:breaks"): 1.0},
    intended_for={"solution:lens": ("occupation:29",)},
)
HAS = [(key, "fatigue") for key in ("ms", "als", "covid")]
HAS += [("ms", "pain"), ("als", "sight"), ("covid", "blur"), ("covid", "odor")]


EDGES = [
    *(edge("has_limitation", f"disability:{key}", f"limitation:{need}") for key, need in HAS),
    edge("limits", "limitation:sight", "ability:near", 0.5),
]
GRAPH = graph_of(NAMES, EDGES, listings=LISTINGS, hierarchy=HIERARCHY, editorial=EDITORIAL)
CARDS = {node: {"id": node, "name": found.name} for node, found in GRAPH.nodes.items()}


def read(key: str, graph: Graph = GRAPH, sources: tuple[str, ...] = ()) -> dict[str, Any]:
    document = seed_data(graph, graph.nodes[key], CARDS, sources)
    assert document is not None
    return document


def rows(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["id"].removeprefix("solution:"): row for row in document["solutions"]}


def weights(document: dict[str, Any]) -> dict[str, Any]:
    return {need["entity"]["id"].partition(":")[2]: (need["weight"], need["main"]) for need in document["needs"]}


def test_a_condition_has_its_listings() -> None:
    document = read("disability:ms")
    # fatigue: ln(1 + 2/2), three times for a main need; no source lists anything for pain: ln(1 + 2/1)
    assert weights(document) == {"fatigue": (2.0794, True), "pain": (1.0986, False)}
    empty = {"settings": [], "whole": 0.0, "made_for": [], "usual": [], "from": []}
    assert rows(document) == {
        "breaks": {
            **empty, "id": "solution:breaks", "name": "Breaks", "basis": "source", "rarity": 0.0,
            "under": {"limitation:fatigue": 1.0}, "first": {"limitation:fatigue": 1.0},
        },
        "naps": {
            **empty, "id": "solution:naps", "name": "Naps", "basis": "source", "rarity": 1.0,
            "under": {"limitation:fatigue": 0.85}, "first": {},  # 0.7 + 0.3 × 1 of 2 pages
        },
    }  # fmt: skip
    assert (document["inherits"], document["demands"]) == ([], {})


def test_a_need_without_listings_adds_what_is_usual_for_it() -> None:
    document = read("disability:covid")
    bases = {key: row["basis"] for key, row in rows(document).items()}
    assert bases == dict.fromkeys(("breaks", "naps", "lens"), "derived")
    assert rows(document)["breaks"]["under"] == {"limitation:fatigue": 0.6667}  # 2 of 2 pages, smoothed by one page
    assert rows(document)["breaks"]["usual"] == ["limitation:fatigue"]
    # blur has no lists: those of sight, which is broader, count half; 1 of 1 page, smoothed by one page
    assert rows(document)["lens"]["under"] == {"limitation:sight": 0.25}
    assert rows(document)["lens"]["made_for"] == ["occupation:29"]
    # fatigue three times; sight, in place of blur, half; odor has no related entity and stays a need without solutions
    assert weights(document) == {"fatigue": (2.0794, True), "sight": (0.5493, False), "odor": (1.0986, False)}


def test_data_without_lists_has_no_first_choices_either() -> None:
    graph = replace(GRAPH, editorial=EditorialChoices(first_choices_by_seed={"disability:ms": {"solution:naps": 0.5}}))
    document = read("disability:ms", graph)
    assert {key: row["whole"] for key, row in rows(document).items()} == {"breaks": 0.0, "naps": 0.5}
    assert {row["whole"] for row in seed_data_without_lists(graph, "disability:ms", CARDS)["solutions"]} == {0.0}


def test_data_without_lists_ignores_the_listings_of_the_condition() -> None:
    document = seed_data_without_lists(GRAPH, "disability:ms", CARDS)
    assert {row["basis"] for row in document["solutions"]} == {"derived"}
    assert rows(document)["naps"]["under"] == {"limitation:fatigue": 0.3333}


def test_a_limitation_is_its_own_need() -> None:
    document = read("limitation:fatigue")
    assert weights(document) == {"fatigue": (0.6931, False)}
    assert {key: row["under"] for key, row in rows(document).items()} == {
        "breaks": {"limitation:fatigue": 1.0},
        "naps": {"limitation:fatigue": 0.85},
    }


def test_a_limitation_without_lists_uses_those_of_the_broader_one() -> None:
    document = read("limitation:blur")
    assert document["inherits"] == [{"id": "limitation:sight", "name": "Sight", "relation": "broader"}]
    assert [(row["id"], row["basis"], row["from"]) for row in document["solutions"]] == [
        ("solution:lens", "inherited", ["limitation:sight"])
    ]
    assert document["needs"][0]["limits"] == {"ability:near": {"strength": 0.5, "name": "Near"}}


def test_an_unrelated_need_without_lists_has_no_solutions() -> None:
    document = read("limitation:odor")
    assert (document["inherits"], document["solutions"]) == ([], [])
    assert weights(document) == {"odor": (1.0986, False)}


def test_a_broad_condition_is_the_mean_of_its_descendants() -> None:
    document = read("disability:nerves")
    relations = [(source["id"], source["relation"]) for source in document["inherits"]]
    assert relations == [("disability:als", "narrower"), ("disability:ms", "narrower")]
    assert {key: (row["under"], row["from"]) for key, row in rows(document).items()} == {
        "breaks": ({"limitation:fatigue": 1.0}, ["disability:als", "disability:ms"]),
        "naps": ({"limitation:fatigue": 0.425}, ["disability:ms"]),
        "lens": ({"limitation:sight": 0.5}, ["disability:als"]),
    }
    assert weights(document)["fatigue"] == (pytest.approx((2.0794 + 0.6931) / 2, abs=1e-4), True)


def test_an_inheriting_condition_only_names_its_sources() -> None:
    document = read("disability:rrms", sources=("disability:ms",))
    assert document["heir_of"] == ["disability:ms"]
    assert document["inherits"] == [{"id": "disability:ms", "name": "Ms", "relation": "broader"}]
    assert (document["needs"], document["solutions"]) == ([], [])


@pytest.mark.parametrize(
    ("node", "relations"),
    [
        ("disability:ms", []),
        ("disability:covid", []),  # it has statements
        ("disability:rrms", []),  # its inheritance sources are computed elsewhere
        ("disability:nerves", [("disability:als", "narrower"), ("disability:ms", "narrower")]),
        ("limitation:blur", [("limitation:sight", "broader")]),
        ("limitation:fatigue", []),
        ("solution:naps", []),
    ],
)
def test_returns_the_entities_whose_lists_an_entity_uses(node: str, relations: list[tuple[str, str]]) -> None:
    found = list_sources(GRAPH, GRAPH.nodes[node], CARDS)
    assert [(source["id"], source["relation"]) for source in found] == relations


def test_other_types_are_not_seeds() -> None:
    assert seed_data(GRAPH, GRAPH.nodes["solution:naps"], CARDS) is None


def test_first_choices_for_a_limitation_without_lists_apply_to_the_seed() -> None:
    listings = tuple(row for rows in LISTINGS.by_disability["disability:als"].values() for row in rows)
    fatigue = FirstChoice("limitation:fatigue", "solution:breaks", 0.5)
    choices = (fatigue, FirstChoice("limitation:blur", "solution:lens", 1.0))
    editorial = EditorialChoices.from_content(replace(EMPTY, recommendations=listings, first_choices=choices))
    assert editorial.first_choices_by_need == {("limitation:fatigue", "solution:breaks"): 0.5}
    assert editorial.first_choices_by_seed == {"limitation:blur": {"solution:lens": 1.0}}
    document = read("limitation:blur", replace(GRAPH, editorial=editorial))
    assert [(row["whole"], row["first"]) for row in document["solutions"]] == [(1.0, {})]
