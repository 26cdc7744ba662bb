"""What recommend reads of a condition whose listings are hidden."""

from dataclasses import replace

import pytest

from akg.evaluation.holdout_listings import holdout_needs
from api.recommend.seed_needs import SeedNeeds
from indexer.content.rows import FirstChoice, Link, SchoolRecommendation
from indexer.documents.entity import EntityCard
from indexer.graph.hierarchy import Hierarchy
from indexer.graph.model import EditorialChoices, Graph
from indexer.graph.needs import School
from tests.support.small_graphs import edge, graph_of, listings

MS, FATIGUE, BLUR, SIGHT = "disability:ms", "limitation:fatigue", "limitation:blur", "limitation:sight"
BREAKS, NAPS, LENS, NEAR = "solution:breaks", "solution:naps", "solution:lens", "ability:near"
GRAPH = graph_of(
    (MS, "disability:als", "disability:flu", FATIGUE, BLUR, SIGHT, BREAKS, NAPS, LENS, NEAR),
    [
        edge("has_limitation", MS, FATIGUE),
        edge("has_limitation", MS, BLUR),
        edge("limits", SIGHT, NEAR, 0.5),
    ],
    listings=listings(  # without those of the condition
        ("disability:als", FATIGUE, BREAKS),
        ("disability:als", FATIGUE, NAPS),
        ("disability:flu", FATIGUE, BREAKS),
        ("disability:als", SIGHT, LENS),
    ),
    hierarchy=Hierarchy.from_links([Link("broader", BLUR, SIGHT, "editorial", ())]),
    editorial=EditorialChoices(
        main_needs={MS: frozenset({FATIGUE})},
        first_choices_by_need={(FATIGUE, NAPS): 0.5},
        first_choices_by_seed={MS: (FirstChoice(MS, BREAKS, 1.0),)},
        intended_for={LENS: (BLUR,)},
    ),
)


@pytest.fixture(scope="module")
def needs() -> SeedNeeds:
    return needs_of(GRAPH)


def needs_of(graph: Graph) -> SeedNeeds:
    return holdout_needs(graph, MS, {node: EntityCard.of(entity) for node, entity in graph.nodes.items()})


def test_solutions_are_those_that_are_usual_for_the_needs(needs: SeedNeeds) -> None:
    rates = {row["id"]: row["under"] for row in needs["solutions"]}
    # listed by both conditions and by one of two, smoothed by one page; blur uses the list of sight, which has one page
    assert rates == {BREAKS: {FATIGUE: 0.6667}, NAPS: {FATIGUE: 0.3333}, LENS: {SIGHT: 0.25}}
    assert {row["basis"] for row in needs["solutions"]} == {"derived"}
    assert {row["id"]: row["rarity"] for row in needs["solutions"]} == {BREAKS: 0.0, NAPS: 1.0, LENS: 1.0}


def test_needs_have_weights_and_limits(needs: SeedNeeds) -> None:
    rows = {need["entity"]["id"]: (need["weight"], need["main"], need["limits"]) for need in needs["needs"]}
    # three times ln(1 + 2/2), and half of ln(1 + 2/1)
    assert rows == {FATIGUE: (2.0794, True, {}), SIGHT: (0.5493, False, {NEAR: (0.5, "Near")})}


def test_only_first_choices_by_need_remain(needs: SeedNeeds) -> None:
    choices = {row["id"]: (row["first"], row["whole"], row["made_for"]) for row in needs["solutions"]}
    assert choices == {BREAKS: ({}, 0.0, ()), NAPS: ({FATIGUE: 0.5}, 0.0, ()), LENS: ({}, 0.0, (BLUR,))}


def test_what_is_named_for_school_is_left_out(needs: SeedNeeds) -> None:
    rows = [SchoolRecommendation(MS, NAPS, "source", "page", ("atlas",))]
    school = School.from_rows(rows)
    assert needs_of(replace(GRAPH, school=school)) == needs
