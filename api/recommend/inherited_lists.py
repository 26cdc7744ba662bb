"""Adapts the lists of parents to a condition that inherits them, and merges the lists of several parents."""

from collections.abc import Sequence

from api.graph.listings import choices_by_setting, first_choices
from api.recommend.seed_lists import DIGITS, MAIN_NEED_FACTOR
from api.recommend.seed_needs import NeedRow, SeedNeeds, SolutionRow
from api.recommend.seeds import ResolvedSeed

OTHER_NEED_RATE = 0.5  # of what is listed under needs beside the main ones of an inheriting condition


def with_own_facts(parent: SeedNeeds, seed: ResolvedSeed) -> SeedNeeds:
    """Return the needs of a parent with the first choices and main needs of the inheriting condition, if it has any."""
    document, merged = seed.hit.document, parent
    if document.get("first_choices"):
        own_choices = first_choices(document)
        rows: list[SolutionRow] = [{**row, "whole": own_choices.get(row["id"], 0.0)} for row in parent["solutions"]]
        name: str = seed.card["name"]
        merged = {
            **parent,
            "solutions": rows,
            "chosen_for": name,
            "choices_by_setting": choices_by_setting(document),
        }
    if main_needs := frozenset(document.get("main_needs", ())):
        merged = {
            **merged,
            "needs": [_with_own_main(need, main_needs) for need in merged["needs"]],
            "solutions": [_with_own_rates(row, main_needs) for row in merged["solutions"]],
        }
    return merged


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
            rows[row["id"]] = (
                {**row, "from": [parent_id]} if merged_row is None else _merge_row(merged_row, row, parent_id)
            )
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
        "from": [*merged["from"], parent],
    }
