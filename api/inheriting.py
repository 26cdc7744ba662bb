"""What a narrow condition takes from the ones that speak for it, marked `inherited`. Pure.

Where several speak for it, their lists become one: each entity once, with its greatest weight, best first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Body = dict[str, Any]
Owned = tuple[str, Sequence[Mapping[str, Any]]]
FIRST = 10  # edges of each name inside a record, as the indexer writes them


def speakers(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Those whose lists are joined to a record when it is read."""
    return [one for one in record.get("inherits", ()) if one.get("totals")]


def merged(lists: Iterable[Owned]) -> list[Body]:
    """Edge items of several owners, given as (id, items): each says from whom it is inherited."""
    found: dict[str, Body] = {}
    for owner, items in lists:
        for item in items:
            known = found.get(item["id"])
            best = item if known is None or item["weight"] > known["weight"] else known
            whence = [*(known["inherited_from"] if known else ()), owner]
            sources = list(dict.fromkeys([*(known["sources"] if known else ()), *item["sources"]]))
            found[item["id"]] = {**best, "basis": "inherited", "sources": sources, "inherited_from": whence}
    return sorted(found.values(), key=lambda one: (-one["weight"], one["name"].casefold(), one["id"]))


def completed(record: Mapping[str, Any], left: Mapping[str, Mapping[str, Any]]) -> Body:
    """The record of a narrow condition with what its speakers hand down, given by their ids."""
    lists: dict[str, list[Owned]] = {}
    for owner, one in left.items():
        for group in one["edges"]:
            lists.setdefault(group["name"], []).append((owner, group["items"]))
    edges = [
        group if group["items"] else {**group, "items": merged(lists.get(group["name"], ()))[:FIRST]}
        for group in record["edges"]
    ]
    sources = {source["id"]: source for said in (record, *left.values()) for source in said["sources"]}
    return {**record, "accommodation_ideas": _ideas(left), "edges": edges, "sources": list(sources.values())}


def _ideas(left: Mapping[str, Mapping[str, Any]]) -> list[Body]:
    """One idea for each heading; its solutions are the first ones of every speaker that has it."""
    found: dict[str, Body] = {}
    for owner, one in left.items():
        for idea in one["ideas"]:
            known = found.get(idea["heading"]["id"])
            if known is None:
                found[idea["heading"]["id"]] = {**idea, "inherited_from": [owner]}
                continue
            solutions = {card["id"]: card for card in (*known["solutions"], *idea["solutions"])}
            ranked = sorted(solutions.values(), key=lambda card: (-card["weight"], card["name"].casefold()))
            known |= {
                "solutions": ranked[: max(len(known["solutions"]), len(idea["solutions"]))],
                "total": max(known["total"], idea["total"]),
                "inherited_from": [*known["inherited_from"], owner],
            }
    return list(found.values())


def preferring(document: Mapping[str, Any], heir: Mapping[str, Any]) -> Mapping[str, Any]:
    """The document of a speaker, with what the editors would try first for its heir where they say so."""
    own: Mapping[str, float] = heir.get("whole", {})
    if not own:
        return document
    rows = [{**row, "whole": own.get(row["id"], 0.0)} for row in document["solutions"]]
    return {**document, "solutions": rows, "chosen_for": heir["card"]["name"]}


def joined(spoken: Sequence[Mapping[str, Any]]) -> Body:
    """One `needs` document of several: every need with its greatest weight, every solution where it is most usual."""
    needs: dict[str, Body] = {}
    rows: dict[str, Body] = {}
    for document in spoken:
        owner = document["card"]["id"]
        for need in document["needs"]:
            known = needs.get(need["entity"]["id"])
            needs[need["entity"]["id"]] = dict(need) if known is None else _weightier(known, need)
        for row in document["solutions"]:
            known = rows.get(row["id"])
            rows[row["id"]] = {**row, "from": [owner]} if known is None else _both(known, row, owner)
    return {**spoken[0], "needs": list(needs.values()), "solutions": list(rows.values())}


def _weightier(one: Body, other: Mapping[str, Any]) -> Body:
    best = max(one, other, key=lambda need: float(need["weight"]))
    school = bool(one.get("school")) and bool(other.get("school"))
    return {**best, "main": one["main"] or other["main"], "school": school}


def _both(one: Body, other: Mapping[str, Any], owner: str) -> Body:
    under = dict(one["under"])
    for need, rate in other["under"].items():
        under[need] = max(rate, under.get(need, 0.0))
    told = [{need for need in row["under"] if need not in row["usual"]} for row in (one, other)]
    return {
        **one,
        "under": under,
        "first": {**other["first"], **one["first"]},
        "whole": max(one["whole"], other["whole"]),
        "usual": [need for need in under if need not in told[0] | told[1]],
        "from": [*one["from"], owner],
    }
