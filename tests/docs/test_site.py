"""Links between pages work; the site has every page once and loads nothing from other hosts."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.markdown import LINK, sections
from tests.support.project import CONTENT, DOCS, ROOT

PAGES = sorted([*ROOT.glob("*.md"), CONTENT / "README.md", *DOCS.rglob("*.md")])
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
RECIPE = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
# Settings that cause requests to other hosts by pages or by the build.
ELSEWHERE = {"analytics", "fonts", "repo_url", "site_url", "polyfills"}


def leaves(part: Any) -> Iterator[str]:  # noqa: ANN401 - any YAML value
    if isinstance(part, dict):
        part = part.values()
    elif not isinstance(part, list):
        yield str(part)
        return
    for inner in part:
        yield from leaves(inner)


def keys(part: Any) -> Iterator[str]:  # noqa: ANN401 - any YAML value
    if isinstance(part, dict):
        yield from part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from keys(inner)


def test_every_page_is_in_the_navigation_once() -> None:
    assert sorted(leaves(SITE["nav"])) == sorted(page.relative_to(ROOT).as_posix() for page in PAGES)


def test_the_build_copies_all_linked_files() -> None:
    found = re.search(r"^PAGES := (.*)$", RECIPE, re.MULTILINE)
    copied = [ROOT / name for name in found[1].split()] if found else []
    linked = {
        (page.parent / path).resolve()
        for page in PAGES
        for path in (link.partition("#")[0] for link in LINK.findall(page.read_text("utf-8")))
        if path and "://" not in path
    }
    missing = [path for path in {*linked, *PAGES} if not any(path.is_relative_to(place) for place in copied)]
    assert missing == []
    assert [path for path in linked if path.is_dir()] == []


def test_pages_load_nothing_from_other_hosts() -> None:
    assert [value for value in leaves(SITE) if "//" in value] == []
    assert sorted(ELSEWHERE.intersection(keys(SITE))) == []
    assert SITE["theme"]["font"] is False
    assert SITE["plugins"] == ["search"]  # other plugins may download files during the build or in pages


def test_a_broken_link_fails_the_build() -> None:
    assert {level for part in SITE["validation"].values() for level in part.values()} == {"warn"}
    build = re.search(r"mkdocs build (.*)", RECIPE)
    assert build
    assert build[1].split() == ["--strict"]  # --quiet would ignore warnings


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings: lower case, hyphens for spaces, no punctuation."""
    titles = [part.title.lower() for part in sections(page.read_text("utf-8"))]
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_point_to_existing_pages_and_headings(page: Path) -> None:
    dead = []
    for link in LINK.findall(page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if "://" not in link and not (target.exists() and (not anchor or anchor in anchors(target))):
            dead.append(link)
    assert dead == []
