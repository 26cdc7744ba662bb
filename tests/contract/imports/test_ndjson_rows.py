"""Reading NDJSON files line by line, within limits."""

import gzip
import hashlib
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from indexer.content.datapackage_schema import Package
from indexer.content.problems import MAX_PROBLEMS, ContentError, Problem
from indexer.content.zip_members import MAX_EXPANSION, MIN_EXPANDED_BYTES
from indexer.imports import ndjson_rows
from indexer.imports.export_files import ExportReader, read_files
from indexer.imports.export_tables import require_valid_tables
from indexer.imports.ndjson_rows import read_objects
from schema.vocabulary import Vocabulary
from tests.support.fuzzing import limited_memory

MEGABYTE = 1_000_000


def test_a_file_that_expands_to_gigabytes_needs_no_memory() -> None:
    bomb = gzip.compress((b" " * (MEGABYTE - 1) + b"\n") * 15)
    problems: list[Problem] = []
    tracemalloc.start()
    assert list(read_objects("edges.ndjson.gz", bomb, problems, max_bytes=5 * MEGABYTE)) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    message = "the file has more than 5,000,000 bytes uncompressed"
    assert problems == [Problem("edges.ndjson.gz", 6, message)]
    assert peak < 4 * MEGABYTE


@pytest.mark.parametrize("noise", [0, 300_000])
def test_a_file_may_not_expand_to_much_more_than_its_size(noise: int) -> None:
    line = b'{"from": "a"}' + b" " * (MEGABYTE - 14) + b"\n"
    digits = hashlib.shake_256(b"").hexdigest(noise).encode()
    data = gzip.compress(line * 20 + digits)
    limit = max(MIN_EXPANDED_BYTES, MAX_EXPANSION * len(data))
    problems: list[Problem] = []
    objects = list(read_objects("edges.ndjson.gz", data, problems))
    assert len(objects) == limit // MEGABYTE
    message = f"the file has more than {limit:,} bytes uncompressed"
    assert problems == [Problem("edges.ndjson.gz", limit // MEGABYTE + 1, message)]


def test_a_file_has_a_maximum_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ndjson_rows, "MAX_ROWS", 2)
    problems: list[Problem] = []
    assert len(list(read_objects("edges.ndjson", b'{"from": "a"}\n' * 3, problems))) == 2
    assert problems == [Problem("edges.ndjson", 3, "the file has more than 2 lines")]


# The forms that need most memory for their size: aliases inside entities, and cells of one letter.
ALIAS = b'{"text":"b","kind":"lay","sources":["jan"]}'
ENTITY = b'{"id":"solution:a","type":"solution","slug":"a","name":"A","aliases":[' + b",".join([ALIAS] * 200) + b"]}\n"


@pytest.mark.parametrize(
    ("name", "head", "line"),
    [
        ("entities.ndjson", b"", ENTITY),
        ("edges.csv", b"from,edge,to,basis,sources,via,pages,tier\n", b"a,b,c,d,e,f,g,h\n"),
    ],
)
def test_valid_lines_of_a_small_archive_need_little_memory(
    name: str, head: bytes, line: bytes, package: Package, vocabulary: Vocabulary, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, head + line * ((MIN_EXPANDED_BYTES - len(head)) // len(line)))
    assert (tmp_path / "export.zip").stat().st_size < MIN_EXPANDED_BYTES // 100
    with limited_memory(), pytest.raises(ContentError) as raised:
        require_valid_tables(read_files(tmp_path / "export.zip"), package, vocabulary)
    assert len(raised.value.problems) < 2 * MAX_PROBLEMS


@pytest.mark.parametrize("line", [b"x\n", b"{}\n"])
def test_reads_no_further_than_a_thousand_problems(line: bytes, package: Package, vocabulary: Vocabulary) -> None:
    files = {"sources.csv": b"", "edges.csv": b"", "entities.ndjson.gz": gzip.compress(line * 100_000)}
    with pytest.raises(ContentError) as raised:
        require_valid_tables(files, package, vocabulary)
    problems = [problem for problem in raised.value.problems if problem.file == "entities.ndjson.gz"]
    last = Problem("entities.ndjson.gz", 1_001, "more lines follow; the file has at least 1,000 problems")
    assert problems[-1] == last
    assert len(problems) == 1_001


@pytest.mark.parametrize("name", ["edges.ndjson", "edges.ndjson.gz"])
def test_rejects_a_line_that_is_too_long(name: str) -> None:
    data = b'{"from": "a"}\n' + b" " * (ndjson_rows.MAX_LINE_BYTES + 1)
    problems: list[Problem] = []
    objects = list(read_objects(name, gzip.compress(data) if name.endswith(".gz") else data, problems))
    assert [value for _, value in objects] == [{"from": "a"}]
    assert problems == [Problem(name, 2, "the line has more than 16,000,000 bytes")]


def test_names_the_line_where_a_compressed_file_is_damaged() -> None:
    data = gzip.compress(b'{"from": "a"}\n' * 3)[:-8]
    problems: list[Problem] = []
    objects = list(read_objects("edges.ndjson.gz", data, problems))
    assert len(objects) == 3
    assert [(problem.file, problem.line) for problem in problems] == [("edges.ndjson.gz", 4)]
    assert problems[0].message.startswith("not a valid gzip file: Compressed file ended")


def test_entities_and_their_aliases_are_read_once() -> None:
    lines = b'{"id": "solution:a", "aliases": [{"text": "A", "kind": "lay", "sources": ["atlas"]}]}\n{'
    reader = ExportReader({"entities.ndjson": lines})
    assert [row for _, row in reader.rows("entities", (), ())] == [{"id": "solution:a"}]
    assert [row["text"] for _, row in reader.rows("aliases", (), ())] == ["A"]
    assert [problem.line for problem in reader.problems] == [2]
