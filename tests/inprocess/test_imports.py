"""Imports: kept whole or not at all, joined with the content, versioned, listed and taken out again."""

from __future__ import annotations

import gzip
import shutil
import zipfile
from base64 import b64decode
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from typer.testing import CliRunner

from akg.main import app
from indexer.coverage import counts
from indexer.export import export_documents
from indexer.graph import build_graph
from indexer.imports import ImportedError, Manifest, alone, imports_in, joined_version, remove, replace, tables_of
from indexer.joining import joined
from indexer.onet.files import opened
from indexer.onet.join import join
from indexer.onet.layout import attribution
from indexer.onet.reading import read_release
from indexer.onet.tables import KIND, OnetTables, from_tables, source_of, to_tables
from indexer.rows import Alias, Content, Joined, Rating, RelatedOccupation

if TYPE_CHECKING:
    from indexer.graph import Graph
    from indexer.schema import Package
    from indexer.vocabulary import Vocabulary

SAMPLES = Path(__file__).parents[1] / "data" / "onet"
WORLD = Path(__file__).parents[1] / "data" / "world"


def imported(folder: Path, sample: str, made: str = "2026-11-21T10:00:00Z") -> Manifest:
    """A sample as an import of the folder."""
    with opened(SAMPLES / sample) as files:
        release = read_release(files, lambda _: None)
    source = source_of(release, made[:10])
    manifest = Manifest(
        name="onet", kind=KIND, title=f"O*NET {release.number}", made=made, origin=sample, source=source
    )
    return replace(folder, manifest, to_tables(release))


def tables(folder: Path, sample: str) -> OnetTables:
    made = imported(folder, sample)
    return from_tables(made.source, tables_of(folder, made))


def run(folder: Path, *words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["import", *words], env={"AKG_IMPORTS": str(folder), "COLUMNS": "200"})
    return result.exit_code, result.stdout, result.stderr


def test_an_import_replaces_the_one_before_it_and_leaves_nothing_else(tmp_path: Path) -> None:
    first = imported(tmp_path, "db_29_3_text")
    second = imported(tmp_path, "db_31_0_csv")
    assert [one.title for one in imports_in(tmp_path)] == ["O*NET 31.0"]
    assert not (tmp_path / first.folder).exists()
    assert {name: table.rows for name, table in second.tables.items()} == {
        "occupations.csv": 4,
        "abilities.csv": 4,
        "occupation_titles.csv": 6,
        "occupation_abilities.csv": 12,
        "related_occupations.csv": 2,
    }


def test_only_folders_of_tables_are_ever_cleared(tmp_path: Path) -> None:
    for name in ("mine", "akg-import-onet-left-by-a-kill"):
        (tmp_path / name).mkdir()
    imported(tmp_path, "db_30_3_csv")
    assert (tmp_path / "mine").is_dir()
    assert not (tmp_path / "akg-import-onet-left-by-a-kill").exists()


def test_an_import_that_fails_half_way_changes_nothing(tmp_path: Path) -> None:
    before = imported(tmp_path, "db_29_3_text")

    def rows() -> list[list[str]]:
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        replace(tmp_path, before, {"occupations.csv": (("code",), (row for row in rows()))})
    assert imports_in(tmp_path) == [before]
    assert tables_of(tmp_path, before).keys() == before.tables.keys()
    assert len(list(tmp_path.iterdir())) == 2


def test_tables_that_were_changed_or_lost_are_refused(tmp_path: Path) -> None:
    made = imported(tmp_path, "db_30_3_csv")
    table = tmp_path / made.folder / "abilities.csv"
    table.write_bytes(table.read_bytes() + b"\n")
    with pytest.raises(
        ImportedError, match=r"abilities\.csv is not what was imported\. Import onet again, or remove it"
    ):
        tables_of(tmp_path, made)
    table.unlink()
    with pytest.raises(ImportedError, match="is not what was imported"):
        tables_of(tmp_path, made)


def test_what_is_no_manifest_is_named(tmp_path: Path) -> None:
    (tmp_path / "onet.import.json").write_text("{}")
    with pytest.raises(ImportedError, match=r"onet\.import\.json is no manifest of an import: Field required"):
        imports_in(tmp_path)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with (
        FileLock(tmp_path / ".lock"),
        pytest.raises(ImportedError, match="Another process has been busy"),
        alone(tmp_path, seconds=0),
    ):
        pytest.fail("two at once")


