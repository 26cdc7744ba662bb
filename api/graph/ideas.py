"""Accommodation ideas of a record: solutions under the heading, a limitation or function, for which they are listed."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from api.graph.edges import edge_card
from api.graph.listings import Listings
from schema.json_types import JsonObject

INHERITED_PREVIEW = 3  # solutions per idea in the record of an inheriting condition; the neighbors route has all
WEIGHT_DIGITS = 4


def ideas_of_need(card: Mapping[str, Any], edges: Sequence[Mapping[str, Any]]) -> list[JsonObject]:
    """Return the one idea of a limitation or function: its solutions under its own name; none without any."""
    return [_idea(card, {edge["target"]: edge["weight"] for edge in edges}, edges)] if edges else []


def ideas_of_condition(condition: str, listings: Listings) -> list[JsonObject]:
    """Return one idea for each need of a condition under which solutions are listed, stated needs first."""
    listed = listings.conditions[condition]
    edges = listed.edges.get("recommends", ())
    by_need: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for edge in edges:
        solution = edge["target"]
        school = listings.school_weights(condition, solution)
        for need in edge.get("via") or [need for need in school if need != condition] or (condition,):
            rates = listings.needs[need].rates if need in listings.needs else {}
            rate = rates.get(solution, school.get(need, edge["weight"]))
            by_need[need][solution] = round(rate, WEIGHT_DIGITS)
    stated = listed.stated_needs
    ordered = [need for need in stated if need in by_need] + sorted(by_need.keys() - set(stated))
    return [_idea(_heading_card(need, listings), by_need[need], edges) for need in ordered]


def _heading_card(heading: str, listings: Listings) -> Mapping[str, Any]:
    """Return the card of a need, or of a condition: the one itself, or a narrower one that lists the solution."""
    return listings.needs[heading].card if heading in listings.needs else listings.conditions[heading].card


def heading_sources(ideas: Iterable[Mapping[str, Any]], listings: Listings) -> list[str]:
    """Return the sources of the entities that head these ideas."""
    headings = [idea["heading"]["id"] for idea in ideas]
    owners = [listings.needs.get(heading) or listings.conditions[heading] for heading in headings]
    return [source for owner in owners for source in owner.sources]


def _idea(heading: Mapping[str, Any], weights: Mapping[str, float], edges: Sequence[Mapping[str, Any]]) -> JsonObject:
    cards = [edge_card(edge) | {"weight": weights[edge["target"]]} for edge in edges if edge["target"] in weights]
    cards.sort(key=lambda card: (-card["weight"], card["name"].casefold()))
    return {"heading": {key: heading[key] for key in ("id", "name", "type")}, "solutions": cards}


def without_solutions(idea: JsonObject, excluded: Container[str]) -> JsonObject:
    """Return an idea without some solutions; its `total`, if it has one, counts the rest."""
    kept = [solution for solution in idea["solutions"] if solution["id"] not in excluded]
    removed = len(idea["solutions"]) - len(kept)
    total = {"total": idea["total"] - removed} if "total" in idea else {}
    return {**idea, "solutions": kept, **total}


def merge_ideas(ideas_by_parent: Mapping[str, Sequence[JsonObject]]) -> list[JsonObject]:
    """Return the ideas that a condition inherits: one for each heading, with the best solutions of all parents.

    `total` counts the solutions of all parents under the heading.
    """
    merged: dict[str, JsonObject] = {}
    solutions: defaultdict[str, dict[str, JsonObject]] = defaultdict(dict)
    for parent, ideas in ideas_by_parent.items():
        for idea in ideas:
            heading = idea["heading"]["id"]
            known = merged.setdefault(heading, {"heading": idea["heading"], "inherited_from": []})
            known["inherited_from"].append(parent)
            for card in idea["solutions"]:
                best = solutions[heading].get(card["id"], card)
                solutions[heading][card["id"]] = max(best, card, key=lambda either: float(either["weight"]))
    for heading, idea in merged.items():
        ranked = sorted(solutions[heading].values(), key=lambda card: (-card["weight"], card["name"].casefold()))
        idea |= {"solutions": ranked[:INHERITED_PREVIEW], "total": len(ranked)}
    return list(merged.values())
