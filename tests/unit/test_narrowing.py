"""One setting's view of a seed: which solutions stay, by which lists, and what the condition itself then weighs."""

from __future__ import annotations

from typing import Any

import pytest

from api.narrowing import in_setting

CONDITION = "disability:d"


def need(node: str, telling: float) -> dict[str, Any]:
    return {"entity": {"id": node, "name": node}, "telling": telling, "limits": {}}


def solution(key: str, settings: str, work: dict[str, float], school: dict[str, float] | None = None) -> dict[str, Any]:
    row: dict[str, Any] = {"card": {"id": key}, "settings": settings.split("|"), "under": work, "rarity": 0.4}
    return row | ({"school": {"under": school, "rarity": 0.9}} if school else {})


LAMP = solution("lamp", "work", {"l": 0.8})
BREAKS = solution("breaks", "work|school", {"l": 0.8, "w": 0.2}, {CONDITION: 0.7, "l": 0.7, "m": 0.6})
NOTES = solution("notes", "work|school|testing", {"l": 0.6})
SEAT = solution("seat", "school", {}, {CONDITION: 0.5})
CLOCK = solution("clock", "testing", {}, {"l": 0.3})
NEEDS = [need("l", 1.0), need("m", 2.0), need("w", 3.0), need(CONDITION, 0.01)]


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
        "seat": ({CONDITION: 0.5}, 0.9),
        "clock": ({"l": 0.3}, 0.9),
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
    assert {row["card"]["id"]: (row["under"], row["rarity"]) for row in rows} == seen


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
    assert {one["entity"]["id"]: one["telling"] for one in needs} == weights


@pytest.mark.parametrize("setting", [None, "work", "school", "testing"])
def test_a_limitation_keeps_itself_as_its_only_need(setting: str | None) -> None:
    own = [need("limitation:l", 1.5)]
    given = {"card": {"id": "limitation:l", "type": "limitation"}, "needs": own, "solutions": [LAMP], "demands": {}}
    assert in_setting(given, setting)["needs"] == own


def test_a_condition_that_is_its_only_need_keeps_its_weight() -> None:
    given = {**seed(SEAT), "needs": [need(CONDITION, 0.01)]}
    assert in_setting(given, "school")["needs"] == [need(CONDITION, 0.01)]


def test_what_was_given_stays_as_it_was() -> None:
    before = repr(EVERY)
    in_setting(EVERY, "school")
    assert repr(EVERY) == before
