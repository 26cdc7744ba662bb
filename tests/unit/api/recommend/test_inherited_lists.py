"""The lists of several parents, merged for the condition that inherits them."""

import pytest

from api.recommend.inherited_lists import merge_needs
from schema.json_types import JsonObject
from tests.support.needs_documents import as_needs


def need_row(key: str, weight: float, *, main: bool = False, **more: bool) -> JsonObject:
    return {"entity": {"id": key}, "weight": weight, "main": main, "limits": {}, **more}


def row(key: str, under: dict[str, float], usual: tuple[str, ...] = ()) -> JsonObject:
    chosen = {"first": {}, "whole": 0.0}
    return {"id": key, "under": under, **chosen, "usual": list(usual), "from": ["kind"], "basis": "source"}


def test_the_needs_of_several_parents_are_merged() -> None:
    listed = {"needs": [need_row("l", 1.0, main=True)], "solutions": [row("lens", {"l": 0.8})], "sources": ["s"]}
    first = as_needs({"card": {"id": "a"}, **listed})
    rows = [row("lens", {"l": 0.9, "m": 0.2}, ("l", "m")), row("rest", {"m": 0.7})]
    needs = [need_row("l", 2.0), need_row("m", 0.5)]
    second = as_needs({"card": {"id": "b"}, "needs": needs, "solutions": rows, "sources": ["t"]})
    merged = merge_needs([first, second])
    assert [(need["entity"]["id"], need["weight"], need["main"]) for need in merged["needs"]] == [
        ("l", 2.0, True),
        ("m", 0.5, False),
    ]
    assert {row["id"]: (row["under"], row["usual"], row["from"]) for row in merged["solutions"]} == {
        "lens": ({"l": 0.9, "m": 0.2}, ["m"], ["a", "b"]),  # listed under l for one parent
        "rest": ({"m": 0.7}, [], ["b"]),
    }
    assert (merged["card"], merged["sources"]) == ({"id": "a"}, ["s", "t"])
    assert [row["from"] for row in merge_needs([first])["solutions"]] == [["a"]]


@pytest.mark.parametrize(
    ("work", "school", "expected"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_a_need_is_for_school_only_if_it_is_for_every_parent(*, work: bool, school: bool, expected: bool) -> None:
    parents = [
        as_needs({"card": {"id": key}, "needs": [need_row("l", 1.0, school=value)], "solutions": [], "sources": []})
        for key, value in (("a", work), ("b", school))
    ]
    assert [need["school"] for need in merge_needs(parents)["needs"]] == [expected]


def test_a_solution_has_the_first_choices_of_all_parents() -> None:
    def parent(key: str, whole: float, first: dict[str, float]) -> JsonObject:
        solution = {**row("lens", {"l": 0.8}), "whole": whole, "first": first}
        return {"card": {"id": key}, "needs": [], "solutions": [solution], "sources": []}

    (merged,) = merge_needs([as_needs(parent("a", 0.5, {"l": 1.0})), as_needs(parent("b", 1.0, {"l": 1.0, "m": 0.5}))])[
        "solutions"
    ]
    assert (merged["whole"], merged["first"]) == (1.0, {"l": 1.0, "m": 0.5})
