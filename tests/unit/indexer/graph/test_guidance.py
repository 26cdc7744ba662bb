"""Sides, exclusions and cautions of each entity: what conditions inherit, and for which sides a solution is wrong."""

from typing import Any

import pytest

from indexer.content.guidance_rows import (
    Caution,
    ConditionSide,
    Exclusion,
    Guidance,
    JobRule,
    NeedSide,
    SolutionSide,
)
from indexer.content.rows import Link
from indexer.graph.guidance import GuidanceIndex
from indexer.graph.hierarchy import Hierarchy
from tests.support.small_graphs import entity

HEAT, LIGHT = "limitation:temperature", "limitation:light"
EDITORS = ("editorial", ("editors",))
PAGE = ("A page", "https://a.example/", "unknown", "2026-11-25")
SOURCE = {"title": "A page", "url": "https://a.example/", "as_of": None, "read": "2026-11-25"}


def need(name: str, side: str, *opposites: str, words: tuple[str, ...] = ()) -> NeedSide:
    return NeedSide(name, side, opposites, f"the {side}", words, *EDITORS)


def serves(solution: str, *sides: str, worsens: tuple[str, ...] = ()) -> SolutionSide:
    return SolutionSide(f"solution:{solution}", HEAT, sides, worsens, *EDITORS)


def troubles(condition: str, name: str, side: str, occurs: str = "one") -> ConditionSide:
    return ConditionSide(f"disability:{condition}", name, side, occurs, EDITORS[0], "", EDITORS[1])


INDEX = GuidanceIndex.of(
    Guidance(
        need_sides=(
            need(HEAT, "heat", "cold", words=("too hot",)),
            need(HEAT, "cold", "heat", words=("too cold", "freezing")),
            need(LIGHT, "bright", "dim", words=("glare",)),
            need("limitation:night", "dim", "bright"),
        ),
        solution_sides=(
            serves("heater", "cold", worsens=("heat",)),
            serves("fan", "heat"),
            serves("thermostat", "heat", "cold"),
            serves("lamp", worsens=("bright",)),
        ),
        condition_sides=(
            troubles("ms", HEAT, "heat", "both"),
            troubles("ms", LIGHT, "bright"),
            troubles("relapsing-ms", HEAT, "cold"),
        ),
        exclusions=(
            Exclusion("solution:lamp", ("disability:ms",), "", "It dazzles.", "source", "https://a.example/", ()),
        ),
        cautions=(
            Caution("solution:heater", (HEAT,), "must", "Check the skin.", *PAGE),
            Caution("", ("disability:ms",), "should", "Rest first.", *PAGE),
            Caution("", ("disability:ms", "occupation:53-3"), "should", "Stop in time.", *PAGE),
        ),
        job_rules=(JobRule(("53-3", "29"), ("disability:ms",), "Ask an examiner.", *PAGE),),
    ),
    Hierarchy.from_links([Link("broader", "disability:relapsing-ms", "disability:ms", "editorial", ())]),
)


def facts(node: str) -> dict[str, Any]:
    return INDEX.facts(entity(node))


def sides(node: str) -> set[tuple[str, str]]:
    return {(row["side"], row["occurs"]) for row in INDEX.troubles(entity(node))}


@pytest.mark.parametrize(
    ("solution", "opposed"),
    [("heater", {"heat"}), ("fan", {"cold"}), ("thermostat", set()), ("lamp", {"bright"}), ("chair", set())],
)
def test_a_solution_is_wrong_for_what_it_worsens_and_for_opposites_of_what_it_serves(
    solution: str, opposed: set[str]
) -> None:
    assert INDEX.opposed(f"solution:{solution}") == opposed
    assert facts(f"solution:{solution}").get("opposed_sides", []) == sorted(opposed)


def test_a_condition_inherits_sides_unless_it_has_one_of_the_same_axis() -> None:
    assert sides("disability:ms") == {("heat", "both"), ("bright", "one")}
    assert sides("disability:relapsing-ms") == {("cold", "one"), ("bright", "one")}
    assert facts("disability:relapsing-ms")["only_sides"] == ["cold", "bright"]


def test_a_need_with_one_side_has_that_trouble() -> None:
    assert sides(LIGHT) == {("bright", "one")}
    assert sides(HEAT) == sides("limitation:other") == sides("vendor:v") == set()
    assert facts(HEAT) == {"sides": ["heat", "cold"]}


def test_words_belong_to_needs_and_to_the_solutions_that_serve_the_side() -> None:
    assert list(INDEX.words(entity("solution:fan"))) == [("too hot", "heat")]
    assert list(INDEX.words(entity(HEAT))) == [("too hot", "heat"), ("too cold", "cold"), ("freezing", "cold")]
    assert INDEX.opposed_words("solution:fan") == ["too cold", "freezing"]
    assert INDEX.shown_sides(entity("solution:heater")) == {"cold": "the cold"}


def test_cautions_and_rules_are_those_of_the_entity_and_what_is_broader() -> None:
    rest = {"text": "Rest first.", "severity": "should", "source": SOURCE}
    assert facts("disability:relapsing-ms")["cautions"] == [rest | {"concerns": ["disability:ms"]}]
    assert facts("solution:heater")["cautions"] == [
        {"text": "Check the skin.", "severity": "must", "concerns": [HEAT], "source": SOURCE}
    ]
    rule = {"text": "Ask an examiner.", "severity": "must", "concerns": ["disability:ms"], "source": SOURCE}
    stop = rest | {"text": "Stop in time.", "concerns": ["disability:ms", "occupation:53-3"]}
    assert facts("occupation:53-3032.00")["cautions"] == [stop, rule]
    assert facts("occupation:29-1141.00")["cautions"] == [rule]
    assert facts("occupation:11-1011.00") == {}


def test_exclusions_stand_with_their_solution() -> None:
    assert facts("solution:lamp")["not_for"] == [
        {"concerns": ["disability:ms"], "effect": "harmful", "reason": "It dazzles.", "page": "https://a.example/"}
    ]


def test_a_release_has_the_label_and_the_axis_of_each_side() -> None:
    assert INDEX.side_facts() == {
        "heat": {"label": "the heat", "axis": "cold"},
        "cold": {"label": "the cold", "axis": "cold"},
        "bright": {"label": "the bright", "axis": "bright"},
        "dim": {"label": "the dim", "axis": "bright"},
    }


def test_a_release_has_the_forms_of_the_words_for_each_side_of_a_need() -> None:
    assert INDEX.side_words() == [
        {"need": HEAT, "side": "heat", "forms": ["toohot"]},
        {"need": HEAT, "side": "cold", "forms": ["toocold", "freezing"]},
        {"need": "limitation:light", "side": "bright", "forms": ["glare"]},
    ]
