"""Links between the project's own pages lead somewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.support.markdown import LINK, sections
from tests.support.project import CONTENT, DOCS, ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [*sorted(ROOT.glob("*.md")), CONTENT / "README.md", *sorted(DOCS.rglob("*.md"))]


def anchors(page: Path) -> set[str]:
    """The names that a page's headings can be linked by: lower case, hyphens for spaces, no punctuation."""
    titles = [one.title.lower() for one in sections(page.read_text("utf-8"))]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_pages_and_headings_that_exist(page: Path) -> None:
    dead = []
    for link in LINK.findall(page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if "://" not in link and not (target.exists() and (not anchor or anchor in anchors(target))):
            dead.append(link)
    assert dead == []
