"""Imports in paths of any letters, whatever the locale."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.project import ROOT, WORLD

PROGRAM = r"""
import sys
from pathlib import Path
from indexer.content.loader import content_version, read_package
from indexer.imports.export_files import read_files
from indexer.imports.store import Manifest, origin_of, read_imports, store_files, work_folder
from indexer.synonyms.rules import rules_and_problems

content, exported, archive, imports, rules = map(Path, sys.argv[1:])
read_package(content), content_version(content)
files = read_files(exported)
assert read_files(archive) == files
made, origin = "2026-11-25T10:00:00Z", origin_of(archive)
manifest = Manifest(name="tables", kind="tables", title="Gr\u00f6\u00dfe", made=made, origin=origin)
with work_folder(imports):
    store_files(imports, manifest, {name: (0, data) for name, data in files.items()})
((stored, tables),) = read_imports(imports)
assert tables == files
assert stored.title == "Gr\u00f6\u00dfe"
sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
print(stored.origin, *(rule.text for rule in rules_and_problems(rules)[0]))
"""


# By default, Python uses UTF-8 in the C locale; with these variables it uses ASCII.
@pytest.mark.parametrize("modes", [{}, {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
def test_reads_and_writes_paths_of_any_letters(modes: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "ünï cödé ж"
    content, exported = Path(shutil.copytree(WORLD, folder / "content")), folder / "export ž"
    exported.mkdir()
    (exported / "sources.csv").write_text("id,title\nä,Ü\n", encoding="utf-8")
    with zipfile.ZipFile(folder / "données 日.zip", "w") as archive:
        archive.write(exported / "sources.csv", "größe/sources.csv")
    (folder / "rules").mkdir()
    (folder / "rules" / "wörter.txt").write_text("café, bistro\n", encoding="utf-8")
    paths = (content, exported, folder / "données 日.zip", folder / "imports é", folder / "rules")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
    done = subprocess.run(  # noqa: S603 - the program above
        [sys.executable, "-c", PROGRAM, *map(str, paths)],
        env=inherited | modes | {"LC_ALL": "C", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == (0, "données 日.zip café, bistro\n", "")
