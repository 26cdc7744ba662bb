"""Which of a seed's solutions are used in the setting that was asked for, and by which lists they are ranked. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Body = dict[str, Any]
WORK = "work"
CARRIED = 0.5  # what is listed for work alone and used at school too counts half there


def in_setting(needs: Mapping[str, Any], setting: str | None) -> Body:
    """The `needs` document of a seed as one setting sees it: solutions that are used there, each with its needs.

    For work only the lists for work count. For school and testing what is named there comes first: a condition for
    which solutions are named as a whole is a need of its own and weighs as much as all its others. Without a setting
    every solution stays, by the lists for work where it stands in them.
    """
    rows = [row for one in needs["solutions"] if (row := _row(one, setting))["under"]]
    return {**needs, "needs": _needs(needs, rows, setting), "solutions": rows}


def _needs(needs: Mapping[str, Any], rows: Sequence[Body], setting: str | None) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = needs["needs"]
    itself = needs["card"]["id"]
    others = [need for need in found if need["entity"]["id"] != itself]
    if len(others) in {0, len(found)}:  # a limitation, or a condition for which nothing is named as a whole
        return found
    if not any(itself in row["under"] for row in rows):
        return others
    own = next(need for need in found if need["entity"]["id"] == itself)
    weight = sum(need["telling"] for need in others) if setting else own["telling"]
    return [*others, {**own, "telling": weight}]


def _row(row: Mapping[str, Any], setting: str | None) -> Body:
    work: Mapping[str, float] = row["under"]
    school: Mapping[str, Any] = row.get("school", {})
    if setting is not None and setting not in row["settings"]:
        return {**row, "under": {}}
    if setting == WORK or (setting is None and work):
        return {**row, "under": work}
    carried = {need: CARRIED * rate for need, rate in work.items()}
    if not school:
        return {**row, "under": carried, "rarity": CARRIED * row["rarity"]}
    named: Mapping[str, float] = school["under"]
    under = {need: max(carried.get(need, 0.0), named.get(need, 0.0)) for need in (*named, *carried)}
    return {**row, "under": under, "rarity": school["rarity"]}
