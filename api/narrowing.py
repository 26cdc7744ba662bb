"""Which of a seed's solutions are used in the setting that was asked for, and by which lists they are ranked. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Body = dict[str, Any]
WORK = "work"
CARRIED = 0.5  # what is listed for one place alone counts half in another


def in_setting(needs: Mapping[str, Any], setting: str | None) -> Body:
    """The `needs` document of a seed as one setting sees it: solutions that are used there, each with its needs.

    For work only the lists for work count. For school and testing what is named there comes first: a need of which
    only they know, such as the condition as a whole, weighs as much as all others. Without a setting every solution
    stays, by the lists for work where it stands in them, by half where it is named for school alone. What the editors
    would try first is a judgement on work.
    """
    rows = [row for one in needs["solutions"] if (row := _row(one, setting))["under"]]
    return {**needs, "needs": _needs(needs, rows, setting), "solutions": rows}


def _needs(
    needs: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], setting: str | None
) -> Sequence[Mapping[str, Any]]:
    itself = needs["card"]["id"]
    answered = {need for row in rows for need in row["under"]}
    at_work = [need for need in needs["needs"] if not need.get("school")]
    others = [need for need in needs["needs"] if need.get("school") and need["entity"]["id"] in answered]
    if setting is None:
        return [*at_work, *others]
    whole = sum(need["weight"] for need in at_work)
    return [
        *at_work,
        *(
            {**need, "school": False, "weight": whole if whole and need["entity"]["id"] == itself else need["weight"]}
            for need in others
        ),
    ]


def _row(row: Mapping[str, Any], setting: str | None) -> Mapping[str, Any]:
    if setting is None and row["under"]:
        return row
    if setting is not None and setting not in row["settings"]:
        return {**row, "under": {}}
    school: Mapping[str, Any] = row.get("school", {})
    if setting == WORK:
        return row
    if setting is None:
        return _named(row, {need: CARRIED * rate for need, rate in school["under"].items()})
    carried = {need: CARRIED * rate for need, rate in row["under"].items()}
    if not school:
        return {**row, "under": carried, "rarity": CARRIED * row["rarity"], "first": {}, "whole": 0.0}
    named: Mapping[str, float] = school["under"]
    return _named(row, {need: max(carried.get(need, 0.0), named.get(need, 0.0)) for need in (*named, *carried)})


def _named(row: Mapping[str, Any], under: Mapping[str, float]) -> Body:
    """The row by what is named for school; it keeps what the lists for work say of needs that they know better."""
    school: Mapping[str, Any] = row["school"]
    firmer = row["under"] and school["basis"] == "derived"
    usual = [
        need for need in under if need in school["usual"] or (need in row["usual"] and need not in school["under"])
    ]
    return {
        "id": row["id"],
        "name": row["name"],
        "made_for": row["made_for"],
        "rarity": school["rarity"],
        "basis": row["basis"] if firmer else school["basis"],
        "sources": school["sources"],
        "under": under,
        "first": {},
        "whole": 0.0,
        "usual": usual,
        "from": sorted({*row["from"], *school["from"]}) if row["from"] else school["from"],
        "named": True,
    }
