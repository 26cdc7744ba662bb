"""Every measurement adds its versions and figures to the history, and ends well if it cannot."""

import subprocess
from pathlib import Path

import pytest

from akg.commands.evaluation.history import Versions, record
from akg.evaluation import history
from akg.reports.evaluation_history import EvalRun
from api.settings import Settings
from tests.support.search_responses import RELEASE

VERSIONS = Versions(RELEASE, "cdb0b443")


def settings(data: Path) -> Settings:
    return Settings(data=data, alias="akg-test")


def test_a_run_has_versions_and_figures_alone(tmp_path: Path) -> None:
    record(settings(tmp_path), VERSIONS, "search", {"nDCG@10": 0.9376}, "2840559428ae")
    ((run,), _) = history.read_runs(history.history_file(settings(tmp_path)), "akg-test")
    assert (run.command, run.alias, run.inputs) == ("search", "akg-test", "2840559428ae")
    assert (run.data_version, run.synonyms_version) == (RELEASE.data_version, RELEASE.synonyms_version)
    assert run.code_version == "cdb0b443"
    assert run.at.endswith("+00:00")
    assert run.scores == {"nDCG@10": 0.9376}
    assert set(EvalRun.model_fields) == {
        *("at", "command", "alias", "data_version", "synonyms_version", "code_version", "inputs", "scores"),
    }


def test_a_history_that_cannot_be_written_is_a_notice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "eval").write_text("", "utf-8")  # a file where the folder would be
    record(settings(tmp_path), VERSIONS, "names", {"name not first": 3})
    notice = capsys.readouterr().err
    assert notice.startswith("The run is not in the history.")
    assert str(tmp_path / "eval") in notice.replace("\n", "")


def git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


def test_the_code_version_of_a_checkout_is_its_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "code.py").write_text("", "utf-8")
    git(tmp_path, "add", "code.py")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    commit = git(tmp_path, "rev-parse", "--short", "HEAD")
    assert history.code_version(tmp_path) == commit
    (tmp_path / "code.py").write_text("changed", "utf-8")
    assert history.code_version(tmp_path) == f"{commit}-dirty"


def test_the_code_version_elsewhere_is_that_of_the_program(tmp_path: Path) -> None:
    installed = history.code_version(tmp_path)
    assert installed is None or installed[0].isdigit()
    git(tmp_path, "init", "--quiet")  # a repository without commits
    assert history.code_version(tmp_path) == installed
