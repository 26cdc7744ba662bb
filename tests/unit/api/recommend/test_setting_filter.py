"""Seed data filtered by setting: solutions, their lists, and the weight of the condition as a need."""

from collections.abc import Mapping

import pytest

from api.graph.listings import ListOwner
from api.recommend.seed_needs import SeedNeeds
from api.recommend.setting_filter import filter_by_setting
from schema.json_types import JsonObject
from tests.support.needs_documents import as_needs, solution_row

CONDITION = "disability:d"


def need(node: str, weight: float, **more: bool) -> JsonObject:
    return {"entity": {"id": node, "name": node}, "weight": weight, "limits": {}, **more}


def solution(
    key: str,
    settings: str,
    work: dict[str, float],
    school: dict[str, float] | None = None,
    usual: tuple[str, ...] = (),
) -> JsonObject:
    first = dict.fromkeys(work, 1.0)
    row = solution_row(key, key.title(), settings=settings.split("|"), under=work, rarity=0.4, first=first)
    if school is None:
        return row
    named = {"basis": "derived" if usual else "editorial", "sources": ["pages"], "usual": list(usual), "from": []}
    return row | {"school": {"under": school, "rarity": 0.9, **named}}


LAMP = solution("lamp", "work", {"l": 0.8})
BREAKS = solution("breaks", "work|school", {"l": 0.8, "w": 0.2}, {CONDITION: 0.7, "l": 0.7, "m": 0.6})
NOTES = solution("notes", "work|school|testing", {"l": 0.6})
SEAT = solution("seat", "school", {}, {CONDITION: 0.5})
CLOCK = solution("clock", "testing", {}, {"l": 0.3}, ("l",))
NEEDS = [need("l", 1.0), need("m", 2.0), need("w", 3.0), need(CONDITION, 0.01, school=True)]


def seed(*solutions: Mapping[str, object]) -> SeedNeeds:
    card = {"id": CONDITION, "type": "disability"}
    return as_needs({"card": card, "inherits": (), "needs": NEEDS, "solutions": list(solutions), "demands": {}})


def owner(relation: str) -> ListOwner:
    return ListOwner("disability:e", "E", relation)


SOLUTIONS = (LAMP, BREAKS, NOTES, SEAT, CLOCK)
EVERY = seed(*SOLUTIONS)

EXPECTED: dict[str | None, dict[str, tuple[dict[str, float], float]]] = {
    # all solutions, with the lists for work if they include it
    None: {
        "lamp": ({"l": 0.8}, 0.4),
        "breaks": ({"l": 0.8, "w": 0.2}, 0.4),
        "notes": ({"l": 0.6}, 0.4),
        "seat": ({CONDITION: 0.25}, 0.9),  # for school only: half
        "clock": ({"l": 0.15}, 0.9),
    },
    # the lists for school are ignored
    "work": {"lamp": ({"l": 0.8}, 0.4), "breaks": ({"l": 0.8, "w": 0.2}, 0.4), "notes": ({"l": 0.6}, 0.4)},
    # lists for school count in full, lists for work half
    "school": {
        "breaks": ({CONDITION: 0.7, "l": 0.7, "m": 0.6, "w": 0.1}, 0.9),
        "notes": ({"l": 0.3}, 0.2),
        "seat": ({CONDITION: 0.5}, 0.9),
    },
    "testing": {"notes": ({"l": 0.3}, 0.2), "clock": ({"l": 0.3}, 0.9)},
}


@pytest.mark.parametrize(("setting", "expected"), EXPECTED.items())
def test_filters_solutions_by_setting(setting: str | None, expected: dict[str, tuple[dict[str, float], float]]) -> None:
    rows = filter_by_setting(EVERY, setting)["solutions"]
    assert {row["id"]: (row["under"], row["rarity"]) for row in rows} == expected


@pytest.mark.parametrize(
    ("setting", "weights"),
    [
        (None, {"l": 1.0, "m": 2.0, "w": 3.0, CONDITION: 0.01}),  # a minimal weight: work decides
        ("work", {"l": 1.0, "m": 2.0, "w": 3.0}),
        ("school", {"l": 1.0, "m": 2.0, "w": 3.0, CONDITION: 6.0}),  # as much as all others
        ("testing", {"l": 1.0, "m": 2.0, "w": 3.0}),  # no solution is named for the condition
    ],
)
def test_a_condition_is_a_need_if_a_solution_is_named_for_it(setting: str | None, weights: dict[str, float]) -> None:
    needs = filter_by_setting(EVERY, setting)["needs"]
    assert {need["entity"]["id"]: need["weight"] for need in needs} == weights


@pytest.mark.parametrize("setting", [None, "work", "school", "testing"])
def test_the_only_need_of_a_limitation_is_itself(setting: str | None) -> None:
    needs = [need("limitation:l", 1.5)]
    card = {"id": "limitation:l", "type": "limitation"}
    limitation = as_needs({"card": card, "inherits": (), "needs": needs, "solutions": [LAMP], "demands": {}})
    assert filter_by_setting(limitation, setting)["needs"] == needs


