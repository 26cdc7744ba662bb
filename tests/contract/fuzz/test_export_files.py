"""Hostile bytes in an archive of an export are read or reported."""

import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.content.problems import ContentError
from indexer.imports.export_files import read_files
from indexer.imports.store import ImportDataError
from tests.support.fuzzing import fuzzed
from tests.support.malformed_files import CHANGES, METHODS, Changes, changed

ARCHIVE_MESSAGE = (
    r".*export\.zip (is not a valid zip archive: (?!None).+ Nothing was changed\.|"
    r"cannot be read: (?!None).+ Nothing was changed\.|"
    r"has (two files for one table: .+|more than [0-9,]+ bytes uncompressed\. Nothing was changed\.)|"
    r"is compressed twice\. .+|contains no files of an export\. Valid: .+)"
)
UNKNOWN_FILE = r".+:1: not a file of an export.*"


@fuzzed(50)
@given(method=st.sampled_from(METHODS), changes=CHANGES)
def test_any_bytes_in_an_archive_are_read_or_reported(
    method: int, changes: Changes, files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "export.zip"
    written = {name: files[name] for name in ("sources.csv", "edges.csv")}
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in written.items():
            archive.writestr(name, data)
    path.write_bytes(changed(path.read_bytes(), changes))
    read, message = {}, ""
    try:
        read = read_files(path)
    except (ContentError, ImportDataError) as error:
        message = str(error)
    assert read.items() <= written.items()  # a checksum protects each file
    assert read or re.fullmatch(f"{ARCHIVE_MESSAGE}|{UNKNOWN_FILE}", message, re.DOTALL)
