"""The judged queries that commands run by default, in any working directory."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from akg.cli import app
from akg.evaluation.metrics import read_judgments
from akg.evaluation.service import judgments_file
from api.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

NO_CLUSTER = "http://127.0.0.1:1"


def run(folder: Path, *words: str, code: int = 1) -> str:
    environment = {"AKG_MAPPINGS": str(folder / "mappings"), "AKG_OPENSEARCH_URL": NO_CLUSTER, "COLUMNS": "400"}
    result = CliRunner().invoke(app, list(words), env=environment)
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def folder(tmp_path: Path, mappings: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory outside a checkout, with a copy of the mappings elsewhere."""
    shutil.copytree(mappings, tmp_path / "mappings")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def test_the_shipped_judgments_are_found_outside_a_checkout(folder: Path) -> None:
    assert judgments_file(Settings()).is_absolute()
    assert len(read_judgments(judgments_file(Settings()))) >= 400
    assert judgments_file(Settings(mappings=folder / "mappings")) == folder / "mappings" / "relevance" / "judgments.tsv"


@pytest.mark.parametrize("words", [("eval", "search"), ("synonyms", "preview")], ids=" ".join)
def test_commands_read_the_judgments_beside_the_configured_mappings(folder: Path, words: tuple[str, ...]) -> None:
    (folder / "mappings" / "relevance" / "judgments.tsv").write_text("query\n", "utf-8")
    assert "judgments.tsv: the first line that is not a comment must be" in run(folder, *words)


def test_apply_names_the_judgments_that_it_misses(folder: Path) -> None:
    path = folder / "mappings" / "relevance" / "judgments.tsv"
    path.unlink()
    assert f"There are no judged queries at {path}." in run(folder, "synonyms", "apply")
