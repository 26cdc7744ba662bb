"""Imports: stored atomically, merged with the content, versioned, listed and removed."""

from __future__ import annotations

import dataclasses
import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from typer.testing import CliRunner

from akg.cli import app
from indexer.content.rows import Alias, Content, MergedContent, Rating, RelatedOccupation
from indexer.graph.build import build_graph
from indexer.graph.coverage import counts
from indexer.imports.merge import merge_imports
from indexer.imports.store import (
    ImportDataError,
    Manifest,
    import_lock,
    list_imports,
    merged_version,
    read_tables,
    remove_import,
    store_tables,
)
from indexer.onet.archive import open_release
from indexer.onet.merge import KIND, OnetTables, attribution, from_tables, merge_onet, source_row, to_tables
from indexer.onet.reader import read_release
from tests.support.exported_files import exported_files
from tests.support.project import WORLD

if TYPE_CHECKING:
    from indexer.content.datapackage_schema import Package
    from indexer.graph.model import Graph
    from schema.vocabulary import Vocabulary

SAMPLES = Path(__file__).parents[3] / "data" / "onet"


def import_sample(folder: Path, sample: str, made: str = "2026-11-21T10:00:00Z") -> Manifest:
    with open_release(SAMPLES / sample) as files:
        release = read_release(files, lambda _: None)
    source = source_row(release, made[:10])
    title = f"O*NET {release.number}"
    manifest = Manifest(name="onet", kind=KIND, title=title, made=made, origin=sample, source=source)
    return store_tables(folder, manifest, to_tables(release))


def sample_tables(folder: Path, sample: str) -> OnetTables:
    manifest = import_sample(folder, sample)
    return from_tables(manifest.source, read_tables(folder, manifest))


def run(folder: Path, *words: str) -> tuple[int, str, str]:
    environment = {"AKG_IMPORTS": str(folder), "AKG_CONTENT": str(WORLD), "COLUMNS": "200"}
    result = CliRunner().invoke(app, ["import", *words], env=environment)
    return result.exit_code, result.stdout, result.stderr


def test_an_import_replaces_the_previous_one(tmp_path: Path) -> None:
    first = import_sample(tmp_path, "db_29_3_text")
    second = import_sample(tmp_path, "db_31_0_csv")
    assert [manifest.title for manifest in list_imports(tmp_path)] == ["O*NET 31.0"]
    assert not (tmp_path / first.folder).exists()
    assert {name: table.rows for name, table in second.tables.items()} == {
        "occupations.csv": 4,
        "abilities.csv": 4,
        "occupation_titles.csv": 6,
        "occupation_abilities.csv": 12,
        "related_occupations.csv": 2,
    }


def test_deletes_only_unused_folders_of_tables(tmp_path: Path) -> None:
    for name in ("mine", "akg-import-onet-left-by-a-kill"):
        (tmp_path / name).mkdir()
    import_sample(tmp_path, "db_30_3_csv")
    assert (tmp_path / "mine").is_dir()
    assert not (tmp_path / "akg-import-onet-left-by-a-kill").exists()


def test_a_failed_import_changes_nothing(tmp_path: Path) -> None:
    before = import_sample(tmp_path, "db_29_3_text")

    def rows() -> list[list[str]]:
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        store_tables(tmp_path, before, {"occupations.csv": (("code",), (row for row in rows()))})
    assert list_imports(tmp_path) == [before]
    assert read_tables(tmp_path, before).keys() == before.tables.keys()
    assert len(list(tmp_path.iterdir())) == 2


def test_rejects_changed_and_missing_tables(tmp_path: Path) -> None:
    manifest = import_sample(tmp_path, "db_30_3_csv")
    table = tmp_path / manifest.folder / "abilities.csv"
    table.write_bytes(table.read_bytes() + b"\n")
    changed = r"abilities\.csv has changed since the import\. Import onet again, or remove it"
    with pytest.raises(ImportDataError, match=changed):
        read_tables(tmp_path, manifest)
    table.unlink()
    with pytest.raises(ImportDataError, match=changed):
        read_tables(tmp_path, manifest)


