"""Hostile bytes in an archive of an O*NET release are read or reported."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.content.problems import ContentError
from indexer.onet.archive import OnetError
from indexer.onet.reader import OnetRelease
from tests.support.fuzzing import fuzzed
from tests.support.malformed_files import CHANGES, METHODS, Changes, changed
from tests.support.onet_samples import CSV, read, zipped

MESSAGE = (
    r".*(is not a valid zip archive|cannot be read|is damaged( after line \d+)?): (?!None).+ Nothing was changed\.|"
    r"The release is incomplete: .+ Nothing was changed\.|Two files for one table: .+\. Keep one of them\.|"
    r".+ is encrypted; official O\*NET archives are not\.|.+ has [0-9,]+ bytes; the maximum is [0-9,]+\.|"
    r".+ has more than [0-9,]+ bytes uncompressed\. Nothing was changed\.|.+ contains no O\*NET files .+|"
    r"O\*NET [0-9.]+ is not supported; .+|The release number is unknown: .+|(.+:\d+: .+)+"
)


@fuzzed(50)
@given(method=st.sampled_from(METHODS), changes=CHANGES)
def test_any_bytes_in_an_onet_archive_are_read_or_reported(
    method: int, changes: Changes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = zipped(CSV, tmp_path_factory.getbasetemp() / "onet.zip", method)
    path.write_bytes(changed(path.read_bytes(), changes))
    release, message = None, ""
    try:
        release = read(path)
    except (ContentError, OnetError) as error:
        message = str(error)
    assert release or re.fullmatch(MESSAGE, message, re.DOTALL)
    if release:  # checksums protect the files; the name of one with titles may have changed, and with it the spelling
        expected = read(CSV)
        assert (release.occupations, release.abilities) == (expected.occupations, expected.abilities)
        assert (release.ratings, release.related) == (expected.ratings, expected.related)
        assert _without_case(release) <= _without_case(expected)


def _without_case(release: OnetRelease) -> set[tuple[str, str]]:
    """Return the codes and titles; both files of titles can have the same one, with other capital letters."""
    return {(code, title.casefold()) for code, title in release.titles}
