"""One setting's view of a seed: which solutions stay, by which lists, and what the condition itself then weighs."""

from __future__ import annotations

from typing import Any

import pytest

from api.narrowing import in_setting

CONDITION = "disability:d"


def need(node: str, weight: float, **more: bool) -> dict[str, Any]:
    return {"entity": {"id": node, "name": node}, "weight": weight, "limits": {}, **more}


def solution(
    key: str,
    settings: str,
    work: dict[str, float],
    school: dict[str, float] | None = None,
    usual: tuple[str, ...] = (),
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": key,
        "name": key.title(),
        "made_for": [],
        "settings": settings.split("|"),
        "basis": "source",
        "under": work,
        "rarity": 0.4,
        "first": dict.fromkeys(work, 1.0),
        "whole": 0.0,
        "usual": [],
        "from": [],
    }
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


def seed(*solutions: dict[str, Any]) -> dict[str, Any]:
    card = {"id": CONDITION, "type": "disability"}
    return {"card": card, "needs": NEEDS, "solutions": list(solutions), "demands": {}}


EVERY = seed(LAMP, BREAKS, NOTES, SEAT, CLOCK)

SEEN: dict[str | None, dict[str, tuple[dict[str, float], float]]] = {
    # everything, by the lists for work where it stands in them
    None: {
        "lamp": ({"l": 0.8}, 0.4),
        "breaks": ({"l": 0.8, "w": 0.2}, 0.4),
        "notes": ({"l": 0.6}, 0.4),
        "seat": ({CONDITION: 0.25}, 0.9),  # named for school alone: half
        "clock": ({"l": 0.15}, 0.9),
    },
    # as if nothing had ever been said of school
    "work": {"lamp": ({"l": 0.8}, 0.4), "breaks": ({"l": 0.8, "w": 0.2}, 0.4), "notes": ({"l": 0.6}, 0.4)},
    # what is named for school in full, what is listed for work by half
    "school": {
        "breaks": ({CONDITION: 0.7, "l": 0.7, "m": 0.6, "w": 0.1}, 0.9),
        "notes": ({"l": 0.3}, 0.2),
        "seat": ({CONDITION: 0.5}, 0.9),
    },
    "testing": {"notes": ({"l": 0.3}, 0.2), "clock": ({"l": 0.3}, 0.9)},
}


@pytest.mark.parametrize(("setting", "seen"), SEEN.items())
def test_a_setting_keeps_what_is_used_there(
    setting: str | None, seen: dict[str, tuple[dict[str, float], float]]
) -> None:
    rows = in_setting(EVERY, setting)["solutions"]
    assert {row["id"]: (row["under"], row["rarity"]) for row in rows} == seen


@pytest.mark.parametrize(
    ("setting", "weights"),
    [
        (None, {"l": 1.0, "m": 2.0, "w": 3.0, CONDITION: 0.01}),  # next to nothing: work decides
        ("work", {"l": 1.0, "m": 2.0, "w": 3.0}),
        ("school", {"l": 1.0, "m": 2.0, "w": 3.0, CONDITION: 6.0}),  # as much as all others
        ("testing", {"l": 1.0, "m": 2.0, "w": 3.0}),  # nothing is named for the whole
    ],
)
def test_a_condition_is_its_own_need_where_something_is_named_for_it_as_a_whole(
    setting: str | None, weights: dict[str, float]
) -> None:
    needs = in_setting(EVERY, setting)["needs"]
    assert {one["entity"]["id"]: one["weight"] for one in needs} == weights


@pytest.mark.parametrize("setting", [None, "work", "school", "testing"])
def test_a_limitation_keeps_itself_as_its_only_need(setting: str | None) -> None:
    own = [need("limitation:l", 1.5)]
    given = {"card": {"id": "limitation:l", "type": "limitation"}, "needs": own, "solutions": [LAMP], "demands": {}}
    assert in_setting(given, setting)["needs"] == own


def test_a_condition_that_is_its_only_need_keeps_its_weight() -> None:
    given = {**seed(SEAT), "needs": [need(CONDITION, 0.01, school=True)]}
    assert in_setting(given, "school")["needs"] == [need(CONDITION, 0.01, school=False)]


