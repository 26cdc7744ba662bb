"""Problems of files as rows of a report."""

import pytest

from akg.reports.report import problem_row


@pytest.mark.parametrize(
    ("text", "folder", "row"),
    [
        ("rules.txt:3: 'a: b' is wrong", "", ("rules.txt", 3, "'a: b' is wrong")),
        ("cautions.csv:5: delete the row", "content/", ("content/cautions.csv", 5, "delete the row")),
        ("the folder is empty", "content", ("content", 0, "the folder is empty")),
    ],
)
def test_a_problem_has_file_line_and_message(text: str, folder: str, row: tuple[str, int, str]) -> None:
    found = problem_row(text, folder)
    assert (found.file, found.line, found.message) == row
