"""Tutorials and how-to pages are easy to read."""

import re
from pathlib import Path

import pytest

from tests.support.project import DOCS
from tests.support.reading_grade import grade

PAGES = sorted([*(DOCS / "tutorials").glob("*.md"), *(DOCS / "how-to").glob("*.md")])
MAX_GRADE = 9.0
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
NOT_PROSE = re.compile(r"^(\|.*|#.*|<!--.*)$", re.MULTILINE)
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) ", re.MULTILINE)


def prose(page: str) -> str:
    """Return paragraphs and items of lists, each ending like a sentence, with a short word for each piece of code."""
    text = NOT_PROSE.sub("", FENCED.sub("", page))
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "it", text)).replace("*", "")
    paragraphs = [" ".join(part.split()).strip() for part in re.split(r"\n\s*\n|\n(?=\s*(?:- |\d+\. ))", text)]
    return " ".join(f"{ITEM.sub('', part).rstrip(':.;')}." for part in paragraphs if part)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_a_low_reading_grade(page: Path) -> None:
    assert grade(prose(page.read_text("utf-8"))) <= MAX_GRADE
