"""Under which headings a record shows solutions: its needs, the condition itself, or conditions that list them."""

from typing import Any

import pytest

from api import models
from api.graph.ideas import heading_sources, ideas_of_condition, ideas_of_need, merge_ideas
from schema.json_types import JsonObject
from tests.support.listings import all_edges, card, condition, edge_to, listings, listings_of, need
from tests.support.written_documents import ADHD, Written

MS, ALS, NERVES = "disability:ms", "disability:als", "disability:nerves"
FATIGUE, PAIN, STRESS = "limitation:fatigue", "limitation:pain", "workrelatedfunction:stress"
BREAKS, NAPS, SEAT = "solution:breaks", "solution:naps", "solution:seat"
SCHOOL: dict[str, Any] = {"school_weight": 0.6, "school_basis": "editorial", "school_sources": ["editors"]}


def heading(node: str) -> JsonObject:
    return {key: card(node)[key] for key in ("id", "name", "type")}


def shown(ideas: list[JsonObject]) -> dict[str, list[tuple[str, float]]]:
    """Return the solutions with their weights by heading, both in order."""
    return {idea["heading"]["id"]: [(card["id"], card["weight"]) for card in idea["solutions"]] for idea in ideas}


def test_the_idea_of_a_need_has_its_solutions_by_weight_then_name() -> None:
    (idea,) = ideas_of_need(card(FATIGUE), [edge_to(SEAT, 0.4), edge_to(NAPS, 0.9), edge_to(BREAKS, 0.4)])
    assert idea == {
        "heading": heading(FATIGUE),
        "solutions": [card(NAPS) | {"weight": 0.9}, card(BREAKS) | {"weight": 0.4}, card(SEAT) | {"weight": 0.4}],
    }
    models.AccommodationIdea.model_validate(idea)


def test_a_need_without_solutions_has_no_idea() -> None:
    assert ideas_of_need(card(FATIGUE), []) == []


LISTED = [
    edge_to(BREAKS, 0.8, via=[FATIGUE, STRESS]),
    edge_to(NAPS, 0.5, via=[FATIGUE, PAIN]),
]
NEEDS = (
    need(FATIGUE, edges={"recommends": [edge_to(BREAKS, pages=3), edge_to(NAPS, pages=1)]}, listing_conditions=3),
    need(PAIN, edges={"recommends": [edge_to(NAPS, pages=2)]}, listing_conditions=2),
    need(STRESS, edges={"recommends": [edge_to(BREAKS, pages=1)]}, listing_conditions=4),
)


def test_a_condition_has_an_idea_for_each_need_with_the_rates_there() -> None:
    found = listings(condition(MS, edges={"recommends": LISTED}), *NEEDS)
    ideas = ideas_of_condition(MS, found)
    assert shown(ideas) == {
        FATIGUE: [(BREAKS, 1.0), (NAPS, 0.3333)],  # of three pages
        PAIN: [(NAPS, 1.0)],
        STRESS: [(BREAKS, 0.25)],
    }
    assert [idea["heading"] for idea in ideas] == [heading(FATIGUE), heading(PAIN), heading(STRESS)]


def test_stated_needs_come_first_in_their_order_then_the_others_by_id() -> None:
    stated = {"affects": [edge_to(STRESS)], "has_limitation": [edge_to(PAIN), edge_to("limitation:unlisted")]}
    ms = condition(MS, edges={**stated, "recommends": LISTED})
    found = listings(ms, *NEEDS, need("limitation:unlisted"))
    assert list(shown(ideas_of_condition(MS, found))) == [PAIN, STRESS, FATIGUE]


def test_what_is_named_at_school_is_listed_under_the_limitations_that_it_answers() -> None:
    fatigue = need(FATIGUE, edges={"recommends": [edge_to(SEAT, 0.9, **{**SCHOOL, "school_weight": 0.9})]})
    edges = {"has_limitation": [edge_to(FATIGUE)], "recommends": [edge_to(SEAT, 0.6, basis="editorial", **SCHOOL)]}
    found = listings(condition(MS, edges=edges), fatigue)
    assert shown(ideas_of_condition(MS, found)) == {FATIGUE: [(SEAT, 0.9)]}


def test_what_is_named_only_for_the_condition_is_listed_under_the_condition() -> None:
    edges = {"has_limitation": [edge_to(PAIN)], "recommends": [edge_to(SEAT, 0.6, basis="editorial", **SCHOOL)]}
    ideas = ideas_of_condition(MS, listings(condition(MS, edges=edges), *NEEDS))
    assert shown(ideas) == {MS: [(SEAT, 0.6)]}
    assert ideas[0]["heading"] == heading(MS)


