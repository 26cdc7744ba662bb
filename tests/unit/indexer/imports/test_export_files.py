"""Reading the files of an export: which are accepted, and the rows of CSV and NDJSON files with their problems."""

import gzip
import hashlib
import zipfile
from pathlib import Path

import orjson
import pytest

from indexer.content.problems import ContentError
from indexer.imports.export_files import ExportReader, exported_version, read_files, require_format
from indexer.imports.store import ImportDataError

EDGES = b"from,edge,to\n"
DEEP_LIST = b"[" * 1_000 + b"]" * 1_000
DEEP_OBJECT = b'{"attributes": ' * 1_000 + b"1" + b"}" * 1_000


def test_reads_only_files_of_an_export(tmp_path: Path) -> None:
    (tmp_path / "README.md").touch()
    with pytest.raises(ImportDataError, match=r"contains no files of an export\. Valid: entities\.csv, "):
        read_files(tmp_path)
    (tmp_path / "edges.csv").write_bytes(EDGES)
    assert read_files(tmp_path) == {"edges.csv": EDGES}
    (tmp_path / "edgse.csv").touch()
    with pytest.raises(ContentError, match=r"edgse\.csv:1: not a file of an export; nearest: 'edges\.csv'"):
        read_files(tmp_path)


def test_rejects_an_invalid_archive(tmp_path: Path) -> None:
    (tmp_path / "export.zip").write_bytes(b"PK")
    with pytest.raises(ImportDataError, match=r"^export\.zip is not a valid zip archive: .* Nothing was changed\."):
        read_files(tmp_path / "export.zip")


def test_rejects_two_files_of_one_name_in_an_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("new/edges.csv", EDGES)
        archive.writestr("old/edges.csv", EDGES)
    message = r"^export\.zip has two files for one table: 'new/edges\.csv' and 'old/edges\.csv'\. Keep one of them\.$"
    with pytest.raises(ImportDataError, match=message):
        read_files(tmp_path / "export.zip")


