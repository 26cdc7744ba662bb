"""Rows that keep answers safe: sides of needs, exclusions, cautions, and rules of jobs.

A side names what troubles a person: heat or cold, bright light or too little of it. A row `concerns` conditions,
needs, or the jobs whose codes begin with what follows `occupation:`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

Rows = Callable[..., tuple[Any, ...]]  # (table, row type, column …) → rows


class NeedSide(NamedTuple):
    """A side of a need. `label` completes "troubled by …", `words` are what people type for it."""

    need: str
    side: str
    opposites: tuple[str, ...]
    label: str
    words: tuple[str, ...]
    basis: str
    sources: tuple[str, ...]


class SolutionSide(NamedTuple):
    """The sides of a need that a solution serves, and those that it makes worse."""

    solution: str
    need: str
    serves: tuple[str, ...]
    worsens: tuple[str, ...]
    basis: str
    sources: tuple[str, ...]


class ConditionSide(NamedTuple):
    """The side that troubles people with a condition: `occurs` is one (only this side) or both (this one usually).

    `page` is the address that states it, empty if the editors do.
    """

    disability: str
    need: str
    side: str
    occurs: str
    basis: str
    page: str
    sources: tuple[str, ...]


class Exclusion(NamedTuple):
    """A solution must not be suggested for what the row concerns. `page` is the address that states it, if any.

    `effect` is harmful or useless; empty, as in exports without this column, it counts as harmful.
    """

    solution: str
    concerns: tuple[str, ...]
    effect: str
    reason: str
    basis: str
    page: str
    sources: tuple[str, ...]


class Caution(NamedTuple):
    """One sentence on what to do; without a solution it applies to every answer for what it concerns.

    If that is jobs and something else, it applies to people in one of these jobs with one of the others.

    `as_of` is the date on the copy that was read (an ISO date, month or year) or unknown, `read` the date of reading.
    """

    solution: str
    concerns: tuple[str, ...]
    severity: str
    text: str
    source_title: str
    source_url: str
    as_of: str
    read: str


class JobRule(NamedTuple):
    """A pointer to a public standard that may apply to jobs, by the first figures of their codes, and conditions."""

    occupations: tuple[str, ...]
    concerns: tuple[str, ...]
    text: str
    source_title: str
    source_url: str
    as_of: str
    read: str


@dataclass(frozen=True, slots=True)
class Guidance:
    """The rows of all these tables."""

    need_sides: tuple[NeedSide, ...] = ()
    solution_sides: tuple[SolutionSide, ...] = ()
    condition_sides: tuple[ConditionSide, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    cautions: tuple[Caution, ...] = ()
    job_rules: tuple[JobRule, ...] = ()


def parse_guidance(rows: Rows) -> Guidance:
    """Return the rows of the tables that exist."""

    def table(stem: str, row: type[Any]) -> tuple[Any, ...]:
        return rows(stem, row, *row._fields)

    return Guidance(
        need_sides=table("need_sides", NeedSide),
        solution_sides=table("solution_sides", SolutionSide),
        condition_sides=table("condition_sides", ConditionSide),
        exclusions=table("not_for", Exclusion),
        cautions=table("cautions", Caution),
        job_rules=table("job_rules", JobRule),
    )
