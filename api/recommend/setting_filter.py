"""Limits the solutions of a seed to one setting, and decides which lists rank them.

A row is a solution in the lists of a seed. Its `under` and `first` come from the lists for work, its `school` part from
those for school and testing.
"""

from collections.abc import Mapping, Sequence

from api.recommend.seed_needs import NeedRow, SeedNeeds, SolutionRow
from schema.entity_kinds import WORK

DIRECT_BASES = ("source", "editorial")  # of a solution that is named for the seed itself
OTHER_SETTING_WEIGHT = 0.5  # of what is listed for another setting only


def filter_by_setting(needs: SeedNeeds, setting: str | None) -> SeedNeeds:
    """Return the needs of a seed for one setting: the solutions that are used there, with their needs.

    For work only the lists for work count. For school and testing the solutions named there come first: a need that
    only they have, such as the condition itself, weighs as much as all others. Without a setting every solution stays:
    at full weight if the lists for work have it, at half if it is named for school only. If the lists for work are
    inherited from a broader or similar condition, they count half instead, and what is named for the seed itself counts
    in full.

    Editorial first choices that name no setting hold in each for what is used there. Without a setting, those for what
    is used at school only apply only to a seed that has no lists for work.
    """
    inherits = needs["inherits"]
    is_inherited = bool(inherits) and all(parent.relation != "narrower" for parent in inherits)
    solutions = needs["solutions"]
    if is_inherited and setting is None:
        has_direct = any("school" in row and row["school"]["basis"] in DIRECT_BASES for row in solutions)
        filtered = [_inherited_row(row, has_direct=has_direct) for row in solutions]
    else:
        has_work_lists = any(row["under"] for row in solutions)
        filtered = [_row(row, setting, has_work_lists=has_work_lists) for row in solutions]
    rows = [row for row in filtered if row["under"]]
    choices = needs.get("choices_by_setting", {}).get(setting or WORK)
    if choices is not None:
        rows = [{**row, "whole": choices.get(row["id"], 0.0)} for row in rows]
    keep_weights = setting is None and not is_inherited
    return {**needs, "needs": _needs(needs, rows, keep_weights=keep_weights), "solutions": rows}


def _needs(needs: SeedNeeds, rows: Sequence[SolutionRow], *, keep_weights: bool) -> Sequence[NeedRow]:
    """Return the needs that these rows answer.

    Unless `keep_weights`, the needs that only the school lists have count too, and the seed itself weighs as much as
    all needs at work.
    """
    seed_id = needs["card"]["id"]
    answered = {need for row in rows for need in row["under"]}
    at_work = [need for need in needs["needs"] if not need.get("school")]
    at_school = [need for need in needs["needs"] if need.get("school") and need["entity"]["id"] in answered]
    if keep_weights:
        return [*at_work, *at_school]
    work_weight = sum(need["weight"] for need in at_work)
    for need in at_school:
        is_seed = need["entity"]["id"] == seed_id
        weight = work_weight if work_weight and is_seed else need["weight"]
        at_work.append({**need, "school": False, "weight": weight})
    return at_work


def _row(row: SolutionRow, setting: str | None, *, has_work_lists: bool) -> SolutionRow:
    if setting is None and row["under"]:
        return row
    if setting is not None and setting not in row["settings"]:
        return {**row, "under": {}}
    if setting == WORK:
        return row
    if setting is None:
        first_choice = 0.0 if has_work_lists else row["whole"]
        return _school_row(row, _halved(row["school"]["under"])) | {"whole": first_choice, "aside": True}
    halved = _halved(row["under"])
    if "school" not in row:
        first = _undivided(row, halved)
        return {**row, "under": halved, "first": first, "rarity": OTHER_SETTING_WEIGHT * row["rarity"]}
    at_school = row["school"]["under"]
    under = {need: max(halved.get(need, 0.0), at_school.get(need, 0.0)) for need in (*at_school, *halved)}
    return _school_row(row, under) | {"first": _undivided(row, under), "whole": row["whole"]}


def _undivided(row: SolutionRow, under: Mapping[str, float]) -> dict[str, float]:
    """Return the first choices of a row with the points that they have without a setting, whatever the rates in it."""
    at_work, first = row["under"], row["first"]
    return {need: first[need] * max(at_work[need] / under[need], 1.0) for need in first if need in under}


def _halved(under: Mapping[str, float]) -> dict[str, float]:
    return {need: OTHER_SETTING_WEIGHT * rate for need, rate in under.items()}


def _inherited_row(row: SolutionRow, *, has_direct: bool) -> SolutionRow:
    """Return a row of inherited lists. First choices of parents apply only if nothing is named for the seed itself."""
    halved = _halved(row["under"])
    if "school" not in row or row["school"]["basis"] not in DIRECT_BASES:
        return {**row, "under": halved, "first": {} if has_direct else row["first"]}
    under = {need: max(halved.get(need, 0.0), rate) for need, rate in row["school"]["under"].items()}
    return _school_row(row, under or halved) | {"whole": row["whole"]}


def _school_row(row: SolutionRow, under: Mapping[str, float]) -> SolutionRow:
    """Return the row as it is named for school. It keeps the basis of the lists for work if the school's is derived."""
    school = row["school"]
    keep_basis = row["under"] and school["basis"] == "derived"
    usual = [
        need for need in under if need in school["usual"] or (need in row["usual"] and need not in school["under"])
    ]
    return {
        **row,
        "rarity": school["rarity"],
        "basis": row["basis"] if keep_basis else school["basis"],
        "sources": school["sources"],
        "under": under,
        "first": {},
        "whole": row["whole"] if WORK not in row["settings"] else 0.0,
        "usual": usual,
        "from": sorted({*row["from"], *school["from"]}) if row["from"] else school["from"],
        "named": True,
    }
