"""`akg import`: O*NET releases and exports are imported, listed and removed, and every error changes nothing."""

import shutil
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from akg.cli import app
from indexer.content.datapackage_schema import Package
from indexer.content.rows import Content
from indexer.graph.build import build_graph
from indexer.graph.model import Graph
from indexer.imports.merge import merge_imports
from indexer.imports.store import list_imports
from schema.vocabulary import Vocabulary
from tests.support.exported_files import exported_files
from tests.support.onet_samples import SAMPLES
from tests.support.overlay_folders import write_overlay
from tests.support.project import WORLD


def run(folder: Path, *words: str, overlay: Path | None = None) -> tuple[int, str, str]:
    environment = {"AKG_IMPORTS": str(folder), "AKG_CONTENT": str(WORLD), "COLUMNS": "200"}
    environment["AKG_OVERLAYS"] = str(overlay or "")
    result = CliRunner().invoke(app, ["import", *words], env=environment)
    return result.exit_code, result.stdout, result.stderr


def test_the_commands_import_list_and_remove(tmp_path: Path) -> None:
    assert run(tmp_path, "list")[:2] == (0, "No imports.\n")
    sample = str(SAMPLES / "db_31_0_csv")
    code, _, stderr = run(tmp_path, "onet", sample)
    assert code == 1
    assert (
        "related_occupation: 3 edges now, 1 of them with the import\n    - occupation:43-4051.00 → occupation:15"
        in stderr
    )
    assert list_imports(tmp_path) == []
    code, stdout, stderr = run(tmp_path, "onet", sample, "--allow-loss")
    assert code == 0
    assert stdout == (
        "Imported O*NET 31.0: 4 occupations, 4 abilities, 6 occupation_titles, 12 occupation_abilities, "
        "2 related_occupations. `akg index build` merges it with the content.\n"
    )
    assert "ignored unknown column 'Data Quality'" in stderr
    listing = run(tmp_path, "list")[1]
    assert "O*NET 31.0" in listing
    assert "db_31_0_csv" in listing
    assert run(tmp_path, "remove", "onet")[:2] == (0, "Removed onet. The next `akg index build` does not use it.\n")
    assert run(tmp_path, "remove", "onet")[0] == 1


def test_an_invalid_release_changes_nothing(tmp_path: Path) -> None:
    folder, copy = tmp_path / "imports", Path(shutil.copytree(SAMPLES / "db_30_3_csv", tmp_path / "db_30_3_csv"))
    assert run(folder, "onet", str(SAMPLES / "db_29_3_text"))[0] == 0
    before = list_imports(folder)
    zones = copy / "job_zones.csv"
    zones.write_bytes(zones.read_bytes().replace(b",4,", b",9,"))
    code, stdout, stderr = run(folder, "onet", str(copy))
    assert (code, stdout) == (1, "")
    assert stderr.splitlines()[-2:] == [
        "Nothing was changed:",
        "db_30_3_csv/job_zones.csv:2: job zone is '9'; valid: 1 to 5",
    ]
    assert run(folder, "onet", str(copy / "job_zones.csv"), "--sha256", "0" * 64)[0] == 1
    assert run(folder, "onet", str(copy), "--sha256", "abc")[2] == "--sha256 takes 64 hexadecimal digits.\n"
    assert run(folder, "onet", "ftp://x.example/db.zip")[2].startswith("ftp:// cannot be downloaded; ")
    assert list_imports(folder) == before


def write_export(graph: Graph, vocabulary: Vocabulary, folder: Path) -> Path:
    folder.mkdir()
    for name, data in exported_files(graph, vocabulary).items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def release(tmp_path: Path, graph: Graph, vocabulary: Vocabulary) -> Path:
    return write_export(graph, vocabulary, tmp_path / "release")


@pytest.mark.parametrize("zipped", [False, True])
def test_an_imported_export_has_the_same_content_and_version(
    *, tmp_path: Path, release: Path, content: Content, package: Package, vocabulary: Vocabulary, zipped: bool
) -> None:
    source, imports = release, tmp_path / "imports"
    if zipped:
        with zipfile.ZipFile(tmp_path / "release.zip", "w") as archive:
            for path in source.iterdir():
                archive.write(path, f"release/{path.name}")
        source = tmp_path / "release.zip"
    code, stdout, _ = run(imports, "table", str(source))
    assert code == 0
    assert stdout == "Imported 36 entities. They replace the content tables in the next `akg index build`.\n"
    empty = Content((), (), (), (), (), (), (), {}, "9.9.9+0")
    merged = merge_imports(empty, imports, package, vocabulary).content
    assert merged.version == content.version
    second_export = write_export(build_graph(merged, vocabulary), vocabulary, tmp_path / "second")
    for path in second_export.iterdir():
        assert path.read_bytes() == (release / path.name).read_bytes()


def test_changed_tables_have_another_version(
    tmp_path: Path, release: Path, content: Content, package: Package, vocabulary: Vocabulary
) -> None:
    imports = tmp_path / "imports"
    edges = (release / "edges.csv").read_text()
    (release / "edges.csv").write_text("\n".join(edges.splitlines()[:-1]) + "\n")
    assert run(imports, "table", str(release), "--allow-loss")[0] == 0
    merged = merge_imports(content, imports, package, vocabulary).content
    assert merged.version != content.version
    assert merged.version.partition("+")[0] == content.version.partition("+")[0]
    assert "external tables" in run(imports, "list")[1]


