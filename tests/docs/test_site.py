"""Links between pages lead somewhere; the site has every page once and loads nothing from other hosts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.support.markdown import LINK, sections
from tests.support.project import CONTENT, DOCS, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


PAGES = sorted([*ROOT.glob("*.md"), CONTENT / "README.md", *DOCS.rglob("*.md")])
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
RECIPE = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
ELSEWHERE = {"analytics", "fonts", "repo_url", "site_url", "polyfills"}  # what makes pages ask, or the build


def leaves(part: Any) -> Iterator[str]:  # noqa: ANN401 - whatever stands in the file
    """Every value of the settings, as text."""
    if isinstance(part, dict):
        part = part.values()
    elif not isinstance(part, list):
        yield str(part)
        return
    for inner in part:
        yield from leaves(inner)


def keys(part: Any) -> Iterator[str]:  # noqa: ANN401 - whatever stands in the file
    if isinstance(part, dict):
        yield from part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from keys(inner)


def test_every_page_has_one_place_in_the_navigation() -> None:
    assert sorted(leaves(SITE["nav"])) == sorted(page.relative_to(ROOT).as_posix() for page in PAGES)


def test_what_pages_link_to_is_brought_along() -> None:
    found = re.search(r"^PAGES := (.*)$", RECIPE, re.MULTILINE)
    brought = [ROOT / name for name in found[1].split()] if found else []
    linked = {
        (page.parent / path).resolve()
        for page in PAGES
        for path in (link.partition("#")[0] for link in LINK.findall(page.read_text("utf-8")))
        if path and "://" not in path
    }
    missing = [one for one in {*linked, *PAGES} if not any(one.is_relative_to(place) for place in brought)]
    assert missing == []
    assert [one for one in linked if one.is_dir()] == []


def test_pages_load_nothing_from_other_hosts() -> None:
    assert [value for value in leaves(SITE) if "//" in value] == []
    assert sorted(ELSEWHERE.intersection(keys(SITE))) == []
    assert SITE["theme"]["font"] is False
    assert SITE["plugins"] == ["search"]  # others fetch what they need while the site is built, or later


def test_a_link_that_leads_nowhere_ends_the_build() -> None:
    assert {level for part in SITE["validation"].values() for level in part.values()} == {"warn"}
    build = re.search(r"mkdocs build (.*)", RECIPE)
    assert build
    assert build[1].split() == ["--strict"]  # with --quiet no warning is counted


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
