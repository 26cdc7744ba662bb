"""Judged cases: everyday questions, recommendations for several needs, and how questions are read.

Each table has comments, a header, and one case per line, with tabs between columns. A case passes if a group of ids
has one among the first results for each group that is wanted, and no absurd one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from akg.evaluation.judged_tables import JudgmentError, table_rows
from api.models import RecommendRequest
from schema.json_types import JsonObject

QUESTIONS = ("class", "question", "expect_any", "must_not", "note")
SCENARIOS = ("body", "want", "must_not")
READINGS = ("question", "parts", "dropped")
EXPECTED_PLACES, ALL_PLACES = 5, 10
SECOND_PART = "and="  # begins a note that names what else must be among ten
OPTIONAL = "?"
SEED_ROLES = frozenset(("condition", "limitation", "work_function", "occupation"))
SIDE = "side"  # no part of its own: the part of a need also says which side of it
ANY_ENTITY = frozenset(("setting", "guide", SIDE))  # roles whose words alone are judged


@dataclass(frozen=True, slots=True)
class Case:
    """A judged case. `groups` are sets of ids, each with the number of places among which one must be."""

    label: str
    kind: str
    groups: Sequence[tuple[frozenset[str], int]]
    must_not: frozenset[str]
    second: frozenset[str] = frozenset()
    body: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a case passes, and why not: the groups without a result, and absurd results."""

    case: Case
    missing: Sequence[str]
    absurd: Sequence[str]

    @property
    def passes(self) -> bool:
        """Whether nothing is missing or absurd."""
        return not self.missing and not self.absurd


def read_rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of a table by column; raise JudgmentError with the line of each problem."""
    cells = table_rows(path, columns)
    problems = [
        f"{path.name}:{number}: a line has {len(columns)} cells" for number, row in cells if len(row) != len(columns)
    ]
    if problems:
        raise JudgmentError("\n".join(problems))
    return [dict(zip(columns, row, strict=True)) for _, row in cells]


def read_questions(path: Path) -> list[Case]:
    """Return the everyday questions: one of expect_any among five hits or the guides, none of must_not among ten."""
    cases = []
    for row in read_rows(path, QUESTIONS):
        second = [part.removeprefix(SECOND_PART) for part in row["note"].split("; ") if part.startswith(SECOND_PART)]
        expected = [(_ids(row["expect_any"]), EXPECTED_PLACES)] if row["expect_any"] else []
        seconds = frozenset().union(*map(_ids, second)) if second else frozenset()
        cases.append(Case(row["question"], row["class"], expected, _ids(row["must_not"]), seconds))
    return cases


def read_scenarios(path: Path) -> list[Case]:
    """Return the judged recommendations: one slug of each wanted group among ten results, no absurd one.

    Raise JudgmentError with the first body that is not a request.
    """
    cases = []
    for row in read_rows(path, SCENARIOS):
        groups = [(_solutions(group), ALL_PLACES) for group in row["want"].split(";") if group]
        try:
            RecommendRequest.model_validate_json(row["body"])
        except ValidationError as error:
            raise JudgmentError(f"{path.name}: {row['body']}: {error.errors()[0]['msg']}") from error
        body = orjson.loads(row["body"])
        cases.append(Case(row["body"], "scenario", groups, _solutions(row["must_not"]), body=body))
    return cases


def _ids(cell: str) -> frozenset[str]:
    return frozenset(filter(None, cell.split("|")))


def _solutions(cell: str) -> frozenset[str]:
    return frozenset(f"solution:{slug}" for slug in _ids(cell))


def judge(case: Case, ids: Sequence[str], guides: Iterable[str] = ()) -> Verdict:
    """Compare the ids of the first results, and of the guides above them, with what was judged."""
    shown = set(guides)
    missing = ["|".join(sorted(group)) for group, places in case.groups if group.isdisjoint(shown.union(ids[:places]))]
    return Verdict(case, missing, [id_ for id_ in ids[:ALL_PLACES] if id_ in case.must_not])


def has_second_part(case: Case, ids: Sequence[str]) -> bool:
    """Return whether one of the ids for the second part of a question is among ten."""
    return not case.second.isdisjoint(ids[:ALL_PLACES])


def judge_reading(row: Mapping[str, str], reading: JsonObject) -> list[str]:
    """Return what is wrong with the reading of a question: parts without an entry, others, conditions not dropped."""
    parts = list(reading["parts"])
    problems = []
    for cell in filter(None, row["parts"].split(";")):
        role, _, wanted = cell.removesuffix(OPTIONAL).partition("=")
        among = reading["parts"] if role == SIDE else parts
        found = next((part for part in among if _is_read_as(part, role, _ids(wanted))), None)
        if found is not None and role != SIDE:
            parts.remove(found)
        elif found is None and not cell.endswith(OPTIONAL):
            problems.append(f"not read: {cell}")
    problems += [f"read too: {part['text']}" for part in parts if part["role"] in SEED_ROLES]
    dropped = {part["entity"]["id"] for part in reading["dropped"]}
    wanted_dropped = _ids(row["dropped"])
    if wanted_dropped and wanted_dropped.isdisjoint(dropped):
        problems.append(f"not dropped: {row['dropped']}")
    return problems


def _is_read_as(part: JsonObject, role: str, wanted: frozenset[str]) -> bool:
    if role in ANY_ENTITY:
        return bool(part["role"] == role)
    cards = [part["entity"], *part["alternatives"]] if part["entity"] else []
    return not wanted.isdisjoint([*(card["id"] for card in cards), f"guide:{part.get('guide')}"])


def shares(verdicts: Iterable[Verdict]) -> dict[str, tuple[int, int]]:
    """Return how many cases of each kind pass, of how many."""
    passed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for verdict in verdicts:
        total[verdict.case.kind] += 1
        passed[verdict.case.kind] += verdict.passes
    return {kind: (passed[kind], total[kind]) for kind in total}


def count_empty(bodies: Iterable[Mapping[str, Any]]) -> int:
    """Return how many responses have neither results nor guides."""
    return sum(not body["results"] and not body["guides"] for body in bodies)


def hit_ids(results: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the ids of results."""
    return [result["id"] for result in results]


def guide_ids(guides: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the ids of guides as judged cases write them: "guide:iep"."""
    return [f"guide:{guide['id']}" for guide in guides]
