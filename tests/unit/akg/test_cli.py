"""`akg --help` lists every command."""

import re

import pytest
from typer.testing import CliRunner

from akg.cli import Commands, app

ROW = re.compile(r"^│ (\S+) +(\S.*?) *│$", re.MULTILINE)


def help_rows(*words: str) -> dict[str, str]:
    result = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    return dict(ROW.findall(result.output.partition("Commands")[2]))


def test_help_lists_every_command_with_one_sentence() -> None:
    rows = help_rows()
    assert list(rows) == list(Commands())
    assert {name: text for name, text in rows.items() if not re.fullmatch(r"[A-Z][a-z]+,? [^.]+\.", text)} == {}


@pytest.mark.parametrize("name", Commands())
def test_help_of_a_command_lists_its_subcommands(name: str) -> None:
    assert list(help_rows(name)) == list(getattr(Commands()[name], "commands", ()))
