"""Merges what a narrower condition inherits from its parents, marked `inherited`.

A parent is a condition whose lists it uses. The lists of several parents become one: each entity once, with its
greatest weight, best first.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from schema.json_types import JsonObject
from schema.needs_document import NeedRow, NeedsDocument, SolutionRow

ParentItems = tuple[str, Sequence[Mapping[str, Any]]]  # the id of a parent and its edge items
MAX_RECORD_EDGES = 10  # of each name inside a record, as the indexer writes them


def parents(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the entities whose lists are merged into a record when it is read."""
    return [parent for parent in record.get("inherits", ()) if parent.get("totals")]


def merge_edges(lists: Iterable[ParentItems]) -> list[JsonObject]:
    """Return the edge items of several parents as one list; each item names the parents that have it."""
    merged: dict[str, JsonObject] = {}
    for parent, items in lists:
        for item in items:
            known = merged.get(item["id"])
            best = item if known is None or item["weight"] > known["weight"] else known
            inherited_from = [*(known["inherited_from"] if known else ()), parent]
            sources = list(dict.fromkeys([*(known["sources"] if known else ()), *item["sources"]]))
            merged[item["id"]] = {**best, "basis": "inherited", "sources": sources, "inherited_from": inherited_from}
    return sorted(merged.values(), key=lambda item: (-item["weight"], item["name"].casefold(), item["id"]))


def with_inherited(record: Mapping[str, Any], inherited: Mapping[str, Mapping[str, Any]]) -> JsonObject:
    """Return the record of a condition with the edges, ideas and sources that it inherits, given by parent."""
    lists: dict[str, list[ParentItems]] = {}
    for parent, document in inherited.items():
        for group in document["edges"]:
            lists.setdefault(group["name"], []).append((parent, group["items"]))
    edges = [
        group if group["items"] else {**group, "items": merge_edges(lists.get(group["name"], ()))[:MAX_RECORD_EDGES]}
        for group in record["edges"]
    ]
    sources = {source["id"]: source for document in (record, *inherited.values()) for source in document["sources"]}
    return {
        **record,
        "accommodation_ideas": _merge_ideas(inherited),
        "edges": edges,
        "sources": list(sources.values()),
    }


def _merge_ideas(inherited: Mapping[str, Mapping[str, Any]]) -> list[JsonObject]:
    """Return one idea for each heading, with the best solutions of every parent that has it."""
    merged: dict[str, JsonObject] = {}
    for parent, document in inherited.items():
        for idea in document["ideas"]:
            known = merged.get(idea["heading"]["id"])
            if known is None:
                merged[idea["heading"]["id"]] = {**idea, "inherited_from": [parent]}
                continue
            solutions = {card["id"]: card for card in (*known["solutions"], *idea["solutions"])}
            ranked = sorted(solutions.values(), key=lambda card: (-card["weight"], card["name"].casefold()))
            known |= {
                "solutions": ranked[: max(len(known["solutions"]), len(idea["solutions"]))],
                "total": max(known["total"], idea["total"]),
                "inherited_from": [*known["inherited_from"], parent],
            }
    return list(merged.values())


def with_editorial_choices(parent: NeedsDocument, needs: NeedsDocument) -> NeedsDocument:
    """Return the parent's `needs` document with the first choices of the inheriting condition, if editors named any."""
    first_choices = needs.get("whole", {})
    if not first_choices:
        return parent
    rows: list[SolutionRow] = [{**row, "whole": first_choices.get(row["id"], 0.0)} for row in parent["solutions"]]
    return {**parent, "solutions": rows, "chosen_for": needs["card"]["name"]}


def merge_needs(documents: Sequence[NeedsDocument]) -> NeedsDocument:
    """Return one `needs` document of several: every need with its greatest weight, every solution at its best rates."""
    needs: dict[str, NeedRow] = {}
    rows: dict[str, SolutionRow] = {}
    for document in documents:
        parent = document["card"]["id"]
        for need in document["needs"]:
            merged_need = needs.get(need["entity"]["id"])
            needs[need["entity"]["id"]] = need if merged_need is None else _merge_need(merged_need, need)
        for row in document["solutions"]:
            merged_row = rows.get(row["id"])
            rows[row["id"]] = {**row, "from": [parent]} if merged_row is None else _merge_row(merged_row, row, parent)
    sources = [source for document in documents for source in document.get("sources", ())]
    return {**documents[0], "needs": list(needs.values()), "solutions": list(rows.values()), "sources": sources}


def _merge_need(merged: NeedRow, need: NeedRow) -> NeedRow:
    heavier = max(merged, need, key=lambda need: need["weight"])
    school = bool(merged.get("school")) and bool(need.get("school"))
    return {**heavier, "main": merged["main"] or need["main"], "school": school}


def _merge_row(merged: SolutionRow, row: SolutionRow, parent: str) -> SolutionRow:
    under = dict(merged["under"])
    for need, rate in row["under"].items():
        under[need] = max(rate, under.get(need, 0.0))
    stated = {need for either in (merged, row) for need in either["under"] if need not in either["usual"]}
    return {
        **merged,
        "under": under,
        "first": {**row["first"], **merged["first"]},
        "whole": max(merged["whole"], row["whole"]),
        "usual": [need for need in under if need not in stated],
        "from": [*merged["from"], parent],
    }
