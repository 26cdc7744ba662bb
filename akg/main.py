"""The `akg` command: every command and group in one place, each imported when it is asked for.

All of them together take more than a second to import, and most of that for what one of them needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

GROUPS = {
    "node": "akg.node_commands:node_app",
    "content": "akg.content_commands:content_app",
    "import": "akg.import_commands:import_app",
    "market": "akg.market_commands:market_app",
    "index": "akg.index_commands:index_app",
    "synonyms": "akg.synonym_commands:synonyms_app",
    "snapshot": "akg.snapshot_commands:snapshot_app",
    "eval": "akg.eval_commands:eval_app",
    "dashboards": "akg.dashboards_commands:dashboards_app",
}
COMMANDS = {
    "status": "akg.status_command:status",
    "export": "akg.export_commands:export",
    "serve": "akg.serve_commands:serve",
    "up": "akg.serve_commands:up",
    "mcp": "akg.mcp_commands:mcp",
}
WITHOUT_MORE = {"add_completion": False, "pretty_exceptions_show_locals": False}


@cache
def _loaded(name: str) -> Any:  # noqa: ANN401 - typer keeps its click inside
    module, _, attribute = {**GROUPS, **COMMANDS}[name].partition(":")
    found = getattr(import_module(module), attribute)
    if name in GROUPS:
        return get_group(found)
    alone = typer.Typer(**WITHOUT_MORE)  # type: ignore[arg-type]  # two switches of many
    alone.command(name)(found)
    return get_command(alone)


class Commands(Mapping[str, Any]):
    """All commands by name; one is imported when it is taken."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - as above
        if name not in self:
            raise KeyError(name)
        return _loaded(name)

    def __contains__(self, name: object) -> bool:
        return name in GROUPS or name in COMMANDS

    def __iter__(self) -> Iterator[str]:
        return iter((*GROUPS, *COMMANDS))

    def __len__(self) -> int:
        return len(GROUPS) + len(COMMANDS)


class _Group(TyperGroup):
    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401 - as typer makes it
        super().__init__(**kwargs)
        self.commands = Commands()  # type: ignore[assignment]  # nobody adds to it


app = typer.Typer(cls=_Group, no_args_is_help=True, **WITHOUT_MORE)  # type: ignore[arg-type]  # as above


@app.callback()
def akg() -> None:
    """Accommodation Knowledge Graph: the local engine, the graph and the service."""
