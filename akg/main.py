"""The `akg` command: every command group in one place."""

from __future__ import annotations

import typer

from akg.content_commands import content_app
from akg.dashboards_commands import dashboards_app
from akg.eval_commands import eval_app
from akg.export_commands import export
from akg.import_commands import import_app
from akg.index_commands import index_app
from akg.market_commands import market_app
from akg.mcp_commands import mcp
from akg.node_commands import node_app
from akg.serve_commands import serve, up
from akg.snapshot_commands import snapshot_app
from akg.status_command import status
from akg.synonym_commands import synonyms_app

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    help="Accommodation Knowledge Graph: the local engine, the graph and the service.",
)
app.add_typer(node_app, name="node")
app.add_typer(content_app, name="content")
app.add_typer(import_app, name="import")
app.add_typer(market_app, name="market")
app.add_typer(index_app, name="index")
app.add_typer(synonyms_app, name="synonyms")
app.add_typer(snapshot_app, name="snapshot")
app.add_typer(eval_app, name="eval")
app.add_typer(dashboards_app, name="dashboards")
app.command()(status)
app.command()(export)
app.command()(serve)
app.command()(up)
app.command()(mcp)
