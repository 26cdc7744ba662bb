"""Reading NDJSON files line by line, within limits."""

import gzip
import tracemalloc

import pytest

from indexer.content.datapackage_schema import Package
from indexer.content.problems import ContentError, Problem
from indexer.imports import ndjson_rows
from indexer.imports.export_files import ExportReader
from indexer.imports.export_tables import require_valid_tables
from indexer.imports.ndjson_rows import read_objects
from schema.vocabulary import Vocabulary

MEGABYTE = 1_000_000


def test_a_file_that_expands_to_gigabytes_needs_no_memory() -> None:
    bomb = gzip.compress((b" " * (MEGABYTE - 1) + b"\n") * 30)
    problems: list[Problem] = []
    tracemalloc.start()
    assert list(read_objects("edges.ndjson.gz", bomb, problems, max_bytes=20 * MEGABYTE)) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    message = "the file has more than 20,000,000 bytes uncompressed"
    assert problems == [Problem("edges.ndjson.gz", 21, message)]
    assert peak < 10 * MEGABYTE


def test_a_small_file_may_not_expand_to_a_hundred_times_its_size() -> None:
    lines = (b" " * (MEGABYTE - 1) + b"\n") * 101
    problems: list[Problem] = []
    assert list(read_objects("edges.ndjson.gz", gzip.compress(lines, 1), problems)) == []
    assert problems == [Problem("edges.ndjson.gz", 101, "the file has more than 100,000,000 bytes uncompressed")]


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