def test_rejects_an_archive_that_expands_to_much_more_than_its_size(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("edges.csv", b"a,b,c\n" * 2_000_000)
    with pytest.raises(ImportDataError, match=r"^export\.zip has more than 10,000,000 bytes uncompressed\."):
        read_files(tmp_path / "export.zip")


def test_a_file_in_an_archive_is_compressed_once(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("graph/edges.ndjson.gz", gzip.compress(b'{"from": "a"}\n'))
    message = r"^'graph/edges\.ndjson\.gz' in export\.zip is compressed twice\. Put the file in without gzip\. Nothing "
    with pytest.raises(ImportDataError, match=message):
        read_files(tmp_path / "export.zip")
    with zipfile.ZipFile(tmp_path / "export.zip", "a") as archive:
        archive.writestr("graph/edges.csv", EDGES)
    assert read_files(tmp_path / "export.zip") == {"edges.csv": EDGES}  # an archive of a whole export


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_names_the_damaged_file_of_an_archive(method: int, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", method) as archive:
        archive.writestr("edges.csv", hashlib.shake_256(b"").digest(2_000) + EDGES * 500)
    data = bytearray((tmp_path / "export.zip").read_bytes())
    data[60:400] = bytes(byte ^ 0x5A for byte in data[60:400])
    (tmp_path / "export.zip").write_bytes(data)
    message = r"^'edges\.csv' in export\.zip cannot be read: (?!None)\S.* Nothing was changed\.$"
    with pytest.raises(ImportDataError, match=message):
        read_files(tmp_path / "export.zip")


def test_only_an_unchanged_and_complete_export_has_a_version() -> None:
    digest = f"sha256:{hashlib.sha256(EDGES).hexdigest()}"
    package = orjson.dumps({"version": "1.0.0+a", "resources": [{"path": "edges.csv", "hash": digest}]})
    files = {"datapackage.json": package, "edges.csv": EDGES}
    assert exported_version(files) == "1.0.0+a"
    for other in ({"edges.csv": b""}, {"aliases.csv": b""}, {"datapackage.json": b"{}"}, {"datapackage.json": b"{"}):
        assert exported_version(files | other) == ""
    assert exported_version({"datapackage.json": package}) == ""
    numbered = b'{"version": "1.0.0+a", "resources": [{"path": 5, "hash": ""}]}'
    assert exported_version({"datapackage.json": numbered}) == ""


@pytest.mark.parametrize("package", [None, b"{}", b'{"format": 5}', b'{"format": "csv"}', b"[]", b"{"])
def test_accepts_an_export_of_this_format_or_of_none(package: bytes | None) -> None:
    require_format({"edges.csv": EDGES} | ({"datapackage.json": package} if package is not None else {}))


@pytest.mark.parametrize("number", [0, 1])
def test_rejects_an_export_of_another_format(number: int) -> None:
    with pytest.raises(ContentError) as raised:
        require_format({"datapackage.json": orjson.dumps({"format": number}), "edges.csv": EDGES})
    assert str(raised.value) == (
        f"datapackage.json:1: the export has format {number}; this program reads format 5: write it again with "
        "`akg export` of this version, or import it with the version of the program that wrote it"
    )


def read(files: dict[str, bytes], stem: str) -> tuple[list[dict[str, str]], list[str]]:
    reader = ExportReader(files)
    rows = [row for _, row in reader.rows(stem, ["from", "edge", "to"], ())]
    return rows, list(map(str, reader.problems))


@pytest.mark.parametrize("name", ["edges.ndjson", "edges.ndjson.gz"])
def test_an_ndjson_line_is_a_row(name: str) -> None:
    data = b'{"from": "a", "attributes": {"kind": "b"}, "via": ["c", "d"], "weight": 0.5, "note": null}\n\n'
    found = read({name: gzip.compress(data) if name.endswith(".gz") else data}, "edges")
    assert found == ([{"from": "a", "kind": "b", "via": "c|d", "weight": "0.5", "note": ""}], [])


@pytest.mark.parametrize(
    ("stem", "file", "data", "problem"),
    [
        ("edges", "edges.ndjson", b'{"from": "a"}\n{', "edges.ndjson:2: invalid JSON: "),
        ("edges", "edges.ndjson", b'{"from": "a"}\n[]', "edges.ndjson:2: not a JSON object"),
        ("edges", "edges.ndjson.gz", b"plain", "edges.ndjson.gz:1: not a valid gzip file: "),
        ("edges", "edges.csv", b"from,edge\n", "edges.csv:1: missing column 'to'"),
        (
            "aliases",
            "entities.ndjson",
            b'{"aliases": ["a"]}',
            "entities.ndjson:1: 'aliases' contains 'a', not an object ",
        ),
        *(
            ("aliases", "entities.ndjson", b'\n{"aliases": ' + value + b"}", f"entities.ndjson:2: 'aliases' {error}")
            for value, error in (
                (b"null", "is null, not a list"),
                (b"5", "is 5, not a list"),
                (b"true", "is true, not a list"),
                (b"{}", "is an object, not a list"),
                (b"[null]", "contains null, not an object"),
                (b"[" + DEEP_LIST + b"]", "contains a list, not an object"),
            )
        ),
        *(
            ("edges", "edges.ndjson", b'\n{"' + member + b"}", f"edges.ndjson:2: {error}")
            for member, error in (
                (b'attributes": ' + DEEP_OBJECT, "'attributes' is an object, not a text"),
                (b'from": 5', "'from' is 5, not a text"),
                (b'name": true', "'name' is true, not a text"),
                (b'sources": [1.5]', "'sources' contains 1.5, not a text"),
                (b'summaries": {"short": 5}', "'short' is 5, not a text"),
                (b'reason": {}', "'reason' is an object, not a text"),
                (b'weight": NaN', "invalid JSON: "),
                (b'weight": 1e999', "invalid JSON: "),
            )
        ),
    ],
)
def test_reports_a_line_that_is_not_a_row(stem: str, file: str, data: bytes, problem: str) -> None:
    (reported,) = read({file: data}, stem)[1]
    assert reported.startswith(problem)


def test_aliases_are_read_from_the_lines_of_entities() -> None:
    lines = b'{"id": "solution:a", "aliases": [{"text": "A", "kind": "lay", "sources": ["atlas"]}]}'
    expected = [{"entity": "solution:a", "text": "A", "kind": "lay", "sources": "atlas"}]
    assert read({"entities.ndjson": lines}, "aliases") == (expected, [])
    assert read({"entities.ndjson": lines, "entities.csv": b"id\n"}, "aliases") == ([], [])
