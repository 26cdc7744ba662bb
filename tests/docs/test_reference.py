"""Pages describe exactly the variables, libraries and explorer pages. `test_api.py` compares what is generated."""

import ast
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import typer.main
from packaging.requirements import Requirement

from akg.cli import app
from api.explorer.static_files import LIBRARIES, LICENCES, explorer_files, static_file
from api.settings import PREFIX, Settings
from tests.support.markdown import code, rows, section
from tests.support.project import DOCS, ROOT, modules

SETTINGS_PAGE, EXPLORER_PAGE = ((DOCS / f"reference/{name}.md").read_text("utf-8") for name in ("settings", "explorer"))
VARIABLE = re.compile(r"(AKG|OPENSEARCH|XDG)_[A-Z_]+")
ROUTE = re.compile(r'router\.get\(\s*f?"([^"]+)"')
TEMPLATES = sorted((ROOT / "api" / "explorer" / "templates").iterdir())


def test_the_page_lists_the_other_variables_that_commands_read() -> None:
    found = {
        node.value
        for module in modules("akg")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and VARIABLE.fullmatch(node.value)
    }
    others = {code(row["variable"]) for row in rows(section(SETTINGS_PAGE, "Other variables"))}
    settings = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    assert found - settings == others


def test_every_command_has_a_help_text() -> None:
    def without_help(command: Any, name: str) -> Iterator[str]:  # noqa: ANN401 - as above
        if not command.help:
            yield name
        for group_name, sub in getattr(command, "commands", {}).items():
            yield from without_help(sub, f"{name} {group_name}")

    assert list(without_help(typer.main.get_command(app), "akg")) == []


def test_the_page_of_dependencies_names_each_library() -> None:
    table = rows((DOCS / "explanation/dependencies.md").read_text("utf-8"))
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert [row["library"] for row in table] == sorted(Requirement(text).name for text in dependencies)


def test_the_page_lists_exactly_the_explorer_pages() -> None:
    text = "".join(module.source for module in modules("api/explorer"))
    prefixes = {
        "{STATIC_PREFIX}{{name}}": "/explore/static/{name}",
        "{DOCUMENTATION_PREFIX}{{path:path}}": "/docs/{path}",
    }
    found = {prefixes.get(path, path) for path in ROUTE.findall(text)}
    assert {code(row["page"]) for row in rows(section(EXPLORER_PAGE, "Pages"))} == found


def test_every_file_in_a_template_can_be_served() -> None:
    named = {name for path in TEMPLATES for name in re.findall(r"static\('([^']+)'\)", path.read_text("utf-8"))}
    assert named == explorer_files() | LIBRARIES.keys() | {LICENCES}
    assert all(static_file(name).content for name in named)


def test_templates_have_no_inline_scripts_styles_or_external_urls() -> None:
    for path in TEMPLATES:
        text = path.read_text("utf-8")
        assert re.findall(r"<script>|<style|\bstyle=|\bon\w+=|https?://[^'\s,)]", text) == [], path.name
        assert "|safe" not in text, path.name
