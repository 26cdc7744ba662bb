"""`akg --help` lists every command, and any output encoding will do."""

import io
import re
import sys

import pytest
from typer.testing import CliRunner

from akg.cli import Commands, app, replace_unencodable

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


@pytest.mark.parametrize("encoding", ["iso-8859-1", "cp1252", "ascii"])
def test_prints_characters_that_the_output_lacks_as_question_marks(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = {name: io.TextIOWrapper(io.BytesIO(), encoding=encoding) for name in ("stdout", "stderr")}
    for name, stream in outputs.items():
        monkeypatch.setattr(sys, name, stream)
    replace_unencodable()
    for stream in outputs.values():
        print("alias → index", file=stream, flush=True)
        assert stream.buffer.getvalue() == b"alias ? index\n"


def test_handlers_that_never_fail_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    monkeypatch.setattr(sys, "stderr", stream)
    replace_unencodable()
    assert stream.errors == "backslashreplace"
