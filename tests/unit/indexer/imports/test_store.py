"""Imports: stored atomically, listed and removed."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from filelock import FileLock

from indexer.imports.store import (
    ImportDataError,
    import_lock,
    list_imports,
    read_imports,
    read_tables,
    remove_import,
    store_files,
    store_tables,
    work_folder,
)
from tests.support.onet_samples import import_sample
from tests.support.unprivileged import without_privileges


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


def test_another_user_can_read_the_tables(tmp_path: Path) -> None:
    mask = os.umask(0o077)
    try:
        manifest = import_sample(tmp_path, "db_30_3_csv")
    finally:
        os.umask(mask)
    folder = tmp_path / manifest.folder
    paths = (folder, folder / "abilities.csv", tmp_path / "onet.import.json")
    assert [stat.S_IMODE(path.stat().st_mode) for path in paths] == [0o755, 0o644, 0o644]


class ChangedFolder(type(Path())):  # type: ignore[misc]  # the class of the platform
    """A folder where another process acts right after the manifests were listed."""

    after_listing: list[Callable[[], object]]

    def glob(self, pattern: str) -> Iterator[Path]:
        """Yield the paths that were there before the other process acted."""
        yield from list(Path(self).glob(pattern))
        while self.after_listing:
            self.after_listing.pop()()


def test_an_import_that_is_removed_while_it_is_read_is_not_listed(tmp_path: Path) -> None:
    import_sample(tmp_path, "db_30_3_csv")
    folder = ChangedFolder(tmp_path)
    folder.after_listing = [lambda: remove_import(tmp_path, "onet")]
    assert list_imports(folder) == []
    import_sample(tmp_path, "db_30_3_csv")
    folder.after_listing = [lambda: remove_import(tmp_path, "onet")]
    assert read_imports(folder) == []


def test_an_import_that_is_replaced_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    import_sample(tmp_path, "db_29_3_text")
    manifests = list_imports(tmp_path)
    replaced = import_sample(tmp_path, "db_31_0_csv")
    with pytest.raises(ImportDataError, match="has changed since the import"):
        read_tables(tmp_path, manifests[0])
    assert [manifest for manifest, _ in read_imports(tmp_path)] == [replaced]


@pytest.mark.parametrize("broken", ["folder", "link"])
def test_reports_a_manifest_that_cannot_be_read(broken: str, tmp_path: Path) -> None:
    path = tmp_path / "onet.import.json"
    path.mkdir() if broken == "folder" else path.symlink_to("nowhere")
    with pytest.raises(ImportDataError, match=r"onet\.import\.json cannot be read: .*\. Make it readable"):
        list_imports(tmp_path)


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """Yield a folder with an import, in which nothing can be written without privileges."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        import_sample(folder, "db_30_3_csv")
        (folder / ".lock").touch()
        (folder / ".lock").chmod(0o666)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


def test_reports_a_folder_that_is_read_only(read_only_folder: Path) -> None:
    (manifest,) = list_imports(read_only_folder)
    refused = "cannot store imports: Permission denied. Nothing was changed. Set AKG_IMPORTS to another folder."
    with without_privileges():
        with pytest.raises(ImportDataError) as raised, work_folder(read_only_folder):
            pytest.fail("a folder was created")
        assert str(raised.value) == f"{read_only_folder} {refused}"
        with pytest.raises(ImportDataError, match=refused):
            store_files(read_only_folder, manifest, {"abilities.csv": (0, b"")})
        with pytest.raises(ImportDataError, match=r"Import onet in .* cannot be removed: Permission denied"):
            remove_import(read_only_folder, "onet")
        assert [stored for stored, _ in read_imports(read_only_folder)] == [manifest]


def test_reports_a_table_that_may_not_be_read(read_only_folder: Path) -> None:
    (manifest,) = list_imports(read_only_folder)
    (read_only_folder / manifest.folder / "abilities.csv").chmod(0)
    refused = r"abilities\.csv cannot be read: Permission denied\. Make it readable"
    with without_privileges(), pytest.raises(ImportDataError, match=refused):
        read_imports(read_only_folder)


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
