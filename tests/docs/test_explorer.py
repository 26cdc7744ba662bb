"""docs/explorer.md names every page of the explorer, and no other; what pages load is there and is their own."""

from __future__ import annotations

import re

from api.explorer.static_files import LIBRARIES, explorer_files, static_file
from tests.support.markdown import code, rows, section
from tests.support.project import DOCS, ROOT, modules

PAGE = (DOCS / "explorer.md").read_text("utf-8")
ROUTE = re.compile(r'router\.get\(\s*f?"([^"]+)"')
TEMPLATES = sorted((ROOT / "api" / "explorer" / "templates").iterdir())


def test_every_page_has_its_row_and_no_row_is_left_over() -> None:
    text = "".join(module.text for module in modules("api/explorer"))
    found = {path.replace("{STATIC_PREFIX}{{name}}", "/explore/static/{name}") for path in ROUTE.findall(text)}
    assert {code(row["page"]) for row in rows(section(PAGE, "Pages"))} == found


def test_every_file_that_a_template_names_can_be_served() -> None:
    named = {name for path in TEMPLATES for name in re.findall(r"static\('([^']+)'\)", path.read_text("utf-8"))}
    assert named == explorer_files() | LIBRARIES.keys()
    assert all(static_file(name).content for name in named)


def test_templates_hold_no_script_style_or_address_of_others() -> None:
    for path in TEMPLATES:
        text = path.read_text("utf-8")
        assert re.findall(r"<script>|<style|\bstyle=|\bon\w+=|https?://[^'\s,)]", text) == [], path.name
        assert "|safe" not in text, path.name
