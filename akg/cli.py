"""The `akg` command: a table of all commands, each imported when it is used.

Importing all of them takes more than a second.
"""

import copy
import io
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module, metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from akg.console import debugging
from schema.release_names import FORMAT_VERSION, SUPPORTED_OPENSEARCH

PACKAGE = "accommodation-knowledge-graph"
COMMANDS = {  # groups first, as the help lists them
    "node": "akg.commands.node:node_app",
    "content": "akg.commands.content:content_app",
    "import": "akg.commands.imports:import_app",
    "overlay": "akg.commands.overlay:overlay_app",
    "market": "akg.commands.market:market_app",
    "index": "akg.commands.index:index_app",
    "synonyms": "akg.commands.rules.synonyms:synonyms_app",
    "snapshot": "akg.commands.snapshots:snapshot_app",
    "eval": "akg.commands.evaluation.scores:eval_app",
    "dashboards": "akg.commands.dashboards:dashboards_app",
    "status": "akg.commands.status:status",
    "export": "akg.commands.export:export",
    "exporter": "akg.commands.exporter:exporter",
    "serve": "akg.commands.serve:serve",
    "up": "akg.commands.serve:up",
    "mcp": "akg.commands.serve:mcp",
}
TYPER_OPTIONS = {"pretty_exceptions_show_locals": False}
HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}  # subcommands inherit them


@cache
def _load(name: str) -> Any:  # noqa: ANN401 - typer does not export its click types
    module, _, attribute = COMMANDS[name].partition(":")
    target = getattr(import_module(module), attribute)
    if isinstance(target, typer.Typer):
        command: Any = get_group(target)
    else:
        single = typer.Typer(add_completion=False, **TYPER_OPTIONS)  # type: ignore[arg-type]  # typed one by one
        single.command()(target)
        command = get_command(single)
    command.name = name  # the help lists commands by this name
    return command


class Commands(Mapping[str, Any]):
    """All commands by name, imported on access."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - as above
        return _load(name)

    def __contains__(self, name: object) -> bool:
        return name in COMMANDS

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def all_commands(commands: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command with its whole name, such as `index build`."""
    for name, command in commands.items():
        if hasattr(command, "commands"):
            yield from all_commands(command.commands, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


class _Group(TyperGroup):
    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401 - the arguments are typer's
        super().__init__(**kwargs)
        self.commands = Commands()  # type: ignore[assignment]  # read-only

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        """Write the help with every command of every group."""
        expanded = copy.copy(self)
        expanded.commands = {}
        for name, command in all_commands(self.commands):
            expanded.commands[name] = copy.copy(command)
            expanded.commands[name].name = name
        super(_Group, expanded).format_help(ctx, formatter)

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as above
        replace_unencodable()
        return super().main(*args, **kwargs)


def replace_unencodable() -> None:
    """Print `?` for characters that the encoding of an output lacks, such as `→` in ISO 8859-1."""
    for stream in (sys.stdout, sys.stderr):
        # Other handlers never fail: standard error has backslashreplace, and the C locale surrogateescape.
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


app = typer.Typer(cls=_Group, no_args_is_help=True, context_settings=HELP_OPTIONS, **TYPER_OPTIONS)  # type: ignore[arg-type]  # as above


def version() -> str:
    """Return the versions of the program, of the documents it writes and of the OpenSearch it supports."""
    engines = ", ".join(f"{major}.x" for major in SUPPORTED_OPENSEARCH)
    return f"akg {metadata.version(PACKAGE)}\ndocument format {FORMAT_VERSION}\nOpenSearch {engines}"


def _print_version(*, requested: bool) -> None:
    if requested:
        typer.echo(version())
        raise typer.Exit


VersionOption = Annotated[
    bool,
    typer.Option(
        "--version",
        callback=lambda value: _print_version(requested=value),
        is_eager=True,
        help="Show the version, the document format and the supported OpenSearch, and exit.",
    ),
]


DebugOption = Annotated[bool, typer.Option("--debug", help="Print the traceback of an error, too.")]


@app.callback()
def akg(*, version: VersionOption = False, debug: DebugOption = False) -> None:  # noqa: ARG001 - its callback reads it
    """Run OpenSearch locally, build and publish the Accommodation Knowledge Graph, and serve it."""
    debugging.set(debug)
