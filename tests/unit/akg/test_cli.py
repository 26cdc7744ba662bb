"""`akg --help`, default judged queries, and messages and exit codes of errors."""

from __future__ import annotations

import re
import shutil
from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING

import pytest
import typer
from opensearchpy.exceptions import AuthorizationException, TransportError
from typer.testing import CliRunner

from akg.cli import Commands, app
from akg.console import DISK_FULL, report_errors
from akg.evaluation.metrics import read_judgments
from akg.evaluation.search_eval import judgments_file
from api.settings import Settings
from indexer.content.problems import ContentError, Problem

if TYPE_CHECKING:
    from pathlib import Path


ROW = re.compile(r"^│ (\S+) +(\S.*?) *│$", re.MULTILINE)


def help_rows(*words: str) -> dict[str, str]:
    result = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    return dict(ROW.findall(result.output.partition("Commands")[2]))


def test_help_lists_every_command_with_one_sentence() -> None:
    rows = help_rows()
    assert list(rows) == list(Commands())
    assert {name: text for name, text in rows.items() if not re.fullmatch(r"[A-Z][a-z]+,? [^.]+\.", text)} == {}


@pytest.mark.parametrize("name", Commands())
def test_help_of_a_command_lists_its_subcommands(name: str) -> None:
    assert list(help_rows(name)) == list(getattr(Commands()[name], "commands", ()))


@pytest.fixture
def judgments(tmp_path: Path, mappings: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The judged queries of a copy of the mappings, for commands in a working directory outside a checkout."""
    shutil.copytree(mappings, tmp_path / "mappings")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "mappings" / "relevance" / "judgments.tsv"


def test_the_shipped_judgments_are_found_outside_a_checkout(judgments: Path) -> None:
    assert judgments_file(Settings()).is_absolute()
    assert len(read_judgments(judgments_file(Settings()))) >= 400
    assert judgments_file(Settings(mappings=judgments.parents[1])) == judgments


@pytest.mark.parametrize(
    ("command", "content", "message"),
    [
        ("eval search", "query\n", "judgments.tsv: the first line that is not a comment must be"),
        ("synonyms preview", "query\n", "judgments.tsv: the first line that is not a comment must be"),
        ("synonyms apply", None, "There are no judged queries at {path}."),
    ],
)
def test_commands_read_the_judgments_beside_the_configured_mappings(
    judgments: Path, command: str, content: str | None, message: str
) -> None:
    if content is None:
        judgments.unlink()
    else:
        judgments.write_text(content, "utf-8")
    settings = {"AKG_MAPPINGS": str(judgments.parents[1]), "AKG_OPENSEARCH_URL": "http://127.0.0.1:1"}
    result = CliRunner().invoke(app, command.split(), env={**settings, "COLUMNS": "400"})
    assert result.exit_code == 1, result.output
    assert message.format(path=judgments) in result.output


FLOOD_STAGE = "index [a] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has …]"
BLOCKED = "blocked by: [FORBIDDEN/10/cluster create-index blocked (api)];"


def with_reason(reason: str) -> dict[str, object]:
    return {"error": {"reason": reason, "root_cause": [{"type": "block", "reason": reason}]}}


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (TransportError(429, "cluster_block_exception", with_reason(FLOOD_STAGE)), DISK_FULL),
        (AuthorizationException(403, "index_create_block_exception", with_reason(BLOCKED)), DISK_FULL),
        (TransportError(503, "unavailable", {}), "OpenSearch: TransportError: TransportError(503, 'unavailable')"),
    ],
)
def test_prints_errors_of_opensearch_without_a_traceback(
    error: TransportError, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit), report_errors():
        raise error
    assert " ".join(capsys.readouterr().err.split()) == message


@pytest.mark.parametrize(
    "error", [ContentError([Problem("aliases.csv", 2, "a duplicate")]), BrokenExecutor("a job died")]
)
def test_prints_errors_for_the_operator_and_exits_with_1(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as end, report_errors():
        raise error
    assert (end.value.exit_code, capsys.readouterr().err) == (1, f"{error}\n")


def test_any_other_error_keeps_its_traceback() -> None:
    with pytest.raises(KeyError), report_errors():
        raise KeyError("a defect")
