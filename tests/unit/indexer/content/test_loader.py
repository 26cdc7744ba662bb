"""Loading the content folder, and its version."""

from pathlib import Path

import orjson
import pytest

from indexer.content.loader import content_version, load_content, row_counts
from indexer.content.problems import ContentError
from indexer.content.rows import Content
from tests.support.project import WORLD
from tests.support.unprivileged import without_privileges
from tests.support.world_files import VOCABULARY, copy_world


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return copy_world(tmp_path / "world")


def problems_of(folder: Path) -> list[str]:
    with pytest.raises(ContentError) as raised:
        load_content(folder, VOCABULARY)
    return list(map(str, raised.value.problems))


def test_the_basis_of_a_relation_with_only_editors_as_source_is_editorial(world: Path) -> None:
    table = world / "disability_limitations.csv"
    table.write_text(table.read_text().replace("low-vision,blind,editors", "low-vision,blind,editorial"))
    sources = world / "sources.csv"
    sources.write_text(f"{sources.read_text()}editorial,Our editors,Test world,,CC0-1.0,,,,\n")
    bases = {(link.source, link.target): link.basis for link in load_content(world, VOCABULARY).links}
    assert bases["disability:low-vision", "limitation:blind"] == "editorial"
    assert bases["disability:low-vision", "limitation:low-vision"] == "source"


@pytest.mark.parametrize("stem", ["limitation_abilities", "main_needs", "first_choices", "made_for"])
def test_tables_of_editorial_judgments_are_optional(world: Path, stem: str) -> None:
    (world / f"{stem}.csv").unlink()
    package = world / "datapackage.json"
    described = orjson.loads(package.read_bytes())
    described["resources"] = [table for table in described["resources"] if table["name"] != stem]
    package.write_bytes(orjson.dumps(described))
    content = load_content(world, VOCABULARY)
    assert ("limits" in {link.edge for link in content.links}) == (stem != "limitation_abilities")
    assert bool(content.main_needs) == (stem != "main_needs")
    assert bool(content.first_choices) == (stem != "first_choices")
    assert bool(content.made_for) == (stem != "made_for")


def test_raises_every_problem(world: Path) -> None:
    (world / "vendors.csv").unlink()
    (world / "redirects.csv").write_text("old,new\nvendor:quiet,solution:teleworking\ndisability:add\n")
    assert problems_of(world) == [
        "world/redirects.csv:2: unknown solution 'teleworking'; nearest: 'telework'",
        "world/redirects.csv:3: row has 1 cells; the header has 2",
        "world/vendors.csv:1: missing table; datapackage.json describes it",
    ]


def test_reports_unreadable_files_and_folders(world: Path) -> None:
    (world / "vendors.csv").unlink()
    (world / "vendors.csv").mkdir()
    assert problems_of(world)[0] == "world/vendors.csv:1: cannot be read: Is a directory"
    assert problems_of(world / "nowhere") == [
        "nowhere/datapackage.json:1: missing file; it describes the tables and their columns"
    ]
    with pytest.raises(ContentError):
        content_version(world / "nowhere")
    world.chmod(0)
    with without_privileges():
        assert problems_of(world) == ["world:1: cannot be read: Permission denied"]
    world.chmod(0o755)


def test_the_version_changes_with_the_tables_only(world: Path, content: Content) -> None:
    assert content.version.startswith("1.0.0+")
    assert len(content.version) == len("1.0.0+") + 12
    (world / "README.md").write_text("For editors.\n")
    assert content_version(world) == content.version
    table = world / "vendors.csv"
    table.write_bytes(table.read_bytes().replace(b"Quiet Works", b"Quiet Work"))
    assert content_version(world) == load_content(world, VOCABULARY).version != content.version


def test_counts_the_rows_of_each_table() -> None:
    counts = row_counts(WORLD)
    assert (len(counts), counts["aliases.csv"], counts["disabilities.csv"]) == (34, 10, 6)
