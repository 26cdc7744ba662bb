"""docs/settings.md names every setting with its default and meaning, and no other."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest
from pydantic import SecretStr

from api.settings import PREFIX, Settings, SettingsError, read_settings
from tests.support.markdown import code, rows, section
from tests.support.project import DOCS, modules

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

PAGE = (DOCS / "settings.md").read_text("utf-8")
VARIABLE = re.compile(r"(AKG|OPENSEARCH|XDG)_[A-Z_]+")


def shown(field: FieldInfo) -> str:
    """A default as the page writes it."""
    default = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    return "empty" if default in ((), "", None) else f"`{default}`"


def test_every_setting_has_its_row_and_no_row_is_left_over() -> None:
    found = [(code(row["setting"]), row["default"], row["meaning"]) for row in rows(section(PAGE, "Settings"))]
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
    others = {code(row["variable"]) for row in rows(section(PAGE, "Other variables"))}
    settings = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    assert found - settings == others


@pytest.mark.parametrize("name", ["AKG_PORTS", "AKG_OPENSEARCH", "akg_port"])
def test_an_unknown_name_is_refused_with_the_nearest_as_the_page_says(name: str) -> None:
    with pytest.raises(SettingsError, match="did you mean AKG_"):
        read_settings({name: "1"})