PAIRS = "broader connects disability to disability or limitation to limitation or occupation to occupation, not"


ERRORS = [
    ("edges.csv", "low-vision,", "low-visoin,", "unknown disability 'low-visoin'; nearest: 'low-vision'"),
    ("edges.csv", ",sold_by,", ",soldby,", "unknown edge 'soldby'; nearest: 'sold_by'"),
    ("edges.csv", ",sold_by,", ",sells,", "'sells' is an inverse edge; write 'sold_by' and swap 'from' and 'to'"),
    ("edges.csv", ",sold_by,", ",broader,", PAIRS),
    (
        "entities.csv",
        "solution:telework,",
        "solutoin:telework,",
        "'id' is 'solutoin:telework', not type:key; nearest: 'solution'",
    ),
    ("aliases.csv", ",lay,", ",common,", "'kind' is 'common'"),
]


@pytest.mark.parametrize(("file", "old", "new", "message"), ERRORS)
def test_reports_an_error_with_its_line_in_the_imported_file(
    *, tmp_path: Path, release: Path, file: str, old: str, new: str, message: str
) -> None:
    lines = (release / file).read_text().splitlines(keepends=True)
    line = next(number for number, text in enumerate(lines) if old in text)
    lines[line] = lines[line].replace(old, new, 1)
    (release / file).write_text("".join(lines))
    code, _, stderr = run(tmp_path / "imports", "table", str(release))
    assert code == 1
    assert f"{file}:{line + 1}: {message}" in stderr.replace("\n", " ")
    assert list_imports(tmp_path / "imports") == []


def test_reports_missing_and_misnamed_files(tmp_path: Path, release: Path) -> None:
    def stderr(source: Path) -> str:
        code, _, text = run(tmp_path / "imports", "table", str(source))
        assert code == 1
        return text

    (release / "entities.csv").rename(release / "entites.csv")
    assert "entites.csv:1: not a file of an export; nearest: 'entities.csv'" in stderr(release)
    (release / "entites.csv").rename(release / "entities.csv")
    (release / "sources.csv").unlink()
    assert "sources.csv:1: missing file; every export contains it" in stderr(release)
    code, _, text = run(tmp_path / "imports", "table", str(tmp_path / "nowhere"))
    assert (code, text) == (
        2,
        f"{tmp_path / 'nowhere'} does not exist. Name a folder, a zip archive, or the URL of one.\n",
    )


def test_an_import_that_loses_much_changes_nothing(tmp_path: Path, release: Path) -> None:
    imports = tmp_path / "imports"
    assert run(imports, "table", str(release))[0] == 0
    before = list_imports(imports)
    edges = (release / "edges.csv").read_text().splitlines(keepends=True)
    (release / "edges.csv").write_text("".join(line for line in edges if ",sold_by," not in line))
    code, _, stderr = run(imports, "table", str(release))
    assert code == 1
    assert "sold_by: 4 edges now, 0 of them with the import\n    - product:" in stderr
    assert "Nothing was changed. If the loss is intended, use --allow-loss." in stderr
    assert "An import of tables replaces the content. To add to it, use an overlay: `akg overlay new`." in stderr
    assert list_imports(imports) == before
    assert run(imports, "table", str(release), "--allow-loss")[0] == 0
    assert [path.name for path in imports.iterdir() if path.is_symlink()] == []


def test_an_import_that_replaces_much_by_as_much_changes_nothing(tmp_path: Path, release: Path) -> None:
    imports = tmp_path / "imports"
    assert run(imports, "table", str(release))[0] == 0
    before = list_imports(imports)
    for path in release.glob("*.csv"):
        path.write_text(path.read_text("utf-8").replace("quiet-works", "calm-works"), "utf-8")
    code, _, stderr = run(imports, "table", str(release))
    assert code == 1
    assert "vendor: 2 entities now, 1 of them with the import\n    - vendor:quiet-works" in stderr
    assert list_imports(imports) == before


def test_an_import_that_an_overlay_no_longer_fits_changes_nothing(tmp_path: Path, release: Path) -> None:
    imports = tmp_path / "imports"
    overlay = write_overlay(tmp_path / "campus", changes="id,name\nvendor:quiet-works,Campus Works\n")
    entities = (release / "entities.csv").read_text()
    (release / "entities.csv").write_text(entities.replace("quiet-works", "noisy-works"))
    edges = (release / "edges.csv").read_text()
    (release / "edges.csv").write_text(edges.replace("quiet-works", "noisy-works"))
    code, _, stderr = run(imports, "table", str(release), overlay=overlay)
    assert code == 1
    assert "With this import, an overlay would no longer fit, and builds would stop. Nothing was changed." in stderr
    assert "changes.csv:2: unknown vendor 'quiet-works'" in stderr
    assert list_imports(imports) == []
    assert run(imports, "table", str(release), "--allow-loss", overlay=overlay)[0] == 0


def test_the_help_of_a_table_import_says_that_it_replaces() -> None:
    result = CliRunner().invoke(app, ["import", "table", "--help"], env={"COLUMNS": "200"})
    assert "replace all content tables" in result.stdout
    assert "akg overlay new" in result.stdout
