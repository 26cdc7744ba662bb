"""Reading members of zip archives, whatever size they state."""

import tracemalloc
import zipfile
from pathlib import Path

import pytest

from indexer.content.zip_members import ARCHIVE_ERRORS, error_text, file_members, member_bytes

MEGABYTE = 1_000_000
CENTRAL_HEADER = b"PK\x01\x02"
SIZE_OFFSET = 24  # of the uncompressed size in a central header


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_returns_the_content(method: int, tmp_path: Path) -> None:
    content = b"from,edge,to\n" * 10_000
    with zipfile.ZipFile(tmp_path / "export.zip", "w", method) as archive:
        archive.writestr("edges.csv", content)
    with zipfile.ZipFile(tmp_path / "export.zip") as archive:
        assert member_bytes(archive, archive.infolist()[0]) == content


def test_a_member_that_states_a_smaller_size_needs_no_memory(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("edges.csv", bytes(50 * MEGABYTE))
    data = bytearray((tmp_path / "export.zip").read_bytes())
    offset = data.index(CENTRAL_HEADER) + SIZE_OFFSET
    data[offset : offset + 4] = (10).to_bytes(4, "little")
    (tmp_path / "export.zip").write_bytes(data)
    tracemalloc.start()
    with zipfile.ZipFile(tmp_path / "export.zip") as archive, pytest.raises(ARCHIVE_ERRORS, match="Bad CRC-32"):
        member_bytes(archive, archive.infolist()[0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * MEGABYTE


def test_a_damaged_name_is_no_reason_to_fail(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("folder/", b"")
        archive.writestr("edges.csv", b"from,edge,to\n")
    data = (tmp_path / "export.zip").read_bytes()
    (tmp_path / "export.zip").write_bytes(data.replace(b"edges.csv", bytes(9)))
    with zipfile.ZipFile(tmp_path / "export.zip") as archive:
        assert [info.filename for info in file_members(archive)] == [""]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError("Invalid data stream"), "Invalid data stream"),
        (PermissionError(13, "Permission denied", "export.zip"), "Permission denied"),
        (EOFError(), "EOFError"),
    ],
)
def test_every_error_has_a_text(error: Exception, text: str) -> None:
    assert error_text(error) == text