def test_rejects_an_invalid_manifest(tmp_path: Path) -> None:
    (tmp_path / "onet.import.json").write_text("{}")
    with pytest.raises(ImportDataError, match=r"onet\.import\.json is not a valid import manifest: Field required"):
        list_imports(tmp_path)


def test_locks_the_imports_for_one_process(tmp_path: Path) -> None:
    with (
        FileLock(tmp_path / ".lock"),
        pytest.raises(ImportDataError, match="Another import has locked"),
        import_lock(tmp_path, seconds=0),
    ):
        pytest.fail("locked twice")


def test_reports_a_folder_that_cannot_store_imports(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(ImportDataError, match=r"cannot store imports: .* Set AKG_IMPORTS to another folder"),
        import_lock(tmp_path / "file"),
    ):
        pytest.fail("stored in a file")


def test_removes_an_import(tmp_path: Path) -> None:
    import_sample(tmp_path, "db_30_3_csv")
    with pytest.raises(ImportDataError, match=r"There is no import 'onnet'\. Valid: onet\."):
        remove_import(tmp_path, "onnet")
    remove_import(tmp_path, "onet")
    assert list(tmp_path.iterdir()) == []


def test_the_version_depends_on_content_and_imports(
    tmp_path: Path, content: Content, package: Package, vocabulary: Vocabulary
) -> None:
    assert merged_version(content.version, []) == content.version
    assert merge_imports(content, tmp_path, package, vocabulary) == MergedContent(content, ())
    versions = [content.version]
    for sample in ("db_29_3_text", "db_30_3_csv", "db_31_0_csv"):
        first = import_sample(tmp_path, sample)
        second = import_sample(tmp_path, sample, "2027-01-01T00:00:00Z")
        assert merged_version(content.version, [first]) == merged_version(content.version, [second])
        versions.append(merge_imports(content, tmp_path, package, vocabulary).content.version)
    assert len(set(versions)) == 4
    assert {version.partition("+")[0] for version in versions} == {"1.0.0"}


def test_merging_the_same_facts_changes_descriptions_and_sources_only(tmp_path: Path, content: Content) -> None:
    merged = merge_onet(content, sample_tables(tmp_path, "db_30_3_csv")).content
    before = {entity.id: entity for entity in content.entities}
    after = {entity.id: entity for entity in merged.entities}
    driver = after["occupation:53-3032.00"]
    assert driver.short == before["occupation:53-3032.00"].short
    assert driver.long == "Drive trucks of great weight over long roads, and see to load and papers."
    assert (driver.slug, driver.sources) == ("heavy-and-tractor-trailer-truck-drivers", ("onet-30.3",))
    assert after["ability:1.A.3.b.1"].long == "The power to go on with bodily work for hours."
    assert after["ability:1.A.3.b.1"].short == before["ability:1.A.3.b.1"].short
    assert [rating[:4] for rating in merged.ratings] == [rating[:4] for rating in content.ratings]
    assert merged.related_occupations[0] == RelatedOccupation(
        "occupation:15-1252.00", "occupation:43-4051.00", "primary-short", 1, ("onet-30.3",)
    )
    others = [entity for entity in content.entities if entity.type not in ("occupation", "ability")]
    assert merged.entities[: len(others)] == tuple(others)
    assert merged.links == content.links


