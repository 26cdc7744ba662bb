"""Decision records are numbered without gaps, and each is one page with the same three headings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.contract.markdown import sections
from tests.contract.project import DOCS

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = sorted(path for path in (DOCS / "decisions").iterdir() if path.name != "README.md")
NAME = re.compile(r"(\d{4})-[a-z0-9]+(-[a-z0-9]+)*\.md")
HEADINGS = ["Context", "Decision", "Consequences"]
ONE_PAGE = 60  # lines


def test_records_are_numbered_without_gaps() -> None:
    names = [NAME.fullmatch(path.name) for path in RECORDS]
    assert [int(name[1]) if name else path.name for name, path in zip(names, RECORDS, strict=True)] == [
        *range(1, len(RECORDS) + 1)
    ]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_a_record_is_one_page_of_context_decision_and_consequences(path: Path) -> None:
    text = path.read_text("utf-8")
    title, *parts = sections(text)
    assert title.title.startswith(f"{path.name[:4]}. ")
    assert title.level == 1
    assert [(part.level, part.title) for part in parts] == [(2, heading) for heading in HEADINGS]
    assert all(part.text.strip() for part in parts)
    assert len(text.splitlines()) <= ONE_PAGE
