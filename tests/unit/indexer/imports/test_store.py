"""Imports: stored atomically, listed and removed."""

from pathlib import Path

import pytest
from filelock import FileLock

from indexer.imports.store import (
    ImportDataError,
    import_lock,
    list_imports,
    read_tables,
    remove_import,
    store_tables,
)
from tests.support.onet_samples import import_sample


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