@pytest.mark.parametrize(
    ("setting", "key", "told"),
    [
        (None, "breaks", ("source", {"l": 1.0, "w": 1.0}, [], None)),  # as it is listed for work
        (None, "seat", ("editorial", {}, [], True)),
        ("school", "breaks", ("editorial", {}, [], True)),
        ("school", "notes", ("source", {}, [], None)),  # nobody names it for school
        ("testing", "clock", ("derived", {}, ["l"], True)),  # for a need of the condition, not for itself
    ],
)
def test_a_row_says_on_what_ground_it_stands_there(
    setting: str | None, key: str, told: tuple[str, dict[str, float], list[str], bool | None]
) -> None:
    row = next(row for row in in_setting(EVERY, setting)["solutions"] if row["id"] == key)
    assert (row["basis"], row["first"], row["usual"], row.get("named")) == told


def test_what_a_source_lists_for_work_stays_listed_where_school_knows_only_a_need() -> None:
    both = solution("both", "work|school", {"l": 0.8}, {"m": 0.3}, ("m",))
    (row,) = in_setting(seed(both), "school")["solutions"]
    assert (row["basis"], row["under"], row["usual"]) == ("source", {"m": 0.3, "l": 0.4}, ["m"])


def test_what_was_given_stays_as_it_was() -> None:
    before = repr(EVERY)
    in_setting(EVERY, "school")
    assert repr(EVERY) == before


def test_what_is_tried_first_for_relatives_is_so_for_who_has_no_lists_at_all() -> None:
    rows = [{name: value for name, value in row.items() if name != "school"} for row in EVERY["solutions"]]
    found = in_setting({**EVERY, "solutions": rows, "inherits": [{"relation": "akin"}]}, None)
    assert [row["first"] for row in found["solutions"]] == [row["first"] for row in rows if row["under"]]
    assert any(row["first"] for row in found["solutions"])


def test_what_is_named_for_a_seed_itself_comes_before_what_its_relatives_list() -> None:
    told = {**EVERY, "inherits": [{"relation": "broader"}]}
    found = in_setting(told, None)
    assert {row["id"]: row["under"] for row in found["solutions"]} == {
        "lamp": {"l": 0.4},  # listed for a relative: half
        "breaks": {CONDITION: 0.7, "l": 0.7, "m": 0.6},
        "notes": {"l": 0.3},
        "seat": {CONDITION: 0.5},  # its own, if for school alone: whole
    }
    assert [row["first"] for row in found["solutions"]] == [{}] * 4
    assert {one["entity"]["id"]: one["weight"] for one in found["needs"]}[CONDITION] == 6.0
    for whole in ([], [{"relation": "narrower"}]):
        assert in_setting({**EVERY, "inherits": whole}, None)["solutions"] == in_setting(EVERY, None)["solutions"]


@pytest.mark.parametrize(
    ("setting", "kept"),
    [
        (None, {"lamp": 1.0, "breaks": 1.0, "notes": 1.0, "seat": 0.0, "clock": 0.0}),
        ("work", {"lamp": 1.0, "breaks": 1.0, "notes": 1.0}),
        (
            "school",
            {"breaks": 0.0, "notes": 0.0, "seat": 1.0},
        ),  # a judgement on lessons only where it is used nowhere else
        ("testing", {"notes": 0.0, "clock": 0.0}),
    ],
)
def test_what_is_tried_first_is_a_judgement_on_one_place(setting: str | None, kept: dict[str, float]) -> None:
    solutions = [{**row, "whole": 1.0} for row in EVERY["solutions"]]
    assert {
        row["id"]: row["whole"] for row in in_setting({**EVERY, "solutions": solutions}, setting)["solutions"]
    } == kept


@pytest.mark.parametrize(
    ("rows", "relation", "chosen"),
    [
        ((LAMP, SEAT), "", {"lamp": 1.0, "seat": 0.0}),  # lists for work of its own: a judgement on work
        ((SEAT, CLOCK), "", {"seat": 1.0, "clock": 1.0}),  # none at all
        ((LAMP, BREAKS, SEAT), "akin", {"lamp": 1.0, "breaks": 1.0, "seat": 1.0}),  # those of others
        ((LAMP, SEAT), "narrower", {"lamp": 1.0, "seat": 0.0}),
    ],
)
def test_what_is_tried_first_for_a_seed_as_a_whole_holds_for_all_where_it_has_no_lists_for_work(
    rows: tuple[dict[str, Any], ...], relation: str, chosen: dict[str, float]
) -> None:
    given = seed(*({**row, "whole": 1.0} for row in rows)) | {"inherits": [{"relation": relation}] if relation else []}
    assert {row["id"]: row["whole"] for row in in_setting(given, None)["solutions"]} == chosen
