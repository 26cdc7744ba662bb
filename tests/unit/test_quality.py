"""How good a ranking is: nDCG, MRR and success worked out by hand, and judgments that cannot be read."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import pytest

from api.quality import Judgment, JudgmentError, Outcome, Scores, by_kind, drops, read_judgments, score

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HEADER = "query\tkind\tjudgments\tnote\n"
BEST = {"a": 3, "b": 1}
SECOND = 1 / log2(3)  # the discount of the second place
IDEAL = 7 + SECOND
OTHERS = tuple("klmnopqrst")


@pytest.mark.parametrize(
    ("grades", "found", "ndcg", "mrr", "success1", "success3"),
    [
        (BEST, "ab", 1, 1, 1, 1),
        (BEST, "a", 7 / IDEAL, 1, 1, 1),
        (BEST, "ba", (1 + 7 * SECOND) / IDEAL, 1 / 2, 0, 1),
        (BEST, "xya", 3.5 / IDEAL, 1 / 3, 0, 1),  # log2(4) is 2
        (BEST, "xyza", 7 / log2(5) / IDEAL, 1 / 4, 0, 0),
        (BEST, "b", 1 / IDEAL, 0, 0, 0),  # not of the best grade
        (BEST, "", 0, 0, 0, 0),
        (BEST, (*OTHERS, "a"), 0, 1 / 11, 0, 0),  # nDCG looks at ten, MRR at all
        ({"a": 3, "b": 3}, "b", 7 / (7 + 7 * SECOND), 1, 1, 1),  # either best will do
        ({"a": 2}, "a", 1, 1, 1, 1),  # the best there is
        (dict.fromkeys((*OTHERS, "a", "b"), 1), OTHERS, 1, 1, 1, 1),  # no more than ten could be shown
        ({}, "", 1, 1, 1, 1),  # must find nothing
        ({}, "a", 0, 0, 0, 0),
    ],
)
def test_a_ranking_is_scored_by_the_grades_it_shows_first(
    grades: dict[str, int], found: Sequence[str], ndcg: float, mrr: float, success1: float, success3: float
) -> None:
    judgment = Judgment("query", "exact", grades)
    outcome = score(judgment, found)
    assert (outcome.judgment, outcome.found) == (judgment, found)
    assert outcome.ndcg == pytest.approx(ndcg)
    assert outcome.mrr == pytest.approx(mrr)
    assert (outcome.success1, outcome.success3) == (success1, success3)


def outcome(kind: str, ndcg: float, mrr: float, success1: float, success3: float) -> Outcome:
    return Outcome(Judgment("query", kind, {}), (), ndcg, mrr, success1, success3)


def test_means_are_taken_per_kind_in_their_usual_order_and_over_all() -> None:
    scores = by_kind([outcome("typo", 0.2, 0.25, 0, 1), outcome("exact", 1, 1, 1, 1), outcome("typo", 0.6, 0.5, 0, 0)])
    assert list(scores) == ["exact", "typo", "all"]
    assert scores == {
        "exact": Scores(1, 1, 1, 1, 1),
        "typo": Scores(2, 0.4, 0.375, 0, 0.5),
        "all": Scores(3, 0.6, 0.5833, 0.3333, 0.6667),
    }
    assert by_kind([]) == {}


BEFORE = {"exact": {"ndcg": 0.9, "mrr": 0.9, "success1": 0.8, "success3": 0.95}}


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (Scores(9, 0.9, 0.9, 0.8, 0.95), []),
        (Scores(9, 0.895, 0.9, 0.795, 0.945), []),  # within what is let pass
        (Scores(9, 1.0, 0.1, 0.9, 1.0), []),  # better, and MRR is not watched
        (
            Scores(9, 0.85, 0.9, 0.7512, 0.9),
            [
                "exact: ndcg fell from 0.9000 to 0.8500",
                "exact: success1 fell from 0.8000 to 0.7512",
                "exact: success3 fell from 0.9500 to 0.9000",
            ],
        ),
    ],
)
def test_a_fall_beyond_the_tolerance_is_told(now: Scores, told: list[str]) -> None:
    assert drops(BEFORE, {"exact": now}, 0.01) == told


@pytest.mark.parametrize(("old", "new"), [(1.0, 0.99), (0.9, 0.89), (0.5006, 0.4906)])
def test_a_fall_by_just_the_tolerance_is_let_pass(old: float, new: float) -> None:
    assert drops({"typo": {"ndcg": old}}, {"typo": Scores(1, new, 0, 0, 0)}, 0.01) == []


def test_what_was_never_measured_cannot_fall() -> None:
    now = {"typo": Scores(1, 0, 0, 0, 0)}
    assert drops({}, now, 0) == drops(BEFORE, now, 0) == drops({"typo": {"mrr": 1.0}}, now, 0) == []


def table(folder: Path, text: str) -> Path:
    path = folder / "judged.tsv"
    path.write_text(text, "utf-8")
    return path


def test_a_table_is_read_with_its_comments_left_out(tmp_path: Path) -> None:
    text = (
        f"# a comment\n\n{HEADER}"
        "Crohn’s\texact\tdisability:crohn=3 limitation:pain=1\tas printed\n"
        "# another\n"
        "15-1252\tid\toccupation:15-1252.00=2\n"
        "lasagna\tno-answer\t\tfood\n"
    )
    assert read_judgments(table(tmp_path, text)) == [
        Judgment("Crohn’s", "exact", {"disability:crohn": 3, "limitation:pain": 1}),
        Judgment("15-1252", "id", {"occupation:15-1252.00": 2}),
        Judgment("lasagna", "no-answer", {}),
    ]


@pytest.mark.parametrize("text", ["", "# only a comment\n", "adhd\texact\ta=3\t\n", "query\tkind\tjudgments\n"])
def test_a_table_without_its_header_is_not_read(tmp_path: Path, text: str) -> None:
    with pytest.raises(JudgmentError) as error:
        read_judgments(table(tmp_path, text))
    assert str(error.value) == "judged.tsv: the first line that is no comment must be: query, kind, judgments, note"


GRADE = "is not id=grade with a grade from 1 to 3"
ANSWERS = "a no-answer query has no judgments, and every other one has some"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("adhd", "1 cells; a line has query, kind, judgments, note"),
        ("adhd\texact\ta=3\tnote\tmore", "5 cells; a line has query, kind, judgments, note"),
        (
            "adhd\tnone\ta=3\t",
            "unknown kind 'none'; valid: exact, alias, abbreviation, typo, multiword, lay, intent, id, no-answer",
        ),
        ("adhd\texact\ta=3 b\t", f"'b' {GRADE}"),
        ("adhd\texact\ta=\t", f"'a=' {GRADE}"),
        ("adhd\texact\ta=0\t", f"'a=0' {GRADE}"),
        ("adhd\texact\ta=4\t", f"'a=4' {GRADE}"),
        ("adhd\texact\ta=-1\t", f"'a=-1' {GRADE}"),
        ("adhd\texact\t=3\t", f"'=3' {GRADE}"),  # no id
        ("adhd\texact\ta=²\t", f"'a=²' {GRADE}"),  # a digit, but no number
        ("adhd\texact\t\t", ANSWERS),
        ("lasagna\tno-answer\ta=1\t", ANSWERS),
    ],
)
def test_a_line_that_cannot_be_read_is_told_with_its_place(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(JudgmentError) as error:
        read_judgments(table(tmp_path, f"# a comment\n{HEADER}ms\texact\ta=3\n{line}\n"))
    assert str(error.value) == f"judged.tsv:4: {problem}"


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(JudgmentError) as error:
        read_judgments(table(tmp_path, f"{HEADER}adhd\texact\ta=9\n\nms\texact\t\n"))
    assert str(error.value) == f"judged.tsv:2: 'a=9' {GRADE}\njudged.tsv:4: {ANSWERS}"
