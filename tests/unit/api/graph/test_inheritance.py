"""Merging what a condition inherits from several parents: each entity once, with its greatest weight."""

from api.graph.inheritance import merge_edges, merge_needs, parents, with_editorial_choices, with_inherited
from schema.json_types import JsonObject
from tests.support.needs_documents import as_needs


def item(key: str, weight: float, *sources: str) -> JsonObject:
    return {"id": key, "name": key.title(), "weight": weight, "basis": "source", "sources": list(sources)}


def test_edges_of_several_parents_become_one_list_best_first() -> None:
    merged = merge_edges([("a", [item("lens", 0.4, "s"), item("rest", 0.9)]), ("b", [item("lens", 0.6, "s", "t")])])
    assert [(edge["id"], edge["weight"], edge["inherited_from"], edge["basis"]) for edge in merged] == [
        ("rest", 0.9, ["a"], "inherited"),
        ("lens", 0.6, ["a", "b"], "inherited"),
    ]
    assert merged[1]["sources"] == ["s", "t"]


def test_a_record_gets_the_edges_ideas_and_sources_of_its_parents() -> None:
    def inherited(key: str, weight: float, source: str) -> JsonObject:
        solutions = [item(key, weight, source)]
        return {
            "edges": [{"name": "recommends", "items": solutions}],
            "ideas": [{"heading": {"id": "limitation:l"}, "solutions": solutions, "total": 9}],
            "sources": [{"id": source}],
        }

    record = {
        "inherits": [{"id": "a", "totals": {"recommends": 9}}, {"id": "limitation:x"}],
        "edges": [{"name": "recommends", "total": 12, "items": []}, {"name": "broader", "total": 1, "items": ["a"]}],
        "accommodation_ideas": [],
        "sources": [{"id": "own"}],
    }
    assert [parent["id"] for parent in parents(record)] == ["a"]
    merged = with_inherited(record, {"a": inherited("lens", 0.4, "s"), "b": inherited("rest", 0.9, "t")})
    recommends, broader = merged["edges"]
    assert [edge["id"] for edge in recommends["items"]] == ["rest", "lens"]
    assert broader["items"] == ["a"]
    (idea,) = merged["accommodation_ideas"]
    assert ([card["id"] for card in idea["solutions"]], idea["inherited_from"]) == (["rest"], ["a", "b"])
    assert merged["sources"] == [{"id": "own"}, {"id": "s"}, {"id": "t"}]


def need(key: str, weight: float, *, main: bool = False) -> JsonObject:
    return {"entity": {"id": key}, "weight": weight, "main": main, "limits": {}}


def row(key: str, under: dict[str, float], usual: tuple[str, ...] = ()) -> JsonObject:
    chosen = {"first": {}, "whole": 0.0}
    return {"id": key, "under": under, **chosen, "usual": list(usual), "from": ["kind"], "basis": "source"}


def test_first_choices_for_a_condition_replace_those_of_its_parent() -> None:
    rows = [{**row("lens", {"l": 0.8}), "whole": 1.0}, row("rest", {"l": 0.1})]
    parent = as_needs({"card": {"id": "a"}, "solutions": rows})
    narrow = as_needs({"card": {"name": "Narrow"}, "whole": {"rest": 0.5}})
    chosen = with_editorial_choices(parent, narrow)
    assert {row["id"]: row["whole"] for row in chosen["solutions"]} == {"lens": 0.0, "rest": 0.5}
    assert chosen["chosen_for"] == "Narrow"
    assert with_editorial_choices(parent, {**narrow, "whole": {}}) == parent


def test_needs_of_several_parents_become_one_document() -> None:
    listed = {"needs": [need("l", 1.0, main=True)], "solutions": [row("lens", {"l": 0.8})]}
    first = as_needs({"card": {"id": "a"}, **listed})
    rows = [row("lens", {"l": 0.9, "m": 0.2}, ("l", "m")), row("rest", {"m": 0.7})]
    second = as_needs({"card": {"id": "b"}, "needs": [need("l", 2.0), need("m", 0.5)], "solutions": rows})
    merged = merge_needs([first, second])
    assert [(need["entity"]["id"], need["weight"], need["main"]) for need in merged["needs"]] == [
        ("l", 2.0, True),
        ("m", 0.5, False),
    ]
    assert {row["id"]: (row["under"], row["usual"], row["from"]) for row in merged["solutions"]} == {
        "lens": ({"l": 0.9, "m": 0.2}, ["m"], ["a", "b"]),  # listed under l for one parent
        "rest": ({"m": 0.7}, [], ["b"]),
    }
    assert [row["from"] for row in merge_needs([first])["solutions"]] == [["a"]]
