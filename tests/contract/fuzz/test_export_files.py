"""Hostile bytes in an archive of an export are read or reported."""

import zipfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.content.problems import ContentError
from indexer.imports.export_files import read_files
from indexer.imports.store import ImportDataError
from tests.support.fuzzing import fuzzed
from tests.support.malformed_files import CHANGES, METHODS, Changes, changed


@fuzzed(50)
@given(method=st.sampled_from(METHODS), changes=CHANGES)
def test_any_bytes_in_an_archive_are_read_or_reported(
    method: int, changes: Changes, files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "export.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name in ("sources.csv", "edges.csv"):
            archive.writestr(name, files[name])
    path.write_bytes(changed(path.read_bytes(), changes))
    with suppress(ContentError, ImportDataError):
        read_files(path)
