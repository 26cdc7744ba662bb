"""Precision of the first page of everyday questions, by the grades of two judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from akg.evaluation.judged_tables import JudgmentError, table_rows

COLUMNS = ("question", "id", "first", "second")
GRADES = frozenset("01")
PAGE_SIZE = 20  # hits: the default limit of a search

Grades = Mapping[str, Mapping[str, float]]  # the mean grade of each id by question


@dataclass(frozen=True, slots=True)
class Precision:
    """The share of right hits among the judged ones, and the pairs of a question and an id that nobody has judged."""

    share: float
    judged: int
    unjudged: Sequence[tuple[str, str]]


def read_grades(path: Path) -> Grades:
    """Read the table of grades; raise JudgmentError with every problem as file:line."""
    grades: dict[str, dict[str, float]] = {}
    problems = []
    for number, cells in table_rows(path, COLUMNS):
        if len(cells) != len(COLUMNS) or not GRADES.issuperset(cells[2:]):
            problems.append(f"{path.name}:{number}: a line has {', '.join(COLUMNS)}; grades are 0 or 1")
            continue
        question, id_, first, second = cells
        grades.setdefault(question, {})[id_] = (int(first) + int(second)) / 2
    if problems:
        raise JudgmentError("\n".join(problems))
    return grades


def measure(grades: Grades, pages: Mapping[str, Sequence[str]]) -> Precision:
    """Return the precision of the ids on the page of each question."""
    shown = [(question, id_) for question, ids in pages.items() for id_ in ids]
    judged = [grades[question][id_] for question, id_ in shown if id_ in grades[question]]
    unjudged = [(question, id_) for question, id_ in shown if id_ not in grades[question]]
    return Precision(sum(judged) / max(1, len(judged)), len(judged), unjudged)
