"""`akg --help` lists every command, and any output encoding will do."""

import io
import re
import sys

import pytest
from typer.testing import CliRunner

from akg.cli import COMMANDS, Commands, all_commands, app, replace_unencodable
from akg.node.distribution import OPENSEARCH
from schema.release_names import FORMAT_VERSION, SUPPORTED_OPENSEARCH

ROW = re.compile(r"^│ (\S+(?: \S+)?) {2,}(\S.*?) *│$", re.MULTILINE)
SENTENCE = re.compile(r"[A-Z][a-z]+,? .+[.]")


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def help_rows(*words: str, option: str = "--help") -> dict[str, str]:
    return dict(ROW.findall(run(*words, option).partition("Commands")[2]))


def test_help_lists_every_registered_command_with_one_sentence() -> None:
    rows = help_rows()
    assert list(rows) == [name for name, _ in all_commands(Commands())]
    assert {name.split()[0] for name in rows} == set(COMMANDS)
    assert {name: text for name, text in rows.items() if not SENTENCE.fullmatch(text) or ". " in text} == {}


@pytest.mark.parametrize("name", Commands())
def test_help_of_a_command_lists_its_subcommands(name: str) -> None:
    assert list(help_rows(name)) == list(getattr(Commands()[name], "commands", ()))


@pytest.mark.parametrize("words", [(), *((name,) for name in Commands()), ("index", "build")], ids=" ".join)
def test_the_short_option_prints_the_same_help(words: tuple[str, ...]) -> None:
    assert run(*words, "-h") == run(*words, "--help")


def test_the_version_names_the_format_and_the_supported_opensearch() -> None:
    lines = run("--version").splitlines()
    assert lines[0].startswith("akg ")
    assert lines[1:] == [f"document format {FORMAT_VERSION}", "OpenSearch 3.x"]
    assert int(OPENSEARCH.version.partition(".")[0]) in SUPPORTED_OPENSEARCH


def test_the_shell_completes_names_of_commands() -> None:
    environ = {"_AKG_COMPLETE": "complete_bash", "COMP_WORDS": "akg index ro", "COMP_CWORD": "2"}
    assert CliRunner().invoke(app, [], env=environ, prog_name="akg").output.split() == ["rollback"]


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


ACTIONS = {  # what they report is a file, an address or a running service
    *("node fetch", "node start", "node stop", "overlay new", "dashboards install"),
    *("export", "exporter", "serve", "up", "mcp"),
}


def test_every_command_that_reports_facts_has_json() -> None:
    commands = all_commands(Commands())
    options = {name: {text for one in command.params for text in one.opts} for name, command in commands}
    assert {name for name, texts in options.items() if "--json" not in texts} == ACTIONS
