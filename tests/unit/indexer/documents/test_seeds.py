"""Seed data: the lists of a seed, what is usual for its needs, and what it inherits."""

from dataclasses import replace
from typing import Any

import pytest

from api.recommend.ranking import SeedData, rank
from api.recommend.setting_filter import filter_by_setting
from indexer.content.rows import FirstChoice, Link
from indexer.documents.seeds import list_sources, seed_data, seed_data_without_lists
from indexer.graph.hierarchy import Hierarchy
from indexer.graph.model import EditorialChoices, Graph
from schema.codec import unpack
from schema.entity_kinds import SETTINGS
from tests.support.small_graphs import EMPTY, edge, graph_of, listings
from tests.support.written_documents import ADHD, LOW_VISION, SCLEROSIS, Written, needs_of, of_kind, record_of

NAMES = (
    *("disability:ms", "disability:als", "disability:rrms", "disability:nerves", "disability:covid"),
    *("limitation:fatigue", "limitation:pain", "limitation:sight", "limitation:blur", "limitation:odor"),
    *("solution:breaks", "solution:naps", "solution:lens", "ability:near"),
)


LISTINGS = listings(
    ("disability:ms", "limitation:fatigue", "solution:breaks"),
    ("disability:ms", "limitation:fatigue", "solution:naps"),
    ("disability:als", "limitation:fatigue", "solution:breaks"),
    ("disability:als", "limitation:sight", "solution:lens"),
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
    assert document["inheritance_sources"] == ["disability:ms"]
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
    recommendations = tuple(row for rows in LISTINGS.by_disability["disability:als"].values() for row in rows)
    fatigue = FirstChoice("limitation:fatigue", "solution:breaks", 0.5)
    choices = (fatigue, FirstChoice("limitation:blur", "solution:lens", 1.0))
    editorial = EditorialChoices.from_content(replace(EMPTY, recommendations=recommendations, first_choices=choices))
    assert editorial.first_choices_by_need == {("limitation:fatigue", "solution:breaks"): 0.5}
    assert editorial.first_choices_by_seed == {"limitation:blur": {"solution:lens": 1.0}}
    document = read("limitation:blur", replace(GRAPH, editorial=editorial))
    assert [(row["whole"], row["first"]) for row in document["solutions"]] == [(1.0, {})]


def test_seed_data_has_the_needs_of_a_condition(written: Written) -> None:
    needs = needs_of(written, LOW_VISION)
    # ln(1 + 5/2) twice; no source lists anything for blind: ln(1 + 5/1)
    assert [(need["entity"]["id"], need["weight"]) for need in needs["needs"]] == [
        ("limitation:low-vision", 1.2528),
        ("limitation:blind", 1.7918),
        ("workrelatedfunction:commute", 1.2528),
    ]
    # listed by two of five conditions: ln(5/2) / ln 5; telework is listed by four of five
    listed = [(row["id"], row["under"], row["rarity"]) for row in needs["solutions"] if row["under"]]
    assert listed == [
        ("solution:screen-magnification-software", {"limitation:low-vision": 1.0}, 0.5693),
        ("solution:telework", {"workrelatedfunction:commute": 1.0}, 0.1386),
    ]


def test_seed_data_separates_what_is_named_for_school(written: Written) -> None:
    needs = needs_of(written, ADHD)
    last = needs["needs"][-1]
    assert (last["entity"]["id"], last["weight"]) == (ADHD, 0.01)  # the condition as a need, with a minimal weight
    rows = {row["id"].partition(":")[2]: row for row in needs["solutions"]}
    attention = "limitation:attentiveness-concentration"
    # both pages on ADHD name the seat
    assert rows["preferential-seating"]["under"] == {}
    assert rows["preferential-seating"]["school"]["under"] == {ADHD: 1.0, attention: 1.0}
    assert rows["checklists"]["settings"] == [*SETTINGS]
    assert rows["checklists"]["under"] == {attention: 1.0, "limitation:memory-loss": 0.85}
    # one of two pages, smoothed toward a third: (1 + 2/3) / 4, and half for being named
    assert rows["checklists"]["school"]["under"] == {ADHD: 0.7083, attention: 0.7083, "limitation:memory-loss": 0.7083}
    assert "school" not in rows["telework"]


def test_seed_data_and_records_have_editorial_choices(written: Written) -> None:
    memory = {row["id"]: row["first"] for row in needs_of(written, "limitation:memory-loss")["solutions"]}
    assert memory == {
        "solution:checklists": {"limitation:memory-loss": 0.5},
        "solution:written-instructions": {"limitation:memory-loss": 1.0},
    }
    sclerosis = needs_of(written, SCLEROSIS)["needs"]
    assert [need["entity"]["id"] for need in sclerosis if need["main"]] == ["limitation:decreased-stamina-fatigue"]
    headset = record_of(written, "solution:noise-canceling-headsets")
    assert headset["attributes"] == {"kind": "product", "made_for": "occupation:43-4"}


def test_a_need_has_limits_and_a_job_has_demands(written: Written) -> None:
    (need,) = needs_of(written, "limitation:low-vision")["needs"]
    assert need["limits"] == {"ability:1.A.4.a.1": {"strength": 0.9, "name": "Near Vision"}}
    job = needs_of(written, "occupation:15-1252.00")
    # importance and level, each as a share of its scale: 3.88/5 × 4/7 and 3.12/5 × 3.25/7
    assert job["demands"] == {"ability:1.A.4.a.1": 0.4434, "ability:1.A.1.d.1": 0.2897}
    assert (job["needs"], job["solutions"]) == ([], [])


def test_every_seed_can_be_ranked(written: Written) -> None:
    for body in of_kind(written, "needs").values():
        needs = filter_by_setting(unpack(body["needs"]), None)
        ranked = rank([SeedData("seed", needs["card"], needs)]).solutions
        assert {solution.id for solution in ranked} == {row["id"] for row in needs["solutions"]}
