"""Content, imports and overlays are merged in this order, and the data version follows every byte of them."""

from pathlib import Path

import pytest

from indexer.content.loader import content_version
from indexer.imports.export_tables import KIND
from indexer.imports.store import Manifest, store_files
from indexer.merge import TableFolders, data_version, merged_content
from indexer.overlays.folder import OverlayError
from schema.vocabulary import Vocabulary
from tests.support.overlay_folders import write_overlay
from tests.support.project import WORLD

HOME = "id,name\nsolution:telework,Home\n"


def versions(folders: TableFolders, vocabulary: Vocabulary) -> str:
    merged = merged_content(folders, vocabulary)
    assert merged.content.version == data_version(folders)
    return merged.content.version


def test_the_data_version_depends_on_overlays_and_their_order(tmp_path: Path, vocabulary: Vocabulary) -> None:
    base = TableFolders(WORLD, tmp_path / "imports")
    first = write_overlay(tmp_path / "first", changes=HOME)
    second = write_overlay(tmp_path / "second", "id,title,licence\nother,Other,CC0\n", changes=HOME)
    overlays = [(), (first,), (second,), (first, second), (second, first)]
    found = [versions(TableFolders(WORLD, base.imports, folders), vocabulary) for folders in overlays]
    assert len(set(found)) == len(found)
    assert found[0] == content_version(WORLD)
    moved = first.rename(tmp_path / "moved")
    assert data_version(TableFolders(WORLD, base.imports, (moved,))) == found[1]
    assert versions(base, vocabulary) == found[0]


def test_an_overlay_is_checked_against_those_before_it(tmp_path: Path, vocabulary: Vocabulary) -> None:
    vendor = write_overlay(tmp_path / "a", vendors="slug,name,short\npool,Pool,A pool.\n")
    user = write_overlay(
        tmp_path / "b", "id,title,licence\nb,B,CC0\n", product_vendors="product,vendor\nlargeview-pocket,pool\n"
    )
    merged = merged_content(TableFolders(WORLD, tmp_path, (vendor, user)), vocabulary)
    assert [note.partition(": ")[0] for note in merged.notes] == [
        f"Merged the overlay {path}" for path in (vendor, user)
    ]
    with pytest.raises(OverlayError, match=r"product_vendors\.csv:2: unknown vendor 'pool'"):
        merged_content(TableFolders(WORLD, tmp_path, (user, vendor)), vocabulary)


def test_overlays_lie_on_top_of_imports(tmp_path: Path, files: dict[str, bytes], vocabulary: Vocabulary) -> None:
    renamed = {name: data.replace(b"Telework", b"Remote Work") for name, data in files.items()}
    imports = tmp_path / "imports"
    imports.mkdir()
    manifest = Manifest(name="tables", kind=KIND, title="external tables", made="2026-01-01", origin="x")
    store_files(imports, manifest, {name: (data.count(b"\n"), data) for name, data in renamed.items()})
    overlay = write_overlay(tmp_path / "campus", changes="id,short\nsolution:telework,Campus from afar.\n")
    folders = [TableFolders(WORLD, imports), TableFolders(WORLD, imports, (overlay,))]
    below, above = (merged_content(folder, vocabulary).content for folder in folders)
    telework = {entity.id: entity for entity in above.entities}["solution:telework"]
    assert (telework.name, telework.short) == ("Remote Work", "Campus from afar.")
    assert above.version not in {below.version, content_version(WORLD)}
    assert below.version == data_version(folders[0])
