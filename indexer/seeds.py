"""What recommend reads of a seed, made ready at build time. Pure.

A condition, limitation or function has needs and the solutions listed under them. An occupation has demands: how much
it leans on each ability, from 0 to 1. A need and an occupation meet where the limitation limits an ability.

Each solution says in which settings it is used. `under` and `rarity` rest on the lists for work alone; `school` holds
the same two as far as it is named for school and testing. The reader chooses by the setting that is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indexer.graph import Graph
    from indexer.rows import Entity

Document = dict[str, Any]
LEVEL_MAX = 7.0  # of O*NET's level scale
HEADINGS = ("limitation", "workrelatedfunction")
WHOLE = 0.01  # a condition that stands for its own need carries next to no weight beside real ones


def seed_document(graph: Graph, entity: Entity, cards: Mapping[str, Document]) -> Document | None:
    """The seed data of one entity; None for types that cannot be seeds."""
    if entity.type == "occupation":
        return {"card": cards[entity.id], "needs": [], "solutions": [], "demands": _demands(graph, entity.id)}
    if entity.type not in ("disability", *HEADINGS):
        return None
    listings = graph.listings
    if entity.type in HEADINGS:
        needs = [entity.id]
        under = {solution: [entity.id] for solution in listings.rates.get(entity.id, {})}
    else:
        needs = [edge.target for name in ("has_limitation", "affects") for edge in graph.of(entity.id, name)]
        listed = listings.by_disability.get(entity.id, {})
        under = {solution: sorted({row.via for row in rows}) for solution, rows in listed.items()}
        needs += sorted({via for found in under.values() for via in found} - set(needs))
    at_school = {one: graph.school.under(entity.id, one, listings) for one in graph.school.solutions(entity.id)}
    shown = [_need(graph, need, cards) for need in needs]
    if entity.type == "disability" and any(entity.id in found for found in at_school.values()):
        shown.append(_need(graph, entity.id, cards) | {"telling": WHOLE})
    return {
        "card": cards[entity.id],
        "needs": shown,
        "solutions": [
            _solution(graph, solution, under.get(solution, ()), at_school.get(solution, {}), cards)
            for solution in sorted(under.keys() | at_school.keys())
        ],
        "demands": {},
    }


def _solution(
    graph: Graph, solution: str, listed: Iterable[str], at_school: Mapping[str, float], cards: Mapping[str, Document]
) -> Document:
    listings = graph.listings
    row = {
        "card": cards[solution],
        "settings": cards[solution].get("settings", []),
        "under": {need: round(listings.rates[need][solution], 4) for need in listed},
        "rarity": round(listings.rarity(solution), 4),
    }
    if at_school:
        under = {need: round(rate, 4) for need, rate in at_school.items()}
        row["school"] = {"under": under, "rarity": round(graph.school.rarity(solution), 4)}
    return row


def _need(graph: Graph, need: str, cards: Mapping[str, Document]) -> Document:
    limits = {
        edge.target: {"strength": edge.weight, "name": cards[edge.target]["name"]} for edge in graph.of(need, "limits")
    }
    return {"entity": cards[need], "telling": round(graph.listings.telling(need), 4), "limits": limits}


def _demands(graph: Graph, occupation: str) -> dict[str, float]:
    """How much the job leans on each ability it requires: importance times level, each as a share of its scale."""
    return {
        edge.target: round(edge.weight * edge.facts["level"] / LEVEL_MAX, 4)
        for edge in graph.of(occupation, "requires")
    }
