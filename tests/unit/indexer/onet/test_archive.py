"""Opening O*NET releases: folders and archives, which release they are, and sources that are none."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from indexer.content.zip_members import MIN_EXPANDED_BYTES
from indexer.onet.archive import MAX_FILE_BYTES, find_release, table_stem
from tests.support.onet_samples import CSV, NEWER, error_message, read, zipped


def test_an_archive_has_the_same_facts_as_its_folder(tmp_path: Path) -> None:
    assert read(zipped(NEWER, tmp_path / "onet.zip")).ratings == read(NEWER).ratings


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("O*NET 30.3 Database\nMay 2026 Release\n", "30.3"),
        ("O*NET® 31.0 Database", "31.0"),
        ("db_29_1_text/Abilities.txt", "29.1"),
        ("db_30_3_csv.zip", "30.3"),
        ("onet-30.3", ""),
    ],
)
def test_finds_the_release_number_in_a_read_me_or_a_name(text: str, release: str) -> None:
    assert find_release(text) == release


@pytest.mark.parametrize("name", ["Sample of Reported Titles.txt", "sample_of_reported_titles.csv"])
def test_a_table_has_the_same_name_in_both_formats(name: str) -> None:
    assert table_stem(name) == "sample_of_reported_titles"


def test_rejects_sources_that_are_not_a_release(tmp_path: Path, copy: Path) -> None:
    assert error_message(tmp_path / "nowhere") == f"{tmp_path / 'nowhere'} does not exist."
    page = tmp_path / "db_30_3_csv.zip"
    page.write_text("<html>Not here</html>")
    not_an_archive = "db_30_3_csv.zip is not a valid zip archive: File is not a zip file. Nothing was changed."
    assert error_message(page) == not_an_archive
    (tmp_path / "empty").mkdir()
    assert "contains no O*NET files" in error_message(tmp_path / "empty")
    (tmp_path / "empty" / "Abilities.xlsx").touch()
    assert "It contains Excel files; use the text or csv release." in error_message(tmp_path / "empty")
    (copy / "job_zones.csv").unlink()
    incomplete = "The release is incomplete: file job_zones (.csv or .txt) is missing. Nothing was changed."
    assert error_message(copy) == incomplete


def test_rejects_two_files_for_one_table(copy: Path) -> None:
    (copy / "Job Zones.txt").touch()
    names = "db_30_3_csv/Job Zones.txt, db_30_3_csv/job_zones.csv"
    assert error_message(copy).startswith(f"Two files for one table: {names}.")


def test_rejects_a_damaged_archive(tmp_path: Path) -> None:
    data = zipped(CSV, tmp_path / "onet.zip").read_bytes()
    for damaged, message in (
        (data[: len(data) // 2], "is not a valid zip archive"),
        (data.replace(data[600:640], b"\0" * 40), "is damaged after line"),
    ):
        (tmp_path / "damaged.zip").write_bytes(damaged)
        assert message in error_message(tmp_path / "damaged.zip")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("file", ["job_zones.csv", "Read Me.txt"])
def test_names_the_damaged_file_of_an_archive(method: int, file: str, tmp_path: Path, copy: Path) -> None:
    (copy / "Read Me.txt").write_bytes(b"O*NET 30.3 Database\n" + hashlib.shake_256(b"").digest(3_000))
    data = bytearray(zipped(copy, tmp_path / "onet.zip", method).read_bytes())
    with zipfile.ZipFile(tmp_path / "onet.zip") as archive:
        member = archive.getinfo(f"{copy.name}/{file}")
    start = member.header_offset + 30 + len(member.filename)
    for position in range(start, start + member.compress_size):
        data[position] ^= 0x5A
    (tmp_path / "onet.zip").write_bytes(data)
    message = error_message(tmp_path / "onet.zip")
    assert message.startswith(f"{copy.name}/{file} is damaged")
    assert message.endswith(". Nothing was changed.")
    assert "None" not in message


def test_rejects_a_file_of_terabytes_unread(tmp_path: Path) -> None:
    path = zipped(CSV, tmp_path / "onet.zip", zipfile.ZIP_STORED)
    with zipfile.ZipFile(path) as archive:
        name = next(info.filename for info in archive.infolist() if "abilities" in info.filename)
    data = path.read_bytes()
    start = data.index(name.encode(), data.index(b"PK\x01\x02")) - 46  # its header in the central directory
    path.write_bytes(data[: start + 24] + (MAX_FILE_BYTES + 1).to_bytes(4, "little") + data[start + 28 :])
    assert error_message(path) == f"{name} has 400,000,001 bytes; the maximum is 400,000,000."


def test_rejects_an_archive_of_valid_lines_that_expands_to_much_more_than_its_size(tmp_path: Path, copy: Path) -> None:
    header, line = (copy / "abilities.csv").read_bytes().splitlines(keepends=True)[:2]
    (copy / "abilities.csv").write_bytes(header + line * (MIN_EXPANDED_BYTES // len(line)))
    message = "onet.zip has more than 10,000,000 bytes uncompressed. Nothing was changed."
    assert error_message(zipped(copy, tmp_path / "onet.zip")) == message


def test_names_a_file_whose_two_headers_differ(tmp_path: Path) -> None:
    data = zipped(CSV, tmp_path / "onet.zip").read_bytes().replace(b"/job_zones.csv", b"/job_zonez.csv", 1)
    (tmp_path / "onet.zip").write_bytes(data)
    assert error_message(tmp_path / "onet.zip").startswith("db_30_3_csv/job_zones.csv cannot be read: File name in ")
