"""Adapts the lists of parents to a condition that inherits them, and merges the lists of several parents."""

from collections.abc import Mapping, Sequence

from api.graph.listings import Solution, choices_by_setting, first_choices
from api.recommend.seed_lists import DIGITS, MAIN_NEED_FACTOR
from api.recommend.seed_needs import NeedRow, SeedNeeds, SolutionRow
from api.recommend.seeds import ResolvedSeed
from schema.entity_kinds import WORK
from schema.json_types import JsonObject

EDITORS = "editorial"  # the source of what only this project's editors state
CHOSEN_RATE = 0.7  # of a first choice that no parent lists, under the needs that it answers
UNCHOSEN_RATE = 0.8  # of what parents list, beside first choices for the inheriting condition itself
OTHER_NEED_RATE = 0.5  # of what is listed under needs beside the main ones of an inheriting condition


def own_choices(seed: ResolvedSeed) -> list[str]:
    """Return the solutions that editors chose first for a condition that inherits, in any setting."""
    return [choice["solution"] for choice in seed.hit.document.get("first_choices", ()) if seed.parents]


def with_own_facts(parent: SeedNeeds, seed: ResolvedSeed, solutions: Mapping[str, Solution]) -> SeedNeeds:
    """Return the needs of a parent with the first choices and main needs of the inheriting condition, if it has any.

    First choices that the parent does not list are added from `solutions`, which have them by id.
    """
    document, merged = seed.hit.document, parent
    chosen = set(own_choices(seed))
    if main_needs := frozenset(document.get("main_needs", ())):
        merged = {
            **merged,
            "misses_main_needs": main_needs.isdisjoint(need["entity"]["id"] for need in merged["needs"]),
            "needs": [_with_own_main(need, main_needs) for need in merged["needs"]],
            "solutions": [
                row if row["id"] in chosen else _with_own_rates(row, main_needs) for row in merged["solutions"]
            ],
        }
    if not chosen:
        return merged
    choices = first_choices(document)
    needs = _chosen_needs(merged["needs"])
    listed = {row["id"] for row in parent["solutions"]}
    missing = [choice for choice in document["first_choices"] if choice["solution"] not in listed]
    added = [_chosen_row(choice, solutions[choice["solution"]], needs) for choice in missing]
    rows: list[SolutionRow] = [*merged["solutions"], *added]
    by_setting = {**parent.get("choices_by_setting", {}), **choices_by_setting(document)}
    merged = {**merged, "solutions": rows, "choices_by_setting": by_setting}
    if not choices and WORK not in choices_by_setting(document):  # for school only: at work those of the parent stay
        return merged
    rows = [{**row, "whole": choices.get(row["id"], 0.0)} for row in rows]
    name: str = seed.card["name"]
    return {**merged, "solutions": rows, "chosen_for": name, "choices_by_setting": choices_by_setting(document)}


def _chosen_needs(needs: Sequence[NeedRow]) -> list[str]:
    """Return the needs that first choices answer which no source lists: the main ones, else the heaviest."""
    at_work = [need for need in needs if not need.get("school")] or needs
    return [need["entity"]["id"] for need in at_work if need["main"]] or [
        need["entity"]["id"] for need in sorted(at_work, key=lambda need: -need["weight"])[:1]
    ]


def _chosen_row(choice: JsonObject, solution: Solution, needs: Sequence[str]) -> SolutionRow:
    """Return the row of a first choice that no parent lists."""
    under = dict.fromkeys(needs, CHOSEN_RATE)
    row: SolutionRow = {
        "id": choice["solution"],
        "name": solution.card["name"],
        "settings": solution.settings,
        "basis": "editorial",
        "under": under if WORK in choice.get("settings", (WORK,)) else {},
        "first": {},
        "whole": 0.0,
        "rarity": solution.rarity,
        "made_for": solution.made_for,
        "usual": [],
        "from": [],
        "sources": [EDITORS],
        "chosen": True,
    }
    if WORK not in solution.settings or set(choice.get("settings", ())) - {WORK}:
        row["school"] = {
            "under": under,
            "rarity": solution.school_rarity,
            "basis": "editorial",
            "sources": [EDITORS],
            "usual": [],
            "from": [],
        }
    return row


def prefer_own_choices(needs: SeedNeeds, setting: str | None) -> SeedNeeds:
    """Return the needs in a setting; where editors chose what to try first for the condition, the rest counts less.

    The lists of a parent serve all that it covers, its first choices too; those for the condition itself know better.
    """
    if "chosen_for" not in needs or (setting not in (None, WORK) and setting not in needs["choices_by_setting"]):
        return needs
    rows = [row if row["whole"] else _scaled(row, UNCHOSEN_RATE) for row in needs["solutions"]]
    return {**needs, "solutions": rows}


def _scaled(row: SolutionRow, factor: float) -> SolutionRow:
    return {**row, "under": {need: rate * factor for need, rate in row["under"].items()}}


def _with_own_rates(row: SolutionRow, main_needs: frozenset[str]) -> SolutionRow:
    """Return a row whose other needs, which the inheriting condition is not known for, count half."""
    under = {need: rate if need in main_needs else rate * OTHER_NEED_RATE for need, rate in row["under"].items()}
    return {**row, "under": under}


def _with_own_main(need: NeedRow, main_needs: frozenset[str]) -> NeedRow:
    """Return a need of a parent, weighted by whether it is a main need of the inheriting condition."""
    is_main = need["entity"]["id"] in main_needs
    weight = need["weight"] / (MAIN_NEED_FACTOR if need["main"] else 1.0) * (MAIN_NEED_FACTOR if is_main else 1.0)
    return {**need, "main": is_main, "weight": round(weight, DIGITS)}


def merge_needs(parents: Sequence[SeedNeeds]) -> SeedNeeds:
    """Return the needs of several parents as one: each need at its greatest weight, each solution at its best rates."""
    needs: dict[str, NeedRow] = {}
    rows: dict[str, SolutionRow] = {}
    for parent in parents:
        for need in parent["needs"]:
            merged_need = needs.get(need["entity"]["id"])
            needs[need["entity"]["id"]] = need if merged_need is None else _merge_need(merged_need, need)
        parent_id = parent["card"]["id"]
        for row in parent["solutions"]:
            merged_row = rows.get(row["id"])
            if merged_row is not None:
                rows[row["id"]] = _merge_row(merged_row, row, parent_id)
            else:
                rows[row["id"]] = row if row.get("chosen") else {**row, "from": [parent_id]}
    sources = [source for parent in parents for source in parent["sources"]]
    return {**parents[0], "needs": list(needs.values()), "solutions": list(rows.values()), "sources": sources}


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
        "from": merged["from"] if row.get("chosen") else [*merged["from"], parent],
    }