def test_merging_a_newer_release_adds_and_omits_occupations_with_notes(tmp_path: Path, content: Content) -> None:
    result = merge_onet(content, sample_tables(tmp_path, "db_31_0_csv"))
    merged, entities = result.content, {entity.id: entity for entity in result.content.entities}
    assert counts(merged)["occupation"] == 3
    assert "occupation:53-3032.00" not in entities
    assert result.notes == (
        "occupations without ratings and relations, omitted: 1, such as occupation:53-7199.00",
        "occupations that the content does not have, added: 1, such as occupation:51-9197.00",
        "occupations of the content that this release does not have, omitted: 1, such as occupation:53-3032.00",
    )
    kite_mender = entities["occupation:51-9197.00"]
    assert (kite_mender.slug, kite_mender.name) == ("kite-menders", "Kite Menders")
    assert kite_mender.facts == {"job_zone": "2"}
    leading = "near vision, hearing sensitivity and stamina"
    assert kite_mender.short == f"An occupation in job zone 2 that leans most on {leading}."
    care = entities["occupation:43-4051.00"]
    assert (care.slug, care.name) == ("customer-service-representatives", "Customer Care Representatives")
    assert care.short.startswith("An occupation in job zone 3 that leans most on near vision, ")
    assert entities["ability:1.A.4.b.1"].slug == "hearing-sensitivity"
    assert entities["ability:1.A.4.b.1"].facts == {"group": "sensory"}
    assert Rating("occupation:51-9197.00", "ability:1.A.4.b.1", 2.62, 2.5, ("onet-31.0",)) in merged.ratings
    assert Alias("occupation:43-4051.00", "Customer Service Representatives", "title", ("onet-31.0",)) in merged.aliases
    assert not [alias for alias in merged.aliases if alias.entity == "occupation:53-3032.00"]
    related = {edge.occupation for edge in merged.related_occupations}
    assert related == {"occupation:15-1252.00", "occupation:51-9197.00"}


def test_the_source_is_the_release_with_its_attribution(tmp_path: Path, content: Content) -> None:
    for sample in ("db_30_3_csv", "db_31_0_csv"):
        content = merge_onet(content, sample_tables(tmp_path, sample)).content
    (onet,) = (source for source in content.sources if source.id.startswith("onet-"))
    assert (onet.id, onet.title, onet.retrieved) == ("onet-31.0", "O*NET 31.0 Database", "2026-11-21")
    assert onet.attribution == attribution("31.0")
    assert "includes information from the O*NET 31.0 Database by" in onet.attribution


def test_an_import_of_version_0_1_0_gets_the_address_of_its_licence(tmp_path: Path, content: Content) -> None:
    tables = sample_tables(tmp_path, "db_31_0_csv")
    source = {name: value for name, value in tables.source.items() if name != "licence_url"}
    for imported in (tables, dataclasses.replace(tables, source=source)):
        merged = merge_onet(content, imported).content.sources
        assert merged[-1].licence_url == "https://creativecommons.org/licenses/by/4.0/"


def test_a_duplicate_slug_gets_the_code_as_suffix(tmp_path: Path, content: Content) -> None:
    release = sample_tables(tmp_path, "db_31_0_csv")
    renamed = [
        ("51-9197.00", "Software Developers", "2", "Others.") if row[0] == "51-9197.00" else row
        for row in release.occupations
    ]
    merged = merge_onet(content, dataclasses.replace(release, occupations=tuple(renamed))).content
    slugs = {entity.id: entity.slug for entity in merged.entities if entity.type == "occupation"}
    assert slugs["occupation:15-1252.00"] == "software-developers"
    assert slugs["occupation:51-9197.00"] == "software-developers-51-9197-00"


def test_the_commands_import_list_and_remove(tmp_path: Path) -> None:
    assert run(tmp_path, "list")[:2] == (0, "No imports.\n")
    code, stdout, stderr = run(tmp_path, "onet", str(SAMPLES / "db_31_0_csv"))
    assert code == 0
    assert stdout == (
        "Imported O*NET 31.0: 4 occupations, 4 abilities, 6 occupation_titles, 12 occupation_abilities, "
        "2 related_occupations. `akg index build` joins it.\n"
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
    assert run(imports, "table", str(release))[0] == 0
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
    assert "does not exist" in stderr(tmp_path / "nowhere")