def test_a_condition_without_other_needs_keeps_its_weight() -> None:
    condition = as_needs({**seed(SEAT), "needs": [need(CONDITION, 0.01, school=True)]})
    assert filter_by_setting(condition, "school")["needs"] == [need(CONDITION, 0.01, school=False)]


@pytest.mark.parametrize(
    ("setting", "key", "expected"),
    [
        (None, "breaks", ("source", {"l": 1.0, "w": 1.0}, [], None)),  # as it is listed for work
        (None, "seat", ("editorial", {}, [], True)),
        # First choices hold in every setting and keep their points, though the rates of lists for work are half.
        ("school", "breaks", ("editorial", pytest.approx({"l": 8 / 7, "w": 2.0}), [], True)),
        ("school", "notes", ("source", {"l": 2.0}, [], None)),  # not named for school
        ("testing", "clock", ("derived", {}, ["l"], True)),  # for a need of the condition, not for the condition
    ],
)
def test_a_row_has_the_basis_of_its_setting(
    setting: str | None, key: str, expected: tuple[str, dict[str, float], list[str], bool | None]
) -> None:
    row = next(row for row in filter_by_setting(EVERY, setting)["solutions"] if row["id"] == key)
    assert (row["basis"], row["first"], row["usual"], row.get("named")) == expected


def test_a_solution_listed_for_work_keeps_its_basis_if_school_has_only_a_need() -> None:
    both = solution("both", "work|school", {"l": 0.8}, {"m": 0.3}, ("m",))
    (row,) = filter_by_setting(seed(both), "school")["solutions"]
    assert (row["basis"], row["under"], row["usual"]) == ("source", {"m": 0.3, "l": 0.4}, ["m"])


def test_does_not_change_its_argument() -> None:
    before = repr(EVERY)
    filter_by_setting(EVERY, "school")
    assert repr(EVERY) == before


def test_first_choices_of_parents_apply_to_a_seed_without_lists() -> None:
    rows = [{name: value for name, value in row.items() if name != "school"} for row in SOLUTIONS]
    filtered = filter_by_setting(as_needs({**seed(*rows), "inherits": [owner("similar")]}), None)
    assert [row["first"] for row in filtered["solutions"]] == [row["first"] for row in rows if row["under"]]
    assert any(row["first"] for row in filtered["solutions"])


def test_solutions_named_for_the_seed_outweigh_inherited_ones() -> None:
    filtered = filter_by_setting(as_needs({**EVERY, "inherits": [owner("broader")]}), None)
    assert {row["id"]: row["under"] for row in filtered["solutions"]} == {
        "lamp": {"l": 0.4},  # listed for a parent: half
        "breaks": {CONDITION: 0.7, "l": 0.7, "m": 0.6},
        "notes": {"l": 0.3},
        "seat": {CONDITION: 0.5},  # named for the seed, if only for school: in full
    }
    assert [row["first"] for row in filtered["solutions"]] == [{}] * 4
    assert {need["entity"]["id"]: need["weight"] for need in filtered["needs"]}[CONDITION] == 6.0
    solutions = filter_by_setting(EVERY, None)["solutions"]
    for inherits in ([], [owner("narrower")]):
        assert filter_by_setting(as_needs({**EVERY, "inherits": inherits}), None)["solutions"] == solutions


@pytest.mark.parametrize(
    ("rows", "relation", "setting", "chosen"),
    [
        (SOLUTIONS, "", None, {"lamp": 1.0, "breaks": 1.0, "notes": 1.0, "seat": 0.0, "clock": 0.0}),
        (SOLUTIONS, "", "work", {"lamp": 1.0, "breaks": 1.0, "notes": 1.0}),
        (SOLUTIONS, "", "school", {"breaks": 1.0, "notes": 1.0, "seat": 1.0}),  # a setting never costs a first choice
        (SOLUTIONS, "", "testing", {"notes": 1.0, "clock": 1.0}),
        ((LAMP, SEAT), "", None, {"lamp": 1.0, "seat": 0.0}),  # lists for work: judged for work
        ((SEAT, CLOCK), "", None, {"seat": 1.0, "clock": 1.0}),  # no lists for work: judged for all settings
        ((LAMP, BREAKS, SEAT), "similar", None, {"lamp": 1.0, "breaks": 1.0, "seat": 1.0}),  # lists of other entities
        ((LAMP, SEAT), "narrower", None, {"lamp": 1.0, "seat": 0.0}),
    ],
)
def test_a_first_choice_applies_to_one_setting_if_there_are_lists_for_work(
    rows: tuple[JsonObject, ...], relation: str, setting: str | None, chosen: dict[str, float]
) -> None:
    inherits = [owner(relation)] if relation else []
    needs = as_needs({**seed(*({**row, "whole": 1.0} for row in rows)), "inherits": inherits})
    assert {row["id"]: row["whole"] for row in filter_by_setting(needs, setting)["solutions"]} == chosen
