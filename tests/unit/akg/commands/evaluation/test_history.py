"""`akg eval history`: the last runs of each command as tables and as JSON."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from akg.cli import app
from akg.commands.evaluation.history import MEASURED, cell
from akg.commands.evaluation.scores import eval_app
from akg.evaluation.history import append_run, history_file
from akg.reports.evaluation_history import EvalHistory, EvalRunRow
from api.settings import Settings
from tests.support.evaluation_runs import eval_run


def show(data: Path, *words: str, code: int = 0) -> tuple[str, str]:
    environ = {"AKG_DATA": str(data), "AKG_ALIAS": "akg-test", "AKG_OPENSEARCH_URL": "http://127.0.0.1:1"}
    result = CliRunner().invoke(app, ["eval", "history", *words], env=environ)
    assert result.exit_code == code, result.output
    return result.stdout, result.stderr


def settings(data: Path) -> Settings:
    return Settings(data=data, alias="akg-test")


def add(
    data: Path, command: str, scores: dict[str, int | float], alias: str = "akg-test", inputs: str | None = None
) -> None:
    append_run(history_file(settings(data)), eval_run(command, alias, inputs, scores))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with three runs of `names`, one of `search`, and one on another alias."""
    for missed in (3, 3, 1):
        add(tmp_path, "names", {"missed": missed})
    add(tmp_path, "search", {"MRR": 0.9376}, inputs="2840559428ae")
    add(tmp_path, "search", {"MRR": 0.1}, alias="akg-other")
    return tmp_path


def test_every_measurement_on_the_live_release_is_a_command() -> None:
    assert set(MEASURED) <= {
        command.name or getattr(command.callback, "__name__", "") for command in eval_app.registered_commands
    }


def test_the_last_runs_are_printed_side_by_side(data: Path) -> None:
    output, errors = show(data, "--limit", "2")
    lines = [line.split() for line in output.splitlines()]
    assert lines[0] == ["names", "2026-11-29", "12:00", "2026-11-29", "12:00"]
    assert [line[0] for line in lines if line[0] in MEASURED] == ["names", "search"]
    assert ["missed", "3", "=", "1", "-2"] in lines
    assert ["MRR", "0.9376"] in lines
    assert ["data", "abc", "abc"] in lines
    assert ["code", "unknown", "unknown"] in lines
    assert ["inputs", "2840559428ae"] in lines
    assert errors == ""
    assert "MRR" not in show(data, "names")[0]


def test_many_runs_are_printed_in_tables_of_80_columns(tmp_path: Path) -> None:
    for number in range(7):
        add(tmp_path, "search", {"development success@1": number / 10}, inputs="2840559428ae")
    lines = show(tmp_path, "search", "--limit", "7")[0].splitlines()
    assert max(map(len, lines)) <= 80
    figures = [line.split()[2:] for line in lines if line.split()[0] == "development"]
    assert figures == [
        ["0.0000", "0.1000", "+0.1000", "0.2000", "+0.1000"],
        ["0.3000", "+0.1000", "0.4000", "+0.1000", "0.5000", "+0.1000"],
        ["0.6000", "+0.1000"],
    ]


def test_json_has_the_runs_and_their_changes(data: Path) -> None:
    found = EvalHistory.model_validate_json(show(data, "names", "--json")[0], extra="forbid")
    assert [run.changes for run in found.runs] == [{}, {"missed": 0}, {"missed": -2}]
    assert {run.alias for run in found.runs} == {"akg-test"}
    assert found.damaged == []


def test_a_damaged_line_is_a_warning(data: Path) -> None:
    path = history_file(settings(data))
    path.write_bytes(b"{\n" + path.read_bytes())
    output, errors = show(data, "names", "--json")
    assert errors == f"{path}:1: this line is not a run, and is left out. Delete it.\n"
    found = EvalHistory.model_validate_json(output)
    assert (len(found.runs), found.damaged) == (3, [1])


def test_without_runs_the_command_that_adds_one_is_named(tmp_path: Path) -> None:
    assert show(tmp_path) == ("There are no runs yet. `akg eval search` adds one.\n", "")
    assert show(tmp_path, "typos") == ("There are no runs yet. `akg eval typos` adds one.\n", "")
    assert EvalHistory.model_validate_json(show(tmp_path, "--json")[0]) == EvalHistory(runs=[], damaged=[])


def test_an_unknown_measurement_is_rejected(tmp_path: Path) -> None:
    _, errors = show(tmp_path, "recommend", code=2)
    assert errors.startswith("'recommend' is not a measurement with a history. Valid: search, names,")


@pytest.mark.parametrize(
    ("score", "change", "text"),
    [
        (0.9376, None, "0.9376"),
        (0.9376, 0.0012, "0.9376 +0.0012"),
        (1.0, -0.05, "1.0000 -0.0500"),
        (1.0, 0.0, "1.0000 ="),
        (12699, None, "12,699"),
        (3, -1200, "3 -1,200"),
        (3, 0, "3 ="),
    ],
)
def test_a_cell_has_the_figure_and_its_change(score: float, change: float | None, text: str) -> None:
    row = EvalRunRow(
        at="2026-11-29T12:00:00+00:00",
        command="names",
        alias="akg",
        data_version="1",
        synonyms_version="2",
        code_version=None,
        inputs=None,
        scores={"figure": score},
        changes={} if change is None else {"figure": change},
    )
    assert cell(row, "figure") == text
    assert cell(row, "another") == ""
