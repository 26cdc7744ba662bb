"""Templates are comments and headers; a folder with files stays as it is."""

from pathlib import Path

import pytest

from indexer.content.datapackage_schema import Package
from indexer.content.loader import read_package
from indexer.overlays.examples import EXAMPLES
from indexer.overlays.folder import read_overlay_files
from indexer.overlays.tables import OWN_TABLES, TABLES, overlay_package
from indexer.overlays.templates import OverlayExistsError, write_templates
from tests.support.project import CONTENT


def test_every_table_has_a_template_with_comments_and_a_header(tmp_path: Path) -> None:
    package = read_package(CONTENT)
    paths = write_templates(tmp_path / "new" / "overlay", package)
    assert [path.stem for path in paths] == [*OWN_TABLES, *TABLES]
    assert set(EXAMPLES) == {*OWN_TABLES, *TABLES}
    columns = {
        resource.stem: [column.name for column in resource.table.columns]
        for resource in overlay_package(package).resources
    }
    for path in paths:
        lines = path.read_text("utf-8").splitlines()
        assert [line for line in lines if not line.startswith("# ")] == [",".join(columns[path.stem])]
        assert EXAMPLES[path.stem].keys() <= set(columns[path.stem])
    assert read_overlay_files(tmp_path / "new" / "overlay").files.keys() == {path.name for path in paths}


def test_a_folder_that_is_not_empty_stays_as_it_is(tmp_path: Path, package: Package) -> None:
    (tmp_path / ".hidden").write_text("kept")
    with pytest.raises(OverlayExistsError, match="is not empty"):
        write_templates(tmp_path, package)
    assert [path.name for path in tmp_path.iterdir()] == [".hidden"]