def test_a_broad_condition_has_ideas_under_the_conditions_that_list_them() -> None:
    inherited = edge_to(BREAKS, 0.4, basis="inherited", via=[ALS, MS])
    found = listings(condition(NERVES, edges={"recommends": [inherited]}), condition(ALS), condition(MS))
    ideas = ideas_of_condition(NERVES, found)
    assert shown(ideas) == {ALS: [(BREAKS, 0.4)], MS: [(BREAKS, 0.4)]}
    assert [idea["heading"] for idea in ideas] == [heading(ALS), heading(MS)]


def test_ideas_rest_on_the_sources_of_their_headings() -> None:
    found = listings(condition(MS, ["atlas", "fair"]), need(FATIGUE, ["book"]), need(PAIN, ["unused"]))
    ideas = [{"heading": heading(node), "solutions": []} for node in (FATIGUE, MS)]
    assert heading_sources(ideas, found) == ["book", "atlas", "fair"]
    assert heading_sources([], found) == []


def test_a_condition_without_solutions_has_no_ideas() -> None:
    assert ideas_of_condition(MS, listings(condition(MS))) == []


IDEAS = {
    # most usual first; a seat is for school
    ADHD: [
        (
            "Attentiveness/Concentration",
            dict.fromkeys(("Checklists", "Noise Canceling Headsets", "Preferential Seating", "Telework"), 1.0),
        ),
        ("Memory Loss", {"Written Instructions": 1.0, "Checklists": 0.5}),
        ("Communicate", {"Written Instructions": 1.0}),
    ],
    # those without a need are grouped under the condition
    "disability:crohns-disease": [
        ("Decreased Stamina/Fatigue", {"Periodic Rest Breaks": 1.0, "Flexible Schedule": 0.6667}),
        ("Commute to and from Work", {"Telework": 1.0, "Flexible Schedule": 0.5}),
        ("Crohn's Disease", {"Preferential Seating": 0.5}),
    ],
    # a broad limitation has the ideas of its descendants
    "limitation:vision-impairment": [("Vision Impairment", {"Screen Magnification Software": 1.0})],
    "limitation:decreased-stamina-fatigue": [
        ("Decreased Stamina/Fatigue", {"Periodic Rest Breaks": 1.0, "Flexible Schedule": 0.6667, "Telework": 0.3333})
    ],
    "limitation:blind": [],
}


@pytest.mark.parametrize(("node", "expected"), IDEAS.items(), ids=IDEAS)
def test_ideas_of_the_world_are_grouped_by_need(
    written: Written, node: str, expected: list[tuple[str, dict[str, float]]]
) -> None:
    world = listings_of(written.values())
    recommended = all_edges(written.values()).get(node, {}).get("recommends", ())
    is_need = node in world.needs
    ideas = ideas_of_need(world.needs[node].card, recommended) if is_need else ideas_of_condition(node, world)
    grouped = [(idea["heading"]["name"], [(row["name"], row["weight"]) for row in idea["solutions"]]) for idea in ideas]
    assert grouped == [(heading, list(weights.items())) for heading, weights in expected]


def idea(node: str, *solutions: tuple[str, float]) -> JsonObject:
    return {"heading": heading(node), "solutions": [card(key) | {"weight": weight} for key, weight in solutions]}


def test_inherited_ideas_have_the_best_solutions_of_all_parents() -> None:
    keys = ("one", "two", "three", "four")
    first = [idea(FATIGUE, *((f"solution:{key}", 0.1 * index) for index, key in enumerate(keys, 1)))]
    second = [idea(PAIN, (NAPS, 0.5)), idea(FATIGUE, ("solution:one", 0.9), (BREAKS, 0.4))]
    ideas = merge_ideas({MS: first, ALS: second})
    assert shown(ideas) == {
        # by weight, then by name; three of five
        FATIGUE: [("solution:one", 0.9), (BREAKS, 0.4), ("solution:four", 0.4)],
        PAIN: [(NAPS, 0.5)],
    }
    assert [(idea["inherited_from"], idea["total"]) for idea in ideas] == [([MS, ALS], 5), ([ALS], 1)]
    for merged in ideas:
        models.AccommodationIdea.model_validate(merged)


@pytest.mark.parametrize("ideas_by_parent", [{}, {MS: []}])
def test_parents_without_ideas_give_none(ideas_by_parent: dict[str, list[JsonObject]]) -> None:
    assert merge_ideas(ideas_by_parent) == []
