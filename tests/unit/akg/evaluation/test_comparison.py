"""The comparison of two runs: scores, wins and losses by kind, and the largest differences first."""

from typing import Any

from akg.evaluation.comparison import MAX_DIFFERENCES, compare_runs, comparison_page
from akg.evaluation.comparison_page import as_html
from akg.evaluation.metrics import Judgment


def hits(*ids: str) -> list[dict[str, Any]]:
    return [{"id": id_, "name": f"<{id_}>"} for id_ in ids]


JUDGMENTS = [Judgment("lamp", "exact", {"a": 3}), Judgment("glare", "lay", {"b": 3}), Judgment("x", "no-answer", {})]
BEFORE = [hits("a"), hits("c", "d", "e", "f", "g", "b"), hits("z")]
AFTER = [hits("c", "a"), hits("b"), hits()]


def test_wins_and_losses_are_counted_by_kind() -> None:
    report = compare_runs("one", "two", JUDGMENTS, BEFORE, AFTER)
    found = {kind.kind: (kind.wins, kind.losses, kind.success5) for kind in report.kinds}
    assert found == {
        "exact": (0, 1, (1.0, 1.0)),
        "lay": (1, 0, (0.0, 1.0)),
        "no-answer": (1, 0, (0.0, 1.0)),
        "all": (2, 1, (0.3333, 1.0)),
    }
    assert [difference.query for difference in report.differences] == ["x", "glare", "lamp"]
    assert report.reordered == 3


def test_the_page_escapes_names_and_marks_judged_hits() -> None:
    page = as_html(comparison_page(compare_runs("one", "two", JUDGMENTS, BEFORE, AFTER)))
    assert "&lt;a&gt;<br><small>judged 3</small>" in page
    assert "<a>" not in page


def test_at_most_twenty_differences_are_listed() -> None:
    judged = [Judgment(f"query {number}", "lay", {"a": 3}) for number in range(30)]
    report = compare_runs("one", "two", judged, [hits("a")] * 30, [hits("b")] * 30)
    assert len(report.differences) == MAX_DIFFERENCES
    assert report.kinds[-1].losses == 30


def test_equal_runs_have_no_differences() -> None:
    report = compare_runs("one", "one", JUDGMENTS, BEFORE, BEFORE)
    assert (report.differences, report.reordered) == ([], 0)
