"""Ranking metrics with values computed by hand, and invalid judgments."""

from collections.abc import Sequence
from math import log2
from pathlib import Path

import pytest

from akg.evaluation import metrics
from akg.evaluation.judged_tables import JudgmentError
from akg.evaluation.metrics import HoldoutScores, Judgment, MeanHoldoutScores, Outcome, Scores
from schema.errors import UsageError

HEADER = "query\tkind\tjudgments\tnote\n"
BEST = {"a": 3, "b": 1}
SECOND = 1 / log2(3)  # the discount of rank 2
IDEAL = 7 + SECOND
OTHERS = tuple("klmnopqrst")


@pytest.mark.parametrize(
    ("grades", "ids", "expected", "mrr", "success1", "success3"),
    [
        (BEST, "ab", 1, 1, 1, 1),
        (BEST, "a", 7 / IDEAL, 1, 1, 1),
        (BEST, "ba", (1 + 7 * SECOND) / IDEAL, 1 / 2, 0, 1),
        (BEST, "xya", 3.5 / IDEAL, 1 / 3, 0, 1),  # log2(4) is 2
        (BEST, "xyza", 7 / log2(5) / IDEAL, 1 / 4, 0, 0),
        (BEST, "b", 1 / IDEAL, 0, 0, 0),  # not of the best grade
        (BEST, "", 0, 0, 0, 0),
        (BEST, (*OTHERS, "a"), 0, 1 / 11, 0, 0),  # nDCG reads ten ids, MRR all
        ({"a": 3, "b": 3}, "b", 7 / (7 + 7 * SECOND), 1, 1, 1),  # either of the best
        ({"a": 2}, "a", 1, 1, 1, 1),  # the best grade of this query
        (dict.fromkeys((*OTHERS, "a", "b"), 1), OTHERS, 1, 1, 1, 1),  # ten is the depth
        ({}, "", 1, 1, 1, 1),  # must have no results
        ({}, "a", 0, 0, 0, 0),
    ],
)
def test_scores_ids_by_grade_and_rank(
    grades: dict[str, int], ids: Sequence[str], expected: float, mrr: float, success1: float, success3: float
) -> None:
    judgment = Judgment("query", "exact", grades)
    outcome = metrics.score(judgment, ids)
    assert (outcome.judgment, outcome.ids) == (judgment, ids)
    assert outcome.ndcg == pytest.approx(expected)
    assert outcome.mrr == pytest.approx(mrr)
    assert (outcome.success1, outcome.success3) == (success1, success3)


def outcome(kind: str, *scores: float) -> Outcome:
    return Outcome(Judgment("query", kind, {}), (), *scores)


def test_means_are_listed_by_kind_and_over_all_queries() -> None:
    scores = metrics.scores_by_kind(
        [outcome("typo", 0.2, 0.25, 0, 1), outcome("exact", 1, 1, 1, 1), outcome("typo", 0.6, 0.5, 0, 0)]
    )
    assert list(scores) == ["exact", "typo", "all"]
    assert scores == {
        "exact": Scores(1, 1, 1, 1, 1),
        "typo": Scores(2, 0.4, 0.375, 0, 0.5),
        "all": Scores(3, 0.6, 0.5833, 0.3333, 0.6667),
    }
    assert metrics.scores_by_kind([]) == {}


EXACT = {"exact": {"ndcg": 0.9, "mrr": 0.9, "success1": 0.8, "success3": 0.95}}


@pytest.mark.parametrize(
    ("before", "after", "messages"),
    [
        (EXACT, {"exact": Scores(9, 0.9, 0.9, 0.8, 0.95)}, []),
        (EXACT, {"exact": Scores(9, 0.895, 0.9, 0.795, 0.945)}, []),  # within the tolerance
        (EXACT, {"exact": Scores(9, 1.0, 0.1, 0.9, 1.0)}, []),  # better, and a drop of MRR is no regression
        (
            EXACT,
            {"exact": Scores(9, 0.85, 0.9, 0.7512, 0.9)},
            [
                "exact: ndcg fell from 0.9000 to 0.8500",
                "exact: success1 fell from 0.8000 to 0.7512",
                "exact: success3 fell from 0.9500 to 0.9000",
            ],
        ),
        # exactly the tolerance
        ({"typo": {"ndcg": 1.0}}, {"typo": Scores(1, 0.99, 0, 0, 0)}, []),
        ({"typo": {"ndcg": 0.9}}, {"typo": Scores(1, 0.89, 0, 0, 0)}, []),
        ({"typo": {"ndcg": 0.5006}}, {"typo": Scores(1, 0.4906, 0, 0, 0)}, []),
        # without an earlier value
        ({}, {"typo": Scores(1, 0, 0, 0, 0)}, []),
        (EXACT, {"typo": Scores(1, 0, 0, 0, 0)}, []),
        ({"typo": {"mrr": 1.0}}, {"typo": Scores(1, 0, 0, 0, 0)}, []),
    ],
)
def test_reports_drops_beyond_the_tolerance(
    before: dict[str, dict[str, float]], after: dict[str, Scores], messages: list[str]
) -> None:
    assert metrics.regressions(before, after, 0.01) == messages


def table(folder: Path, text: str) -> Path:
    path = folder / "judged.tsv"
    path.write_text(text, "utf-8")
    return path


