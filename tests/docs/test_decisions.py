"""Decision records are few, numbered without gaps, and each is one page with the same four headings."""

import re
from pathlib import Path

import pytest

from tests.support.markdown import rows, section, sections
from tests.support.project import DOCS

RECORDS = sorted(path for path in (DOCS / "decisions").iterdir() if path.name != "README.md")
NAME = re.compile(r"(\d{4})-[a-z0-9]+(-[a-z0-9]+)*\.md")
# A title is a decision: it begins with a verb in the imperative.
VERBS = "Build|Check|Correct|Count|Keep|Let|Limit|Model|Organize|Publish|Rank|Render|Restore|Search|Store|Use|Verify"
LIST = (DOCS / "decisions/README.md").read_text("utf-8")
HEADINGS = ["Context", "Decision", "Consequences", "Measured"]
ONE_PAGE = 60  # lines
MAX_RECORDS = 20


def test_records_are_few_and_numbered_without_gaps() -> None:
    numbers = [int(name[1]) if (name := NAME.fullmatch(path.name)) else path.name for path in RECORDS]
    assert numbers == [*range(1, len(RECORDS) + 1)]
    assert len(RECORDS) <= MAX_RECORDS


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_a_record_is_one_page_with_a_decision_as_its_title(path: Path) -> None:
    text = path.read_text("utf-8")
    title, *parts = sections(text)
    assert re.fullmatch(rf"{path.name[:4]}\. ({VERBS}) .+", title.title)
    assert path.stem == f"{path.name[:4]}-" + re.sub(r"[^a-z0-9]+", "-", title.title[6:].lower())
    assert not title.text.strip()
    assert title.level == 1
    assert [(part.level, part.title) for part in parts] == [(2, heading) for heading in HEADINGS]
    assert all(part.text.strip() for part in parts)
    assert len(text.splitlines()) <= ONE_PAGE


def test_the_list_of_decisions_has_every_title() -> None:
    listed = re.findall(r"(?m)^\| \[(\d{4})\]\(\S+\) \| (.+?) \|", LIST)
    titles = [path.read_text("utf-8").partition("\n")[0].removeprefix("# ") for path in RECORDS]
    assert [f"{number}. {title}" for number, title in listed] == titles


def test_superseded_decisions_are_one_line_each() -> None:
    superseded = rows(section(LIST, "Superseded"))
    assert superseded
    assert all(row["why it was given up"] and row["now"] for row in superseded)
