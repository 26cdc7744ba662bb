"""Checks the tables that keep answers safe: sides of needs, exclusions, cautions, and rules of jobs."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from indexer.content.cell_checks import ReferenceIndex
from indexer.content.csv_table import Table
from indexer.content.editorial_checks import date_problems, items_of
from indexer.content.problems import Location, NearestMatch, Problem, fold, quote
from indexer.content.table_specs import TABLE_SPECS
from schema.entity_kinds import JOBS, NEED_TYPES

MAX_CAUTION, MAX_JOB_RULE = 160, 200  # characters
CONCERNED = ("disability", *NEED_TYPES)
FULL_STOPS = (".", "!", "?")
CITATION = re.compile(r"\([^)]*\)|\d+ CFR (part )?[\d.]+")  # "(49 CFR 391.41)"
THRESHOLD = re.compile(r"(?<![\w-])\d+(/\d+)?|\bpercent\b")
OUTCOME = re.compile(
    r"\b(may not|must not|can ?not|can't|not allowed|barred|banned|unfit|disqualif\w+|exempt\w*)\b", re.IGNORECASE
)


class Sides(NamedTuple):
    """The sides of each need, and the opposites of each side."""

    by_need: Mapping[str, Collection[str]]
    opposites: Mapping[str, Collection[str]]

    @staticmethod
    def of(table: Table | None) -> "Sides":
        """Read the table of needs."""
        by_need: defaultdict[str, list[str]] = defaultdict(list)
        opposites: defaultdict[str, set[str]] = defaultdict(set)
        for need, side, opposed in table.rows("need", "side", "opposites") if table else ():
            by_need[need].append(side)
            opposites[side].update(items_of(opposed))
        return Sides(by_need, opposites)


def guidance_problems(tables: Mapping[str, Table], index: ReferenceIndex) -> Iterator[Problem]:
    """Yield the problems of all these tables."""
    sides = Sides.of(tables.get("need_sides"))
    if table := tables.get("need_sides"):
        yield from _need_problems(table, sides)
    if table := tables.get("solution_sides"):
        yield from _solution_problems(table, sides)
    if table := tables.get("condition_sides"):
        yield from _condition_problems(table, sides)
    for stem in ("not_for", "cautions"):
        if table := tables.get(stem):
            yield from _concern_problems(table, "concerns", index)
    if table := tables.get("not_for"):
        yield from _contradictions(table, tables.get("first_choices"))
    for stem, maximum in (("cautions", MAX_CAUTION), ("job_rules", MAX_JOB_RULE)):
        if table := tables.get(stem):
            yield from _text_problems(table, maximum)
            yield from date_problems(table)
    if table := tables.get("job_rules"):
        yield from _concern_problems(table, "occupations", index)
        yield from _rule_problems(table)


def _need_problems(table: Table, sides: Sides) -> Iterator[Problem]:
    """Report words of two sides, opposites that do not exist or are not mutual, and different labels of one side."""
    known = NearestMatch(sides.opposites)
    words: dict[str, tuple[str, int]] = {}
    labels: dict[str, tuple[str, int]] = {}
    rows = table.rows("side", "opposites", "label", "words")
    for line, (side, opposites, label, typed) in zip(table.lines, rows, strict=True):
        for opposite in items_of(opposites):
            if opposite not in sides.opposites:
                yield Problem(table.file, line, f"unknown side {quote(opposite)}{known.hint(opposite)}")
            elif opposite == side or side not in sides.opposites[opposite]:
                message = f"{quote(opposite)} is an opposite of {quote(side)}, but not the other way round"
                yield Problem(table.file, line, message)
        for word in items_of(typed):
            other, first = words.setdefault(fold(word), (side, line))
            if other != side:
                message = f"word {quote(word)} is one of the side {quote(other)} too, on line {first}"
                yield Problem(table.file, line, message)
        other, first = labels.setdefault(side, (label, line))
        if other != label:
            yield Problem(table.file, line, f"label of {quote(side)} is {quote(other)} on line {first}")


def _solution_problems(table: Table, sides: Sides) -> Iterator[Problem]:
    rows = table.rows("need", "serves", "worsens")
    for line, (need, serves, worsens) in zip(table.lines, rows, strict=True):
        served, worse = items_of(serves), items_of(worsens)
        for side in (*served, *worse):
            yield from _unknown_side(table, line, need, side, sides)
        for side in worse:
            if side in served:
                yield Problem(table.file, line, f"{quote(side)} is both in 'serves' and in 'worsens'")
        if not served and not worse:
            yield Problem(table.file, line, "'serves' and 'worsens' are both empty")


def _condition_problems(table: Table, sides: Sides) -> Iterator[Problem]:
    """Report unknown sides, two usual sides of one need, and a side that excludes another that occurs."""
    first: dict[tuple[str, str], list[tuple[str, str, int]]] = {}
    rows = table.rows("disability", "need", "side", "occurs")
    for line, (condition, need, side, occurs) in zip(table.lines, rows, strict=True):
        yield from _unknown_side(table, line, need, side, sides)
        for other, other_occurs, other_line in first.setdefault((condition, need), []):
            opposed = other in sides.opposites.get(side, ())
            if side == other or (opposed and "both" in {occurs, other_occurs}):
                message = f"{quote(side)} contradicts {quote(other)} on line {other_line}"
                yield Problem(table.file, line, message)
        first[condition, need].append((side, occurs, line))


def _unknown_side(table: Table, line: int, need: str, side: str, sides: Sides) -> Iterator[Problem]:
    valid = sides.by_need.get(need, ())
    if side and need and side not in valid:
        listed = f"; its sides: {', '.join(valid)}" if valid else ", which has no sides"
        hint = NearestMatch(valid).hint(side) if valid else ""
        yield Problem(table.file, line, f"unknown side {quote(side)} of {quote(need)}{hint}{listed}")


def _concern_problems(table: Table, column: str, index: ReferenceIndex) -> Iterator[Problem]:
    """Report ids that do not exist, and beginnings of codes that no occupation has."""
    for line, cell in zip(table.lines, table.column(column), strict=True):
        for item in items_of(cell):
            code = item.removeprefix(JOBS) if item.startswith(JOBS) else item if column == "occupations" else None
            if code is None:
                yield from (
                    Problem(table.file, line, error) for error in index.reference_errors(column, CONCERNED, item)
                )
            elif not any(known.startswith(JOBS + code) for known in index.names):
                yield Problem(table.file, line, f"no occupation has a code that begins with {quote(code)}")


def _contradictions(table: Table, first_choices: Table | None) -> Iterator[Problem]:
    """Report solutions that the editors put first for what they are excluded from."""
    chosen: dict[tuple[str, str], Location] = {}
    if first_choices:
        needs = TABLE_SPECS["first_choices"].full_ids(first_choices, "need")
        for line, need, solution in zip(first_choices.lines, needs, first_choices.column("solution"), strict=True):
            chosen[solution, need] = Location(first_choices.file, line)
    for line, (solution, concerns) in zip(table.lines, table.rows("solution", "concerns"), strict=True):
        for entity in items_of(concerns):
            if location := chosen.get((solution, entity)):
                message = f"{quote(solution)} is a first choice for {quote(entity)} in {location.file}:{location.line}"
                yield Problem(table.file, line, message)


def _rule_problems(table: Table) -> Iterator[Problem]:
    """A rule of a job points to a standard: it states no threshold, and never that somebody may not work."""
    for line, text in zip(table.lines, table.column("text"), strict=True):
        words = CITATION.sub("", text)
        if found := THRESHOLD.search(words):
            yield Problem(table.file, line, f"{quote(found[0])} is a threshold; point to the standard instead")
        if found := OUTCOME.search(words):
            yield Problem(table.file, line, f"{quote(found[0])} states an outcome; say whom to ask instead")


def _text_problems(table: Table, maximum: int) -> Iterator[Problem]:
    for line, text in zip(table.lines, table.column("text"), strict=True):
        if len(text) > maximum:
            yield Problem(table.file, line, f"'text' has {len(text)} characters; at most {maximum}")
        if text and not text.endswith(FULL_STOPS):
            yield Problem(table.file, line, "'text' does not end with a full stop")
