"""The lists of a seed, what is usual for its needs, and what it uses of related entities."""

from typing import Any

import pytest

from api.graph.listings import Listings, ListOwner
from api.recommend.ranking import SeedData, rank
from api.recommend.seed_lists import needs_of_seed, needs_without_lists
from api.recommend.seed_needs import SeedNeeds, SolutionRow
from api.recommend.setting_filter import filter_by_setting
from indexer.content.rows import FirstChoice, Link, MadeFor, MainNeed, Recommendation
from indexer.documents.builder import build_documents
from schema.entity_kinds import SETTINGS
from schema.vocabulary import Vocabulary
from tests.support.listings import listings_of
from tests.support.small_graphs import built
from tests.support.written_documents import ADHD, LOW_VISION, SCLEROSIS, Written

NAMES = (
    *("disability:ms", "disability:als", "disability:rrms", "disability:nerves", "disability:covid"),
    *("limitation:fatigue", "limitation:pain", "limitation:sight", "limitation:blur", "limitation:odor"),
    *("solution:breaks", "solution:naps", "solution:lens", "ability:near"),
)
LISTED = (
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
HAS = [(key, "fatigue") for key in ("ms", "als", "covid")]
HAS += [("ms", "pain"), ("als", "sight"), ("covid", "blur"), ("covid", "odor")]
LINKS = (
    *(Link("broader", *ends, "editorial", ()) for ends in BROADER.items()),
    *(Link("has_limitation", f"disability:{key}", f"limitation:{need}", "source", ()) for key, need in HAS),
    Link("limits", "limitation:sight", "ability:near", "editorial", (), 0.5),
)
FATIGUE_FIRST = FirstChoice("limitation:fatigue", "solution:breaks", 1.0)


def content(*choices: FirstChoice) -> dict[str, Any]:
    """Return the tables of the graph, with these first choices."""
    return {
        "links": LINKS,
        "recommendations": tuple(Recommendation(*row, "", ("atlas",)) for row in LISTED),
        "main_needs": tuple(MainNeed(node, "limitation:fatigue") for node in ("disability:ms", "disability:covid")),
        "first_choices": choices,
        "made_for": (MadeFor("solution:lens", "occupation:29"),),
    }


def read(vocabulary: Vocabulary, *choices: FirstChoice) -> Listings:
    documents = dict(build_documents(built(vocabulary, NAMES, **content(*choices)), vocabulary))
    return listings_of(documents.values())


@pytest.fixture(scope="module")
def small(vocabulary: Vocabulary) -> Listings:
    return read(vocabulary, FATIGUE_FIRST)


@pytest.fixture(scope="module")
def world(written: Written) -> Listings:
    return listings_of(written.values())


def rows(needs: SeedNeeds) -> dict[str, SolutionRow]:
    return {row["id"].removeprefix("solution:"): row for row in needs["solutions"]}


def weights(needs: SeedNeeds) -> dict[str, Any]:
    return {need["entity"]["id"].partition(":")[2]: (need["weight"], need["main"]) for need in needs["needs"]}


def test_a_condition_has_its_listings(small: Listings) -> None:
    needs = needs_of_seed("disability:ms", small)
    # fatigue: ln(1 + 2/2), three times for a main need; no source lists anything for pain: ln(1 + 2/1)
    assert weights(needs) == {"fatigue": (2.0794, True), "pain": (1.0986, False)}
    empty = {"settings": [], "whole": 0.0, "made_for": [], "usual": [], "from": []}
    assert rows(needs) == {
        "breaks": {
            **empty, "id": "solution:breaks", "name": "Breaks", "basis": "source", "rarity": 0.0,
            "under": {"limitation:fatigue": 1.0}, "first": {"limitation:fatigue": 1.0},
        },
        "naps": {
            **empty, "id": "solution:naps", "name": "Naps", "basis": "source", "rarity": 1.0,
            "under": {"limitation:fatigue": 0.85}, "first": {},  # 0.7 + 0.3 × 1 of 2 pages
        },
    }  # fmt: skip
    assert (needs["inherits"], needs["demands"]) == ((), {})


def test_a_need_without_listings_adds_what_is_usual_for_it(small: Listings) -> None:
    needs = needs_of_seed("disability:covid", small)
    bases = {key: row["basis"] for key, row in rows(needs).items()}
    assert bases == dict.fromkeys(("breaks", "naps", "lens"), "derived")
    assert rows(needs)["breaks"]["under"] == {"limitation:fatigue": 0.6667}  # 2 of 2 pages, smoothed by one page
    assert rows(needs)["breaks"]["usual"] == ["limitation:fatigue"]
    # blur has no lists: those of sight, which is broader, count half; 1 of 1 page, smoothed by one page
    assert rows(needs)["lens"]["under"] == {"limitation:sight": 0.25}
    assert rows(needs)["lens"]["made_for"] == ["occupation:29"]
    # fatigue three times; sight, in place of blur, half; odor has no related entity and stays a need without solutions
    assert weights(needs) == {"fatigue": (2.0794, True), "sight": (0.5493, False), "odor": (1.0986, False)}


def test_first_choices_for_a_condition_apply_to_the_seed(vocabulary: Vocabulary) -> None:
    found = read(vocabulary, FirstChoice("disability:ms", "solution:naps", 0.5))
    chosen = {key: row["whole"] for key, row in rows(needs_of_seed("disability:ms", found)).items()}
    assert chosen == {"breaks": 0.0, "naps": 0.5}


def test_needs_without_lists_ignore_the_listings_of_the_condition(small: Listings) -> None:
    needs = needs_without_lists(small.conditions["disability:ms"], small)
    assert {row["basis"] for row in needs["solutions"]} == {"derived"}
    assert rows(needs)["naps"]["under"] == {"limitation:fatigue": 0.3333}
    assert weights(needs) == {"fatigue": (2.0794, True), "pain": (1.0986, False)}


def test_a_limitation_is_its_own_need(small: Listings) -> None:
    needs = needs_of_seed("limitation:fatigue", small)
    assert weights(needs) == {"fatigue": (0.6931, False)}
    assert {key: row["under"] for key, row in rows(needs).items()} == {
        "breaks": {"limitation:fatigue": 1.0},
        "naps": {"limitation:fatigue": 0.85},
    }


def test_a_limitation_without_lists_uses_those_of_the_broader_one(small: Listings) -> None:
    needs = needs_of_seed("limitation:blur", small)
    assert needs["inherits"] == (ListOwner("limitation:sight", "Sight", "broader"),)
    assert [(row["id"], row["basis"], row["from"]) for row in needs["solutions"]] == [
        ("solution:lens", "inherited", ["limitation:sight"])
    ]
    assert needs["needs"][0]["limits"] == {"ability:near": (0.5, "Near")}


def test_an_unrelated_need_without_lists_has_no_solutions(small: Listings) -> None:
    needs = needs_of_seed("limitation:odor", small)
    assert (needs["inherits"], needs["solutions"]) == ((), [])
    assert weights(needs) == {"odor": (1.0986, False)}


def test_a_broad_condition_is_the_mean_of_its_descendants(small: Listings) -> None:
    needs = needs_of_seed("disability:nerves", small)
    relations = [(owner.id, owner.relation) for owner in needs["inherits"]]
    assert relations == [("disability:als", "narrower"), ("disability:ms", "narrower")]
    assert {key: (row["under"], row["from"]) for key, row in rows(needs).items()} == {
        "breaks": ({"limitation:fatigue": 1.0}, ["disability:als", "disability:ms"]),
        "naps": ({"limitation:fatigue": 0.425}, ["disability:ms"]),
        "lens": ({"limitation:sight": 0.5}, ["disability:als"]),
    }
    assert weights(needs)["fatigue"] == (pytest.approx((2.0794 + 0.6931) / 2, abs=1e-4), True)


def test_first_choices_for_a_limitation_without_lists_apply_to_the_seed(vocabulary: Vocabulary) -> None:
    found = read(
        vocabulary,
        FirstChoice("limitation:fatigue", "solution:breaks", 0.5),
        FirstChoice("limitation:blur", "solution:lens", 1.0),
    )
    needs = needs_of_seed("limitation:blur", found)
    assert [(row["whole"], row["first"]) for row in needs["solutions"]] == [(1.0, {})]
    fatigue = rows(needs_of_seed("limitation:fatigue", found))
    assert {key: (row["whole"], row["first"]) for key, row in fatigue.items()} == {
        "breaks": (0.0, {"limitation:fatigue": 0.5}),
        "naps": (0.0, {}),
    }


def test_a_condition_of_the_world_has_its_needs(world: Listings) -> None:
    needs = needs_of_seed(LOW_VISION, world)
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


def test_what_is_named_for_school_is_separate(world: Listings) -> None:
    needs = needs_of_seed(ADHD, world)
    last = needs["needs"][-1]
    assert (last["entity"]["id"], last["weight"]) == (ADHD, 0.01)  # the condition as a need, with a minimal weight
    assert last["school"]
    found = rows(needs)
    attention = "limitation:attentiveness-concentration"
    # both pages on ADHD name the seat
    assert found["preferential-seating"]["under"] == {}
    assert found["preferential-seating"]["school"]["under"] == {ADHD: 1.0, attention: 1.0}
    assert found["checklists"]["settings"] == [*SETTINGS]
    assert found["checklists"]["under"] == {attention: 1.0, "limitation:memory-loss": 0.85}
    # one of two pages, smoothed toward a third: (1 + 2/3) / 4, and half for being named
    assert found["checklists"]["school"]["under"] == {ADHD: 0.7083, attention: 0.7083, "limitation:memory-loss": 0.7083}
    assert "school" not in found["telework"]


def test_editorial_choices_of_the_world_apply(world: Listings) -> None:
    memory = {row["id"]: row["first"] for row in needs_of_seed("limitation:memory-loss", world)["solutions"]}
    assert memory == {
        "solution:checklists": {"limitation:memory-loss": 0.5},
        "solution:written-instructions": {"limitation:memory-loss": 1.0},
    }
    sclerosis = needs_of_seed(SCLEROSIS, world)["needs"]
    assert [need["entity"]["id"] for need in sclerosis if need["main"]] == ["limitation:decreased-stamina-fatigue"]


def test_a_need_has_the_abilities_that_it_limits(world: Listings) -> None:
    (need,) = needs_of_seed("limitation:low-vision", world)["needs"]
    assert need["limits"] == {"ability:1.A.4.a.1": (0.9, "Near Vision")}


def test_every_seed_can_be_ranked(world: Listings) -> None:
    for node in (*world.conditions, *world.needs):
        needs = filter_by_setting(needs_of_seed(node, world), None)
        ranked = rank([SeedData("seed", needs["card"], needs)]).solutions
        assert {solution.id for solution in ranked} == {row["id"] for row in needs["solutions"]}