def test_a_folder_that_cannot_keep_imports_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(ImportedError, match=r"cannot keep imports: .* AKG_IMPORTS names another"),
        alone(tmp_path / "file"),
    ):
        pytest.fail("a file is no folder")


def test_an_import_can_be_taken_out(tmp_path: Path) -> None:
    imported(tmp_path, "db_30_3_csv")
    with pytest.raises(ImportedError, match=r"There is no import 'onnet'\. Imports: onet\."):
        remove(tmp_path, "onnet")
    remove(tmp_path, "onet")
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_that_of_content_and_imports(
    tmp_path: Path, content: Content, package: Package, vocabulary: Vocabulary
) -> None:
    assert joined_version(content.version, []) == content.version
    assert joined(content, tmp_path, package, vocabulary) == Joined(content, ())
    versions = [content.version]
    for sample in ("db_29_3_text", "db_30_3_csv", "db_31_0_csv"):
        made = imported(tmp_path, sample)
        again = imported(tmp_path, sample, "2027-01-01T00:00:00Z")
        assert joined_version(content.version, [made]) == joined_version(content.version, [again])
        versions.append(joined(content, tmp_path, package, vocabulary).content.version)
    assert len(set(versions)) == 4
    assert {version.partition("+")[0] for version in versions} == {"1.0.0"}


def test_joining_the_same_facts_changes_descriptions_and_sources_only(tmp_path: Path, content: Content) -> None:
    made = join(content, tables(tmp_path, "db_30_3_csv")).content
    before = {entity.id: entity for entity in content.entities}
    after = {entity.id: entity for entity in made.entities}
    driver = after["occupation:53-3032.00"]
    assert driver.short == before["occupation:53-3032.00"].short
    assert driver.long == "Drive trucks of great weight over long roads, and see to load and papers."
    assert (driver.slug, driver.sources) == ("heavy-and-tractor-trailer-truck-drivers", ("onet-30.3",))
    assert after["ability:1.A.3.b.1"].long == "The power to go on with bodily work for hours."
    assert after["ability:1.A.3.b.1"].short == before["ability:1.A.3.b.1"].short
    assert [(one.occupation, one.ability, one.importance, one.level) for one in made.ratings] == [
        (one.occupation, one.ability, one.importance, one.level) for one in content.ratings
    ]
    assert made.related_occupations[0] == RelatedOccupation(
        "occupation:15-1252.00", "occupation:43-4051.00", "primary-short", 1, ("onet-30.3",)
    )
    kept = [entity for entity in content.entities if entity.type not in ("occupation", "ability")]
    assert made.entities[: len(kept)] == tuple(kept)
    assert made.links == content.links


def test_joining_a_newer_release_adds_drops_and_says_so(tmp_path: Path, content: Content) -> None:
    done = join(content, tables(tmp_path, "db_31_0_csv"))
    made, entities = done.content, {entity.id: entity for entity in done.content.entities}
    assert counts(made)["occupation"] == 3
    assert "occupation:53-3032.00" not in entities
    assert done.notes == (
        "occupations of which the release says nothing, left out: 1, such as occupation:53-7199.00",
        "occupations that the content does not have: 1, such as occupation:51-9197.00",
        "occupations of the content that this release does not have, left out: 1, such as occupation:53-3032.00",
    )
    mender = entities["occupation:51-9197.00"]
    assert (mender.slug, mender.name, mender.facts) == ("kite-menders", "Kite Menders", {"job_zone": "2"})
    assert mender.short == (
        "An occupation in job zone 2 that leans most on near vision, hearing sensitivity and stamina."
    )
    care = entities["occupation:43-4051.00"]
    assert (care.slug, care.name) == ("customer-service-representatives", "Customer Care Representatives")
    assert care.short.startswith("An occupation in job zone 3 that leans most on near vision, ")
    assert entities["ability:1.A.4.b.1"].slug == "hearing-sensitivity"
    assert entities["ability:1.A.4.b.1"].facts == {"group": "sensory"}
    assert Rating("occupation:51-9197.00", "ability:1.A.4.b.1", 2.62, 2.5, ("onet-31.0",)) in made.ratings
    assert Alias("occupation:43-4051.00", "Customer Service Representatives", "title", ("onet-31.0",)) in made.aliases
    assert not [alias for alias in made.aliases if alias.entity == "occupation:53-3032.00"]
    assert {edge.occupation for edge in made.related_occupations} == {"occupation:15-1252.00", "occupation:51-9197.00"}


