"""`akg node fetch | start | stop | status`: the local OpenSearch node.

Results for scripts (path, URL, status) go to standard output, messages to standard error.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from akg import node
from akg.connection import cluster_health, settings_from_environment, shown_urls
from akg.console import debugging, pluralize
from akg.interrupts import INTERRUPTED, interrupt_limit
from akg.node.distribution import Repository
from api.settings import SettingsError
from schema.errors import ENGINE_UNUSABLE, REFUSED

node_app = typer.Typer(help="Download, start and stop a local OpenSearch node.", no_args_is_help=True)

Root = Annotated[Path | None, typer.Option(help="Folder of the node.", show_default="AKG_DATA, or ./.akg")]
Cache = Annotated[
    Path | None, typer.Option(help="Folder in which OpenSearch is unpacked.", show_default="AKG_CACHE, or ~/.cache/akg")
]
Port = Annotated[
    int | None,
    typer.Option(
        min=0, max=65535, help="HTTP port; 0 for any free port.", show_default="the first free port from 9200"
    ),
]
Mirror = Annotated[str | None, typer.Option(help="URL of a mirror of Maven Central.", show_default="Maven Central")]
Heap = Annotated[str, typer.Option(help="Java heap size, such as 512m or 2g.")]


@node_app.command()
def fetch(cache: Cache = None, repository: Mirror = None) -> None:
    """Download and unpack OpenSearch unless it is cached, and print its folder."""
    with _report_errors() as console:
        if _external_is_used(console, "nothing is downloaded"):
            return
        typer.echo(node.fetch(cache or node.default_cache(), console=console, repository=Repository(url=repository)))


@node_app.command()
def start(root: Root = None, cache: Cache = None, port: Port = None, heap: Heap = "1g") -> None:
    """Start the node unless it runs, wait until it is ready, and print its URL."""
    with _report_errors() as console:
        if _external_is_used(console, "nothing is started"):
            return
        running = node.start(
            root or node.default_root(), cache=cache or node.default_cache(), http_port=port, heap=heap, console=console
        )
        state = "was already running" if running.reused else "is running"
        console.print(f"OpenSearch {state} (pid {running.pid}).", highlight=False)
        typer.echo(running.url)


@node_app.command()
def stop(root: Root = None) -> None:
    """Stop the node and keep its data."""
    with _report_errors() as console:
        stopped = node.stop(root or node.default_root())
        console.print("OpenSearch was stopped." if stopped else "No node was running.")


@node_app.command()
def status(root: Root = None) -> None:
    """Show whether a node runs.

    Exits with 0 if the node responds, 3 if none runs or it does not respond.
    """
    with _report_errors():
        settings = settings_from_environment()
        if settings.opensearch_url:
            cluster = cluster_health(settings)
            details = f"OpenSearch {cluster.version}  cluster {cluster.name}, {pluralize(cluster.nodes, 'node')}"
            typer.echo(f"{cluster.status}  {shown_urls(settings)}  {details}")
            return
        running = node.status(root or node.default_root())
        if running is None:
            typer.echo("not running")
            raise typer.Exit(ENGINE_UNUSABLE)
        started = datetime.fromtimestamp(running.started, tz=UTC).astimezone()
        typer.echo(
            f"{running.health}  {running.url or '-'}  OpenSearch {running.version}  pid {running.pid}  "
            f"{running.memory // 1024**2} MB  since {started:%Y-%m-%d %H:%M:%S}  data {running.data}"
        )
        if running.health == "unresponsive":
            raise node.NodeError("The process runs but does not respond. Stop it with `akg node stop`.")


@contextmanager
def _report_errors() -> Iterator[Console]:
    console = Console(stderr=True, soft_wrap=True)
    try:
        with interrupt_limit.watching():
            yield console
    except (node.NodeError, SettingsError, OSError) as error:
        if debugging.get():
            console.print_exception()
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(getattr(error, "exit_code", REFUSED)) from error
    except KeyboardInterrupt as interrupt:
        console.print("Interrupted. Partial downloads and processes were removed.", style="yellow")
        raise typer.Exit(INTERRUPTED) from interrupt


def _external_is_used(console: Console, consequence: str) -> bool:
    settings = settings_from_environment()
    if settings.opensearch_url:
        console.print(
            f"AKG_OPENSEARCH_URL is set, so the cluster at {shown_urls(settings)} is used and {consequence}.",
            markup=False,
            highlight=False,
        )
    return bool(settings.opensearch_url)
