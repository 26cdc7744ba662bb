"""Hostile bytes in an archive of an O*NET release are read or reported."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.content.problems import ContentError
from indexer.onet.archive import OnetError
from tests.support.fuzzing import fuzzed
from tests.support.malformed_files import CHANGES, METHODS, Changes, changed
from tests.support.onet_samples import CSV, read, zipped


@fuzzed(50)
@given(method=st.sampled_from(METHODS), changes=CHANGES)
def test_any_bytes_in_an_onet_archive_are_read_or_reported(
    method: int, changes: Changes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = zipped(CSV, tmp_path_factory.getbasetemp() / "onet.zip", method)
    path.write_bytes(changed(path.read_bytes(), changes))
    with suppress(ContentError, OnetError):
        read(path)