def test_the_source_is_the_release_with_its_sentence(tmp_path: Path, content: Content) -> None:
    made = join(join(content, tables(tmp_path, "db_30_3_csv")).content, tables(tmp_path, "db_31_0_csv")).content
    onet = [source for source in made.sources if source.id.startswith("onet-")]
    assert [(source.id, source.title, source.retrieved) for source in onet] == [
        ("onet-31.0", "O*NET 31.0 Database", "2026-11-21")
    ]
    assert onet[0].attribution == attribution("31.0")
    assert "includes information from the O*NET 31.0 Database by" in onet[0].attribution


def test_a_slug_that_is_taken_is_not_given_twice(tmp_path: Path, content: Content) -> None:
    found = tables(tmp_path, "db_31_0_csv")
    renamed = [
        ("51-9197.00", "Software Developers", "2", "Others.") if row[0] == "51-9197.00" else row
        for row in found.occupations
    ]
    made = join(
        content, OnetTables(found.source, tuple(renamed), found.abilities, found.titles, found.ratings, found.related)
    )
    slugs = {one.id: one.slug for one in made.content.entities if one.type == "occupation"}
    assert slugs["occupation:15-1252.00"] == "software-developers"
    assert slugs["occupation:51-9197.00"] == "software-developers-51-9197-00"


def test_the_commands_import_list_and_remove(tmp_path: Path) -> None:
    assert run(tmp_path, "list")[:2] == (0, "No imports.\n")
    code, printed, told = run(tmp_path, "onet", str(SAMPLES / "db_31_0_csv"))
    assert (code, printed) == (
        0,
        (
            "Imported O*NET 31.0: 4 occupations, 4 abilities, 6 occupation_titles, 12 occupation_abilities, "
            "2 related_occupations. `akg index build` joins it.\n"
        ),
    )
    assert "unknown column 'Data Quality' was passed over" in told
    listed = run(tmp_path, "list")[1]
    assert "O*NET 31.0" in listed
    assert "db_31_0_csv" in listed
    assert run(tmp_path, "remove", "onet")[:2] == (0, "Removed onet. `akg index build` builds without it.\n")
    assert run(tmp_path, "remove", "onet")[0] == 1


def test_a_release_with_faults_changes_nothing(tmp_path: Path) -> None:
    folder, copy = tmp_path / "imports", Path(shutil.copytree(SAMPLES / "db_30_3_csv", tmp_path / "db_30_3_csv"))
    assert run(folder, "onet", str(SAMPLES / "db_29_3_text"))[0] == 0
    before = imports_in(folder)
    zones = copy / "job_zones.csv"
    zones.write_bytes(zones.read_bytes().replace(b",4,", b",9,"))
    code, printed, told = run(folder, "onet", str(copy))
    assert (code, printed) == (1, "")
    assert told.splitlines()[-2:] == [
        "Nothing was changed:",
        "db_30_3_csv/job_zones.csv:2: job zone '9'; valid: 1 to 5",
    ]
    assert run(folder, "onet", str(copy / "job_zones.csv"), "--sha256", "0" * 64)[0] == 1
    assert run(folder, "onet", str(copy), "--sha256", "abc")[2] == "--sha256 takes 64 hexadecimal digits.\n"
    assert run(folder, "onet", "ftp://x.example/db.zip")[2].startswith("ftp:// is no address that can be fetched; ")
    assert imports_in(folder) == before


def exported(graph: Graph, vocabulary: Vocabulary, folder: Path) -> Path:
    """The files of a release of the world in a folder, as `akg export` writes them."""
    made = dict(export_documents(graph, vocabulary))
    folder.mkdir()
    for file in made["export"]["files"]:
        pieces = [made[f"export/{file['name']}/{number}"]["piece"] for number in range(len(file["pieces"]))]
        packed = b"".join(map(b64decode, pieces))
        (folder / file["name"]).write_bytes(packed if file["name"].endswith(".gz") else gzip.decompress(packed))
    return folder


@pytest.fixture
def release(tmp_path: Path, graph: Graph, vocabulary: Vocabulary) -> Path:
    """A release of the world as a folder of files."""
    return exported(graph, vocabulary, tmp_path / "release")


