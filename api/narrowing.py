"""Which of a seed's solutions are used in the setting that was asked for, and by which lists they are ranked. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Body = dict[str, Any]
WORK, SCHOOL = "work", "school"
STATED = ("source", "editorial")  # grounds on which a solution is named for the seed itself
CARRIED = 0.5  # what is listed for one place alone counts half in another


def in_setting(needs: Mapping[str, Any], setting: str | None) -> Body:
    """The `needs` document of a seed as one setting sees it: solutions that are used there, each with its needs.

    For work only the lists for work count. For school and testing what is named there comes first: a need of which
    only they know, such as the condition as a whole, weighs as much as all others. Without a setting every solution
    stays, by the lists for work where it stands in them, by half where it is named for school alone; where the lists
    for work are those of a broader or a like one, it is they that count half, beside what is named for the seed itself.
    What the editors would try first is a judgement on work, or on lessons for what is used at school alone; without a
    setting it holds for whatever a seed has that has no lists for work.
    """
    inherits = () if needs.get("heir_of") else needs.get("inherits", ())
    borrowed = bool(inherits) and all(one["relation"] != "narrower" for one in inherits)
    seen = _beside_relatives(needs["solutions"]) if borrowed and setting is None else _rows(needs["solutions"], setting)
    rows = [row for row in seen if row["under"]]
    alone = setting is None and not borrowed
    return {**needs, "needs": _needs(needs, rows, alone=alone), "solutions": rows}


def _needs(needs: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], *, alone: bool) -> Sequence[Mapping[str, Any]]:
    """The needs that these rows answer. Lists for work weigh them `alone`, or the seed itself as much as all."""
    itself = needs["card"]["id"]
    answered = {need for row in rows for need in row["under"]}
    at_work = [need for need in needs["needs"] if not need.get("school")]
    others = [need for need in needs["needs"] if need.get("school") and need["entity"]["id"] in answered]
    if alone:
        return [*at_work, *others]
    whole = sum(need["weight"] for need in at_work)
    return [
        *at_work,
        *(
            {**need, "school": False, "weight": whole if whole and need["entity"]["id"] == itself else need["weight"]}
            for need in others
        ),
    ]


def _rows(rows: Sequence[Mapping[str, Any]], setting: str | None) -> Iterator[Mapping[str, Any]]:
    at_work = any(row["under"] for row in rows)
    return (_row(row, setting, at_work=at_work) for row in rows)


def _row(row: Mapping[str, Any], setting: str | None, *, at_work: bool) -> Mapping[str, Any]:
    if setting is None and row["under"]:
        return row
    if setting is not None and setting not in row["settings"]:
        return {**row, "under": {}}
    school: Mapping[str, Any] = row.get("school", {})
    if setting == WORK:
        return row
    if setting is None:
        halved = {need: CARRIED * rate for need, rate in school["under"].items()}
        return _named(row, halved) | {"whole": 0.0 if at_work else row["whole"], "aside": True}
    carried = {need: CARRIED * rate for need, rate in row["under"].items()}
    if not school:
        return {**row, "under": carried, "rarity": CARRIED * row["rarity"], "first": {}, "whole": 0.0}
    named: Mapping[str, float] = school["under"]
    both = {need: max(carried.get(need, 0.0), named.get(need, 0.0)) for need in (*named, *carried)}
    return _named(row, both) | ({} if setting == SCHOOL else {"whole": 0.0})


def _beside_relatives(rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The rows of a seed without lists of its own for work. What is tried first for others is so unless it has any."""
    judged: dict[str, float] | None = {} if any(row.get("school", {}).get("basis") in STATED for row in rows) else None
    return (_beside(row, row["first"] if judged is None else judged) for row in rows)


def _beside(row: Mapping[str, Any], first: Mapping[str, float]) -> Mapping[str, Any]:
    carried = {need: CARRIED * rate for need, rate in row["under"].items()}
    school: Mapping[str, Any] = row.get("school", {})
    if school.get("basis") not in STATED:
        return {**row, "under": carried, "first": first}
    under = {need: max(carried.get(need, 0.0), rate) for need, rate in school["under"].items()}
    return _named(row, under or carried) | {"whole": row["whole"]}


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
        "whole": row["whole"] if WORK not in row["settings"] else 0.0,
        "usual": usual,
        "from": sorted({*row["from"], *school["from"]}) if row["from"] else school["from"],
        "named": True,
    }
