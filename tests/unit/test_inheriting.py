"""What several conditions hand down becomes one answer: each entity once, by its greatest weight."""

from __future__ import annotations

from typing import Any

from api.inheriting import completed, joined, merged, preferring, speakers

Body = dict[str, Any]


def item(key: str, weight: float, *sources: str) -> Body:
    return {"id": key, "name": key.title(), "weight": weight, "basis": "source", "sources": list(sources)}


def test_edges_of_several_become_one_list_best_first() -> None:
    found = merged([("a", [item("lens", 0.4, "s"), item("rest", 0.9)]), ("b", [item("lens", 0.6, "s", "t")])])
    assert [(one["id"], one["weight"], one["inherited_from"], one["basis"]) for one in found] == [
        ("rest", 0.9, ["a"], "inherited"),
        ("lens", 0.6, ["a", "b"], "inherited"),
    ]
    assert found[1]["sources"] == ["s", "t"]


def test_a_record_is_completed_by_what_its_speakers_hand_down() -> None:
    def left(*solutions: Body) -> Body:
        idea = {"heading": {"id": "limitation:l"}, "solutions": list(solutions), "total": 9}
        return {
            "edges": [{"name": "recommends", "items": list(solutions)}],
            "ideas": [idea],
            "sources": [{"id": solutions[0]["sources"][0]}],
        }

    record = {
        "inherits": [{"id": "a", "totals": {"recommends": 9}}, {"id": "limitation:x"}],
        "edges": [{"name": "recommends", "total": 12, "items": []}, {"name": "broader", "total": 1, "items": ["a"]}],
        "accommodation_ideas": [],
        "sources": [{"id": "own"}],
    }
    assert [one["id"] for one in speakers(record)] == ["a"]
    found = completed(record, {"a": left(item("lens", 0.4, "s")), "b": left(item("rest", 0.9, "t"))})
    assert [[one["id"] for one in found["edges"][0]["items"]], found["edges"][1]["items"]] == [["rest", "lens"], ["a"]]
    (idea,) = found["accommodation_ideas"]
    assert ([one["id"] for one in idea["solutions"]], idea["inherited_from"]) == (["rest"], ["a", "b"])
    assert found["sources"] == [{"id": "own"}, {"id": "s"}, {"id": "t"}]


def need(key: str, weight: float, *, main: bool = False) -> Body:
    return {"entity": {"id": key}, "weight": weight, "main": main, "limits": {}}


def row(key: str, under: dict[str, float], usual: tuple[str, ...] = ()) -> Body:
    chosen = {"first": {}, "whole": 0.0}
    return {"id": key, "under": under, **chosen, "usual": list(usual), "from": ["kind"], "basis": "source"}


def test_an_heir_of_which_the_editors_speak_is_not_spoken_of_by_others() -> None:
    main = {"card": {"id": "a"}, "solutions": [{**row("lens", {"l": 0.8}), "whole": 1.0}, row("rest", {"l": 0.1})]}
    heir = {"card": {"name": "Heir"}, "whole": {"rest": 0.5}}
    found = preferring(main, heir)
    assert ({one["id"]: one["whole"] for one in found["solutions"]}, found["chosen_for"]) == (
        {"lens": 0.0, "rest": 0.5},
        "Heir",
    )
    assert preferring(main, {**heir, "whole": {}}) == main


def test_needs_of_several_become_one_question() -> None:
    one = {
        "card": {"id": "a"},
        "needs": [need("l", 1.0, main=True)],
        "solutions": [row("lens", {"l": 0.8})],
        "demands": {},
    }
    other = {
        "card": {"id": "b"},
        "needs": [need("l", 2.0), need("m", 0.5)],
        "solutions": [row("lens", {"l": 0.9, "m": 0.2}, ("l", "m")), row("rest", {"m": 0.7})],
        "demands": {},
    }
    found = joined([one, other])
    assert [(own["entity"]["id"], own["weight"], own["main"]) for own in found["needs"]] == [
        ("l", 2.0, True),
        ("m", 0.5, False),
    ]
    assert {own["id"]: (own["under"], own["usual"], own["from"]) for own in found["solutions"]} == {
        "lens": ({"l": 0.9, "m": 0.2}, ["m"], ["a", "b"]),  # listed under l for one of them
        "rest": ({"m": 0.7}, [], ["b"]),
    }
    assert [own["from"] for own in joined([one])["solutions"]] == [["a"]]
