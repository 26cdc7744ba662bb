"""The table of grades, and the precision of pages."""

from pathlib import Path

import pytest

from akg.evaluation.judged_tables import JudgmentError
from akg.evaluation.precision import COLUMNS, measure, read_grades
from tests.support.project import MAPPINGS

HEADER = "\t".join(COLUMNS)


def table(folder: Path, *lines: str) -> Path:
    path = folder / "precision.tsv"
    path.write_text("\n".join(("# Grades", *lines)), "utf-8")
    return path


def test_the_grade_of_a_pair_is_the_mean_of_both_judges(tmp_path: Path) -> None:
    path = table(tmp_path, HEADER, "sore back\tlimitation:pain\t1\t0", "sore back\tsolution:lamp\t0\t0")
    assert read_grades(path) == {"sore back": {"limitation:pain": 0.5, "solution:lamp": 0.0}}


def test_precision_counts_judged_hits_and_lists_the_others() -> None:
    grades = {"sore back": {"a": 1.0, "b": 0.5}, "tired": {"c": 0.0}}
    found = measure(grades, {"sore back": ["b", "a", "new"], "tired": ["c"]})
    assert (found.share, found.judged, found.unjudged) == (0.5, 3, [("sore back", "new")])
    assert measure(grades, {"tired": []}).share == 0.0


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["question\tid"], "the first line that is not a comment must be"),
        ([HEADER, "sore back\ta\t1"], "precision.tsv:3: a line has"),
        ([HEADER, "sore back\ta\t1\t2"], "precision.tsv:3: a line has question, id, first, second; grades are 0 or 1"),
    ],
)
def test_every_problem_of_the_table_has_its_line(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(JudgmentError, match=message):
        read_grades(table(tmp_path, *lines))


def test_the_shipped_table_is_valid() -> None:
    assert len(read_grades(MAPPINGS / "relevance" / "precision.tsv")) == 60
    assert len(read_grades(MAPPINGS / "relevance" / "fresh_precision.tsv")) == 30
