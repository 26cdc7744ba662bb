"""Every error in the rows, quotes and bytes of a CSV file, with its exact message."""

import pytest

from tests.support.world_files import Errors, problems, replaced

ERRORS: Errors = {
    # columns and rows
    "missing column": ("vendors.csv", "slug,name,short,url,sources\n", "slug,name,short,sources\n",
        "vendors.csv:1: missing column 'url'",
        "vendors.csv:2: row has 5 cells; the header has 4",
        "vendors.csv:3: row has 5 cells; the header has 4"),
    "unknown column": ("vendors.csv", "slug,name,short", "slug,nmae,short",
        "vendors.csv:1: missing column 'name'",
        "vendors.csv:1: unknown column 'nmae'; nearest: 'name'"),
    "duplicate column": ("broader.csv", "basis,sources", "basis,basis",
        "broader.csv:1: duplicate column 'basis'",
        "broader.csv:1: missing column 'sources'"),
    "too few cells": ("broader.csv", "source,atlas\nlimitation:low", "source\nlimitation:low",
        "broader.csv:3: row has 3 cells; the header has 4"),
    "too many cells": ("vendors.csv", "Quiet Works,", "Quiet, Works,",
        "vendors.csv:3: row has 6 cells; the header has 5"),
    "blank line": ("vendors.csv", "quiet-works,Quiet", "\nquiet-works,Quiet", "vendors.csv:3: blank line"),
    "open quote": ("vendors.csv", "Quiet Works", '"Quiet Works',
        "vendors.csv:3: a quote opened here is never closed"),
    "stray quote": ("vendors.csv", "Quiet Works", '"Quiet" Works',
        "vendors.csv:3: invalid CSV: ',' expected after '\"'"),
    # bytes
    "bad UTF-8": ("vendors.csv", "Brightline Access", b"Bright\xe9 Access", "vendors.csv:2: byte 0xE9 is not UTF-8"),
    "NUL byte": ("vendors.csv", "Quiet Works", "Quiet\0 Works", "vendors.csv:3: contains a NUL byte"),
    "byte order mark": ("vendors.csv", "slug,name", "\N{BOM}slug,name",
        "vendors.csv:1: starts with a byte order mark; save the file as UTF-8 without it"),
    "carriage return": ("redirects.csv", "solution:telework\n", "solution:telework\r\n",
        "redirects.csv:3: contains a carriage return; end lines with a line feed only"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_reports_an_error_with_its_line_and_the_nearest_value(name: str) -> None:
    file, old, new, *expected = ERRORS[name]
    assert problems({file: replaced(file, old, new)}) == expected


def test_counts_the_lines_inside_quoted_cells() -> None:
    # The first of the two long texts with line breaks covers lines 3 to 5.
    changes = {"disabilities.csv": replaced("disabilities.csv", "guillain-barre-syndrome,Gu", "crohns-disease,Gu")}
    assert "disabilities.csv:6: duplicate slug: 'crohns-disease'; first on line 3" in problems(changes)


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n"])
def test_reports_the_expected_header_of_an_empty_table(data: bytes) -> None:
    first = problems({"redirects.csv": data})[0]
    assert first == "redirects.csv:1: missing header; the first line must be: old,new"
