"""Reference pages name every setting, command, rule of market verification and explorer page, and no other."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import typer.main
from pydantic import SecretStr

from akg.cli import app
from api.explorer.static_files import LIBRARIES, explorer_files, static_file
from api.settings import PREFIX, Settings
from schema.market_rules import MARKET_RULES
from tests.support.markdown import code, rows, section
from tests.support.project import DOCS, ROOT, modules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo


SETTINGS_PAGE, COMMANDS_PAGE, DATA_PAGE, EXPLORER_PAGE = (
    (DOCS / f"{name}.md").read_text("utf-8") for name in ("settings", "operations", "data", "explorer")
)
VARIABLE = re.compile(r"(AKG|OPENSEARCH|XDG)_[A-Z_]+")
ROUTE = re.compile(r'router\.get\(\s*f?"([^"]+)"')
TEMPLATES = sorted((ROOT / "api" / "explorer" / "templates").iterdir())


def shown(field: FieldInfo) -> str:
    """A default as the page writes it."""
    default = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    return "empty" if default in ((), "", None) else f"`{default}`"


def test_every_setting_has_its_row_and_no_row_is_left_over() -> None:
    found = [(code(row["setting"]), row["default"], row["meaning"]) for row in rows(section(SETTINGS_PAGE, "Settings"))]
    assert found == [
        (f"{PREFIX}{name.upper()}", shown(field), field.description) for name, field in Settings.model_fields.items()
    ]


def test_other_variables_that_the_commands_read_are_named() -> None:
    found = {
        node.value
        for module in modules("akg")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and VARIABLE.fullmatch(node.value)
    }
    others = {code(row["variable"]) for row in rows(section(SETTINGS_PAGE, "Other variables"))}
    settings = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    assert found - settings == others


def commands(command: Any, name: str) -> Iterator[tuple[str, set[str]]]:  # noqa: ANN401 - typer keeps its click inside
    """Each command that can be called, with its options and arguments as they are typed."""
    groups = getattr(command, "commands", None)
    if groups is None:
        options = {one for param in command.params if param.param_type_name == "option" for one in param.opts}
        arguments = {param.name.upper() for param in command.params if param.param_type_name == "argument"}
        yield name, (options | arguments) - {"--help"}
        return
    for own, sub in groups.items():
        yield from commands(sub, f"{name} {own}")


def test_every_command_has_its_row_and_no_row_is_left_over() -> None:
    table = [row for row in rows(COMMANDS_PAGE) if "command" in row]
    found = {code(row["command"]): {code(word) for word in row["options"].split(", ") if word} for row in table}
    assert found == dict(commands(typer.main.get_command(app), "akg"))


def test_every_command_says_in_its_help_what_it_does() -> None:
    def silent(command: Any, name: str) -> Iterator[str]:  # noqa: ANN401 - as above
        if not command.help:
            yield name
        for own, sub in getattr(command, "commands", {}).items():
            yield from silent(sub, f"{name} {own}")

    assert list(silent(typer.main.get_command(app), "akg")) == []


def test_every_rule_of_market_verification_has_its_row() -> None:
    table = rows(section(DATA_PAGE, "Market verification"))
    found = [(code(row["`method`"]), row["status"], row["what it means, as `note` says it"]) for row in table]
    assert found == [(name, rule.status or "any", rule.sentence) for name, rule in MARKET_RULES.items()]


def test_every_page_of_the_explorer_has_its_row() -> None:
    text = "".join(module.source for module in modules("api/explorer"))
    found = {path.replace("{STATIC_PREFIX}{{name}}", "/explore/static/{name}") for path in ROUTE.findall(text)}
    assert {code(row["page"]) for row in rows(section(EXPLORER_PAGE, "Pages"))} == found


def test_every_file_that_a_template_names_can_be_served() -> None:
    named = {name for path in TEMPLATES for name in re.findall(r"static\('([^']+)'\)", path.read_text("utf-8"))}
    assert named == explorer_files() | LIBRARIES.keys()
    assert all(static_file(name).content for name in named)


def test_templates_hold_no_script_style_or_address_of_others() -> None:
    for path in TEMPLATES:
        text = path.read_text("utf-8")
        assert re.findall(r"<script>|<style|\bstyle=|\bon\w+=|https?://[^'\s,)]", text) == [], path.name
        assert "|safe" not in text, path.name
