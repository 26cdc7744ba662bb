"""The judged queries that `akg eval` and other commands read."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from akg.cli import app
from akg.evaluation.metrics import read_judgments
from akg.evaluation.search_eval import judgments_file
from api.settings import Settings


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
    ("command", "content", "code", "message"),
    [
        ("eval search", "query\n", 1, "judgments.tsv: the first line that is not a comment must be"),
        ("synonyms preview", "query\n", 1, "judgments.tsv: the first line that is not a comment must be"),
        ("synonyms apply", None, 2, "There are no judged queries at {path}."),
    ],
)
def test_commands_read_the_judgments_beside_the_configured_mappings(
    judgments: Path, command: str, content: str | None, code: int, message: str
) -> None:
    if content is None:
        judgments.unlink()
    else:
        judgments.write_text(content, "utf-8")
    settings = {"AKG_MAPPINGS": str(judgments.parents[1]), "AKG_OPENSEARCH_URL": "http://127.0.0.1:1"}
    result = CliRunner().invoke(app, command.split(), env={**settings, "COLUMNS": "400"})
    assert result.exit_code == code, result.output
    assert message.format(path=judgments) in result.output
