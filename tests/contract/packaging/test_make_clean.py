"""`make clean` keeps the data of the local node, and `make purge` asks before it deletes them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.fixture_graphs import CHECKOUT

DATA = (".akg/opensearch/data/indices", ".akg/opensearch/snapshots/index-0", ".akg/imports/onet.json")
BUILT = (".venv/pyvenv.cfg", "dist/sbom.cdx.json", ".mypy_cache/x")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copy(CHECKOUT / "Makefile", tmp_path)
    for name in (*DATA, *BUILT):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    return tmp_path


def make(checkout: Path, target: str, typed: str = "", **environ: str) -> tuple[int, list[str]]:
    """Run the target; return its exit code and the files that are left."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AKG_", "MAKE", "MFLAGS"))}
    command = ["make", target]
    run = subprocess.run(  # noqa: S603 - the Makefile of this checkout
        command, cwd=checkout, env={**inherited, **environ}, input=typed, capture_output=True, text=True, check=False
    )
    return run.returncode, [name for name in (*DATA, *BUILT) if (checkout / name).exists()]


def test_clean_keeps_releases_snapshots_and_imports(checkout: Path) -> None:
    assert make(checkout, "clean") == (0, [*DATA])


@pytest.mark.parametrize("typed", ["", "\n", "y\n", "no\n"])
def test_purge_deletes_nothing_without_a_typed_yes(checkout: Path, typed: str) -> None:
    code, left = make(checkout, "purge", typed)
    assert code != 0
    assert left == [*DATA, *BUILT]


def test_purge_deletes_everything_after_a_typed_yes(checkout: Path) -> None:
    assert make(checkout, "purge", "yes\n") == (0, [])


def test_scripts_purge_without_a_question(checkout: Path) -> None:
    assert make(checkout, "purge", AKG_YES="1") == (0, [])


def test_purge_keeps_the_data_of_a_node_that_it_cannot_stop(checkout: Path) -> None:
    akg = checkout / ".venv" / "bin" / "akg"
    akg.parent.mkdir()
    akg.write_text("#!/bin/sh\nexit 1\n")
    akg.chmod(0o755)
    code, left = make(checkout, "purge", "yes\n")
    assert code != 0
    assert left == [*DATA, *BUILT]
