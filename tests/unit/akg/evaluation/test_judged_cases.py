"""Judged tables, and whether results and readings are what judges wanted."""

from pathlib import Path
from typing import Any

import pytest

from akg.evaluation.judged_cases import (
    QUESTIONS,
    READINGS,
    SCENARIOS,
    count_empty,
    has_second_part,
    judge,
    judge_reading,
    read_questions,
    read_rows,
    read_scenarios,
    shares,
)
from akg.evaluation.judged_tables import JudgmentError
from tests.support.project import MAPPINGS

RELEVANCE = MAPPINGS / "relevance"


def table(folder: Path, columns: tuple[str, ...], *rows: str) -> Path:
    path = folder / "cases.tsv"
    path.write_text("\n".join(("# Cases", "\t".join(columns), *rows)), "utf-8")
    return path


def test_a_question_passes_with_an_expected_entity_among_five_and_no_absurd_one_among_ten(tmp_path: Path) -> None:
    (case,) = read_questions(table(tmp_path, QUESTIONS, "job\tsore nurse\ta|b\tz\tkind=search; and=c|d"))
    assert judge(case, ["x", "b"]).passes
    late = judge(case, [*"12345", "b"])
    assert (late.missing, late.passes) == (["a|b"], False)
    absurd = judge(case, ["a", *"1234567", "z"])
    assert (absurd.absurd, absurd.passes) == (["z"], False)
    assert judge(case, ["a", *"123456789", "z"]).passes  # at place eleven
    assert (has_second_part(case, ["x", "d"]), has_second_part(case, ["x"])) == (True, False)
    assert shares([late, absurd, judge(case, ["a"])]) == {"job": (1, 3)}


def test_a_response_with_neither_results_nor_guides_is_empty() -> None:
    result, guide = [{"id": "solution:telework"}], [{"id": "iep"}]
    pages = [(result, guide), (result, []), ([], guide), ([], []), ([], [])]
    assert count_empty({"results": results, "guides": guides} for results, guides in pages) == 2
    assert count_empty([]) == 0


def test_a_scenario_passes_with_a_solution_of_each_group(tmp_path: Path) -> None:
    (case,) = read_scenarios(table(tmp_path, SCENARIOS, '{"disability": "gout"}\trest|nap;shoe\tladder'))
    assert case.body == {"disability": "gout"}
    assert judge(case, ["solution:nap", "solution:shoe"]).passes
    assert judge(case, ["solution:nap"]).missing == ["solution:shoe"]
    assert judge(case, ["solution:nap", "solution:shoe", "solution:ladder"]).absurd == ["solution:ladder"]


def part(
    role: str, id_: str | None, text: str = "word", others: tuple[str, ...] = (), guide: str | None = None
) -> dict[str, Any]:
    entity = {"id": id_} if id_ else None
    alternatives = [{"id": other} for other in others]
    return {"role": role, "entity": entity, "text": text, "alternatives": alternatives, "guide": guide}


@pytest.mark.parametrize(
    ("expected", "dropped", "parts", "problems"),
    [
        ("condition=a|b", "", [part("limitation", "b")], []),
        ("condition=a", "", [part("condition", "x", others=("a",))], []),
        ("condition=a;setting=school", "", [part("condition", "a"), part("setting", None)], []),
        ("limitation=a;side=heat", "", [part("side", "a")], []),  # one part is the need and says which side
        ("limitation=a;side=heat", "", [part("limitation", "a")], ["not read: side=heat"]),
        ("solution=a|guide:b", "", [part("guide", None, guide="b")], []),
        ("condition=a?", "", [], []),
        ("condition=a", "", [], ["not read: condition=a"]),
        ("", "", [part("condition", "x", "ex")], ["read too: ex"]),
        ("", "", [part("solution", "x")], []),  # a thing in the question does no harm
        ("", "a", [], ["not dropped: a"]),
    ],
)
def test_a_reading_is_right_if_it_has_each_part_and_no_other_seed(
    expected: str, dropped: str, parts: list[dict[str, Any]], problems: list[str]
) -> None:
    row = {"question": "q", "parts": expected, "dropped": dropped}
    assert judge_reading(row, {"parts": parts, "dropped": []}) == problems


def test_a_dropped_condition_is_compared() -> None:
    row = {"question": "not deaf", "parts": "", "dropped": "a|b"}
    assert judge_reading(row, {"parts": [], "dropped": [part("condition", "b")]}) == []


def test_the_shipped_tables_can_be_read() -> None:
    assert len(read_questions(RELEVANCE / "questions.tsv")) >= 138
    assert len(read_questions(RELEVANCE / "fresh_questions.tsv")) >= 60
    assert len(read_scenarios(RELEVANCE / "scenarios.tsv")) == 135
    assert len(read_rows(RELEVANCE / "readings.tsv", READINGS)) >= 200
    assert len(read_rows(RELEVANCE / "fresh_readings.tsv", READINGS)) >= 40


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question\tparts\n", "the first line that is not a comment must be: question, parts, dropped"),
        ("question\tparts\tdropped\na\tb\n", "cases.tsv:2: a line has 3 cells"),
    ],
)
def test_a_damaged_table_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "cases.tsv"
    path.write_text(text, "utf-8")
    with pytest.raises(JudgmentError, match=message):
        read_rows(path, READINGS)
