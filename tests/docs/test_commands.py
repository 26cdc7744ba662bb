"""docs/operations.md names every command with every option, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer.main

from akg.cli import app
from tests.support.markdown import code, rows
from tests.support.project import DOCS

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (DOCS / "operations.md").read_text("utf-8")


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
    table = [row for row in rows(PAGE) if "command" in row]
    found = {code(row["command"]): {code(word) for word in row["options"].split(", ") if word} for row in table}
    assert found == dict(commands(typer.main.get_command(app), "akg"))


def test_every_command_says_in_its_help_what_it_does() -> None:
    def silent(command: Any, name: str) -> Iterator[str]:  # noqa: ANN401 - as above
        if not command.help:
            yield name
        for own, sub in getattr(command, "commands", {}).items():
            yield from silent(sub, f"{name} {own}")

    assert list(silent(typer.main.get_command(app), "akg")) == []
