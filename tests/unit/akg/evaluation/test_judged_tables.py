"""The cells of judged tables, and the errors of files that are none."""

from pathlib import Path

import pytest

from akg.evaluation.judged_tables import JudgmentError, table_rows
from schema.errors import UsageError

COLUMNS = ("query", "kind")


def table(folder: Path, data: bytes) -> Path:
    path = folder / "judged.tsv"
    path.write_bytes(data)
    return path


def test_skips_comments_and_blank_lines_but_counts_them(tmp_path: Path) -> None:
    path = table(tmp_path, b"# a comment\nquery\tkind\n\nadhd\texact\n")
    assert table_rows(path, COLUMNS) == [(4, ["adhd", "exact"])]


def test_names_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no file .*judged\.tsv\. Name a table of judged queries\."):
        table_rows(tmp_path / "judged.tsv", COLUMNS)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"query\tkinds\n", r"^judged\.tsv: the first line that is not a comment must be: query, kind$"),
        (b"", r"^judged\.tsv: the first line"),
        (b"query\tkind\ncaf\xe9\texact\n", r"^judged\.tsv:2: not UTF-8; save the file as UTF-8$"),
    ],
)
def test_names_what_is_wrong_with_a_file(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(JudgmentError, match=message):
        table_rows(table(tmp_path, data), COLUMNS)
