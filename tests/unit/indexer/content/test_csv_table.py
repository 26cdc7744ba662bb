"""Limits of what is read and reported of a CSV file."""

import pytest

from indexer.content.csv_table import read_table
from indexer.content.problems import MAX_PROBLEMS, Problem

HEAD = b"slug,name\n"
LAST = f"more lines follow; the file has at least {MAX_PROBLEMS:,} problems"


@pytest.mark.parametrize("line", [b"\n", b"a\n", b"a,b,c\n"])
def test_reads_no_further_than_a_thousand_malformed_rows(line: bytes) -> None:
    table, problems = read_table("vendors.csv", HEAD + line * 3_000, ("slug", "name"))
    assert len(problems) == MAX_PROBLEMS + 1
    assert max(problems) == Problem("vendors.csv", MAX_PROBLEMS + 2, LAST)
    assert (table.lines, table.complete) == ([], False)


@pytest.mark.parametrize("line", [b"\xff,b\n", b"a\0,b\n"])
def test_reports_at_most_a_thousand_lines_with_invalid_bytes(line: bytes) -> None:
    _, problems = read_table("vendors.csv", HEAD + line * 3_000, ("slug", "name"))
    assert len(problems) == MAX_PROBLEMS


def test_reads_nothing_without_a_header() -> None:
    table, problems = read_table("vendors.csv", b"\n" * 3_000, ("slug", "name"))
    assert table.lines == ()
    assert problems == [Problem("vendors.csv", 1, "missing header; the first line must be: slug,name")]


def test_a_reader_can_limit_the_rows() -> None:
    table, problems = read_table("vendors.csv", HEAD + b"a,b\n" * 3, ("slug", "name"), max_rows=2)
    assert (table.lines, table.complete) == ([2, 3], False)
    assert problems == [Problem("vendors.csv", 4, "the file has more than 2 rows")]
