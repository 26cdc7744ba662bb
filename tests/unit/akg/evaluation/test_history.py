"""The file of earlier measurements: appended lines, damaged lines, and changes between comparable runs."""

from pathlib import Path

import pytest

from akg.evaluation import history
from akg.evaluation.metrics import Scores
from akg.reports.evaluation_history import EvalRun
from api.settings import Settings
from tests.support.evaluation_runs import eval_run


def run(command: str = "search", inputs: str | None = "abc", alias: str = "akg", **scores: float) -> EvalRun:
    return eval_run(command, alias, inputs, dict(scores))


def test_the_history_is_in_the_data_folder() -> None:
    assert history.history_file(Settings()) == Path(".akg/eval/history.jsonl")
    assert history.history_file(Settings(data=Path("/data"))) == Path("/data/eval/history.jsonl")


def test_appended_runs_are_read_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "eval" / "history.jsonl"
    assert history.read_runs(path, "akg") == ([], [])
    runs = [run(MRR=0.5), run("names", None, lost=3), run(MRR=1.0)]
    for one in runs:
        history.append_run(path, one)
    history.append_run(path, run(alias="other", MRR=0.1))
    found, damaged = history.read_runs(path, "akg")
    assert (found, damaged) == (runs, [])
    assert [type(score) for one in found for score in one.scores.values()] == [float, int, float]
    assert len(path.read_text("utf-8").splitlines()) == 4


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b'{"at": "2026"}', b"\xff\xfe", b"null"])
def test_a_damaged_line_is_left_out_and_named(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "history.jsonl"
    history.append_run(path, run(MRR=0.5))
    path.write_bytes(path.read_bytes() + line + b"\n")
    history.append_run(path, run(MRR=0.6))
    assert history.read_runs(path, "akg") == ([run(MRR=0.5), run(MRR=0.6)], [2])


def test_a_run_after_a_torn_line_starts_a_line(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    history.append_run(path, run(MRR=0.5))
    path.write_bytes(path.read_bytes()[:-20])
    history.append_run(path, run(MRR=0.6))
    assert history.read_runs(path, "akg") == ([run(MRR=0.6)], [1])


def test_the_last_runs_are_read(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    lines = [run(MRR=number).model_dump_json() for number in range(history.MAX_RUNS + 5)]
    path.write_text("\n".join([*lines, ""]), "utf-8")
    found, _ = history.read_runs(path, "akg")
    assert [found[0].scores["MRR"], found[-1].scores["MRR"], len(found)] == [5, history.MAX_RUNS + 4, history.MAX_RUNS]


def test_a_field_of_a_later_version_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(f'{run(MRR=0.5).model_dump_json()[:-1]}, "machine": "fast"}}\n', "utf-8")
    assert history.read_runs(path, "akg") == ([run(MRR=0.5)], [])


def test_changes_are_those_since_the_run_before_with_the_same_inputs() -> None:
    rows = history.with_changes(
        [
            run(MRR=0.5, first=1),
            run(MRR=0.9, inputs="other"),
            run("names", None, first=7),
            run(MRR=0.6, first=1, new=0.1),
            run("names", None, first=5),
            run(first=3),
        ]
    )
    assert [row.changes for row in rows] == [{}, {}, {}, {"MRR": 0.1, "first": 0}, {"first": -2}, {"first": 2}]


def test_the_last_runs_of_each_command_are_shown() -> None:
    rows = history.with_changes([run(a=1), run("names", None, a=2), run(a=3), run(a=4)])
    shown = history.last_by_command(rows, 2)
    assert {command: [row.scores["a"] for row in group] for command, group in shown.items()} == {
        "names": [2],
        "search": [3, 4],
    }
    assert history.last_by_command([], 2) == {}


def test_figures_of_a_search_are_those_of_all_of_the_halves_and_of_each_kind() -> None:
    every, half, kind = Scores(3, 0.9, 0.8, 0.7, 0.6), Scores(2, 0.5, 0.4, 0.3, 0.2), Scores(1, 0.1, 0, 0, 0)
    assert history.search_figures({"typo": kind, "all": every}, {"held-out": half}) == {
        "nDCG@10": 0.9,
        "MRR": 0.8,
        "success@1": 0.7,
        "success@3": 0.6,
        "held-out nDCG@10": 0.5,
        "held-out success@1": 0.3,
        "typo nDCG@10": 0.1,
    }
    assert history.search_figures({}, {}) == {}


def test_tables_with_other_lines_are_other_inputs(tmp_path: Path) -> None:
    first, second = tmp_path / "first.tsv", tmp_path / "second.tsv"
    first.write_text("query\n", "utf-8")
    second.write_text("query\n", "utf-8")
    assert history.table_inputs(first) == history.table_inputs(second) == "73aca4f6e4f6"
    second.write_text("queries\n", "utf-8")
    assert history.table_inputs(first) != history.table_inputs(second)