def run_in_world(folder: Path, *words: str) -> tuple[int, str, str]:
    told = {"AKG_IMPORTS": str(folder), "AKG_CONTENT": str(WORLD), "COLUMNS": "200"}
    result = CliRunner().invoke(app, ["import", *words], env=told)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("packed", [False, True])
def test_an_export_that_is_imported_gives_the_same_content_and_version(
    *, tmp_path: Path, release: Path, content: Content, package: Package, vocabulary: Vocabulary, packed: bool
) -> None:
    source, kept = release, tmp_path / "imports"
    if packed:
        with zipfile.ZipFile(tmp_path / "release.zip", "w") as archive:
            for path in source.iterdir():
                archive.write(path, f"release/{path.name}")
        source = tmp_path / "release.zip"
    code, told, _ = run_in_world(kept, "table", str(source))
    assert (code, told) == (0, "Imported 36 entities, in place of the content. `akg index build` builds them.\n")
    empty = Content((), (), (), (), (), (), (), {}, "9.9.9+0")
    found = joined(empty, kept, package, vocabulary).content
    assert found.version == content.version
    again = exported(build_graph(found, vocabulary), vocabulary, tmp_path / "again")
    for path in again.iterdir():
        assert path.read_bytes() == (release / path.name).read_bytes()


def test_tables_that_were_changed_have_a_version_of_their_own(
    tmp_path: Path, release: Path, content: Content, package: Package, vocabulary: Vocabulary
) -> None:
    source, kept = release, tmp_path / "imports"
    edges = (source / "edges.csv").read_text()
    (source / "edges.csv").write_text("\n".join(edges.splitlines()[:-1]) + "\n")
    assert run_in_world(kept, "table", str(source))[0] == 0
    found = joined(content, kept, package, vocabulary).content
    assert found.version != content.version
    assert found.version.partition("+")[0] == content.version.partition("+")[0]
    assert "tables of others" in run_in_world(kept, "list")[1]


REFUSED: list[tuple[str, str, str, str]] = [
    (
        "edges.csv",
        "disability:low-vision,",
        "disability:low-visoin,",
        "unknown disability 'low-visoin'; nearest: 'low-vision'",
    ),
    ("edges.csv", ",sold_by,", ",soldby,", "unknown edge 'soldby'; nearest: 'sold_by'"),
    (
        "edges.csv",
        ",sold_by,",
        ",sells,",
        "'sells' is how the other end sees it; write 'sold_by' with the ends exchanged",
    ),
    (
        "edges.csv",
        ",sold_by,",
        ",broader,",
        "broader joins disability to disability or limitation to limitation or occupation to occupation, not",
    ),
    (
        "entities.csv",
        "solution:telework,",
        "solutoin:telework,",
        "'id' is 'solutoin:telework', not type:key; nearest: 'solution'",
    ),
    ("aliases.csv", ",lay,", ",common,", "'kind' is 'common'"),
]


@pytest.mark.parametrize(("file", "old", "new", "what"), REFUSED)
def test_a_fault_is_told_with_its_line_in_the_file_that_was_given(
    *, tmp_path: Path, release: Path, file: str, old: str, new: str, what: str
) -> None:
    source, kept = release, tmp_path / "imports"
    lines = (source / file).read_text().splitlines(keepends=True)
    line = next(number for number, text in enumerate(lines) if old in text)
    lines[line] = lines[line].replace(old, new, 1)
    (source / file).write_text("".join(lines))
    code, _, told = run_in_world(kept, "table", str(source))
    assert code == 1
    assert f"{file}:{line + 1}: {what}" in told.replace("\n", " ")
    assert imports_in(kept) == []


@pytest.mark.parametrize(
    ("name", "what"),
    [("entites.csv", "nearest: 'entities.csv'"), ("sources.csv", "")],
)
def test_files_that_are_missing_or_misnamed_are_told(*, tmp_path: Path, release: Path, name: str, what: str) -> None:
    source, kept = release, tmp_path / "imports"
    if what:
        (source / "entities.csv").rename(source / name)
    else:
        (source / name).unlink()
    code, _, told = run_in_world(kept, "table", str(source))
    assert code == 1
    assert (what or "sources.csv:1: missing; an export has it") in told
    assert run_in_world(kept, "table", str(tmp_path / "nowhere"))[0] == 1
