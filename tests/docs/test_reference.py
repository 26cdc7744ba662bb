"""Reference pages describe exactly the settings, commands, market verification rules and explorer pages."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import typer.main
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from akg.cli import app
from api.explorer.static_files import LIBRARIES, LICENCES, explorer_files, static_file
from api.settings import PREFIX, Settings
from schema.market_rules import MARKET_RULES
from tests.support.markdown import code, rows, section
from tests.support.project import DOCS, ROOT, modules

SETTINGS_PAGE, COMMANDS_PAGE, DATA_PAGE, EXPLORER_PAGE = (
    (DOCS / f"{name}.md").read_text("utf-8")
    for name in ("reference/settings", "reference/command-line", "explanation/data", "reference/explorer")
)
VARIABLE = re.compile(r"(AKG|OPENSEARCH|XDG)_[A-Z_]+")
ROUTE = re.compile(r'router\.get\(\s*f?"([^"]+)"')
TEMPLATES = sorted((ROOT / "api" / "explorer" / "templates").iterdir())


def shown(field: FieldInfo) -> str:
    default = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    return "empty" if default in ((), "", None) else f"`{default}`"


def test_the_page_lists_exactly_the_settings() -> None:
    found = [(code(row["setting"]), row["default"], row["meaning"]) for row in rows(section(SETTINGS_PAGE, "Settings"))]
    assert found == [
        (f"{PREFIX}{name.upper()}", shown(field), field.description) for name, field in Settings.model_fields.items()
    ]


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


def commands(command: Any, name: str) -> Iterator[tuple[str, set[str]]]:  # noqa: ANN401 - typer has no public type for it
    groups = getattr(command, "commands", None)
    if groups is None:
        options = {option for param in command.params if param.param_type_name == "option" for option in param.opts}
        arguments = {param.name.upper() for param in command.params if param.param_type_name == "argument"}
        yield name, (options | arguments) - {"--help"}
        return
    for group_name, sub in groups.items():
        yield from commands(sub, f"{name} {group_name}")


def test_the_page_lists_exactly_the_commands() -> None:
    table = [row for row in rows(COMMANDS_PAGE) if "command" in row]
    found = {code(row["command"]): {code(word) for word in row["options"].split(", ") if word} for row in table}
    assert found == dict(commands(typer.main.get_command(app), "akg"))


def test_every_command_has_a_help_text() -> None:
    def without_help(command: Any, name: str) -> Iterator[str]:  # noqa: ANN401 - as above
        if not command.help:
            yield name
        for group_name, sub in getattr(command, "commands", {}).items():
            yield from without_help(sub, f"{name} {group_name}")

    assert list(without_help(typer.main.get_command(app), "akg")) == []


def test_the_page_lists_exactly_the_market_verification_rules() -> None:
    table = rows(section(DATA_PAGE, "Market verification"))
    found = [(code(row["`method`"]), row["status"], row["what it means, as `note` says it"]) for row in table]
    assert found == [(name, rule.status or "any", rule.sentence) for name, rule in MARKET_RULES.items()]


def test_the_page_lists_exactly_the_explorer_pages() -> None:
    text = "".join(module.source for module in modules("api/explorer"))
    found = {path.replace("{STATIC_PREFIX}{{name}}", "/explore/static/{name}") for path in ROUTE.findall(text)}
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