def test_reads_judgments_without_comments(tmp_path: Path) -> None:
    text = (
        f"# a comment\n\n{HEADER}"
        "Crohn’s\texact\tdisability:crohn=3 limitation:pain=1\tas printed\n"
        "# another\n"
        "15-1252\tid\toccupation:15-1252.00=2\n"
        "lasagna\tno-answer\t\tfood\n"
    )
    assert metrics.read_judgments(table(tmp_path, text)) == [
        Judgment("Crohn’s", "exact", {"disability:crohn": 3, "limitation:pain": 1}),
        Judgment("15-1252", "id", {"occupation:15-1252.00": 2}),
        Judgment("lasagna", "no-answer", {}),
    ]


NO_HEADER = "judged.tsv: the first line that is not a comment must be: query, kind, judgments, note"
CELLS = "cells; a line has query, kind, judgments, note"
GRADE = "is not id=grade with a grade from 1 to 3"
ANSWERS = "a no-answer query has no judgments, every other query has at least one"
INVALID_GRADES = ("a=", "a=0", "a=4", "a=-1", "=3", "a=²")  # "=3" has no id, "²" is a digit that is not a decimal
INVALID_LINES = {
    "adhd": f"1 {CELLS}",
    "adhd\texact\ta=3\tnote\tmore": f"5 {CELLS}",
    "adhd\tnone\ta=3\t":
        "unknown kind 'none'; valid: exact, alias, abbreviation, typo, multiword, lay, intent, id, no-answer",
    "adhd\texact\ta=3 b\t": f"'b' {GRADE}",
    **{f"adhd\texact\t{text}\t": f"'{text}' {GRADE}" for text in INVALID_GRADES},
    "adhd\texact\t\t": ANSWERS,
    "lasagna\tno-answer\ta=1\t": ANSWERS,
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, NO_HEADER) for text in ("", "# only a comment\n", "adhd\texact\ta=3\t\n", "query\tkind\tjudgments\n")),
        *(
            (f"# a comment\n{HEADER}ms\texact\ta=3\n{line}\n", f"judged.tsv:4: {problem}")
            for line, problem in INVALID_LINES.items()
        ),
        (f"{HEADER}adhd\texact\ta=9\n\nms\texact\t\n", f"judged.tsv:2: 'a=9' {GRADE}\njudged.tsv:4: {ANSWERS}"),
    ],
)
def test_rejects_invalid_judgments_by_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(JudgmentError) as error:
        metrics.read_judgments(table(tmp_path, text))
    assert str(error.value) == message


def test_rejects_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no file .*judged\.tsv\."):
        metrics.read_judgments(tmp_path / "judged.tsv")


@pytest.mark.parametrize(
    ("ranking", "gains", "value"),
    [
        ("ab", {"a": 1.0, "b": 1.0}, 1.0),
        ("xa", {"a": 1.0}, 1 / log2(3)),
        ("xab", {"a": 1.0, "b": 1.0}, (1 / log2(3) + 1 / log2(4)) / (1 + 1 / log2(3))),
        ("ba", {"a": 3.0, "b": 1.0}, (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
        ("xy", {"a": 1.0}, 0.0),
        ("", {"a": 1.0}, 0.0),
        ("ab", {"a": 0.0}, None),  # no gain is possible
        ("ab", {}, None),
    ],
)
def test_ndcg_discounts_later_ranks(ranking: str, gains: dict[str, float], value: float | None) -> None:
    assert metrics.ndcg(list(ranking), gains, metrics.HOLDOUT_DEPTH) == (
        value if value is None else pytest.approx(value)
    )


def test_shown_ids_take_no_rank() -> None:
    scores = metrics.score_holdout(list("sasb"), {"a", "b"}, {"a": 0.0, "b": 0.5}, {"s"})
    assert scores == HoldoutScores(ndcg=1.0, graded=1 / log2(3), recall=1.0)


def test_scores_the_first_twenty_ids() -> None:
    many = [str(number) for number in range(40)]
    assert metrics.score_holdout(many, set(many), {}, ()).recall == 1.0
    assert metrics.score_holdout(
        many, {many[metrics.HOLDOUT_DEPTH]}, {many[metrics.HOLDOUT_DEPTH]: 1.0}, ()
    ) == HoldoutScores(0.0, 0.0, 0.0)
    assert metrics.score_holdout(many, {many[metrics.HOLDOUT_DEPTH - 1]}, {}, ()).recall == 1.0


def test_the_mean_of_graded_scores_skips_lists_without_gains() -> None:
    scores = [HoldoutScores(1.0, None, 0.5), HoldoutScores(0.5, 0.25, 1.0)]
    assert metrics.mean_holdout_scores(scores) == MeanHoldoutScores(2, 0.75, 0.25, 0.75)
    assert metrics.mean_holdout_scores([]) == MeanHoldoutScores(0, 0.0, 0.0, 0.0)


def test_reports_drops_of_the_given_measures() -> None:
    before = {"service": {"lists": 2, "ndcg": 0.9, "graded": 0.5, "recall": 0.9}}
    after = {"service": MeanHoldoutScores(2, 0.885, 0.49, 0.9), "new": MeanHoldoutScores(2, 0.0, 0.0, 0.0)}
    assert metrics.regressions(before, after, 0.01, metrics.HOLDOUT_MEASURES) == [
        "service: ndcg fell from 0.9000 to 0.8850"
    ]
