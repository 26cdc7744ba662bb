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
from akg.console import JsonOption, pluralize, print_json, report_errors
from akg.node.distribution import Repository
from akg.node.process import NodeStatus
from akg.reports.status import LocalNode, NodeReport
from api.settings import Settings
from schema.errors import ENGINE_UNUSABLE

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
def status(root: Root = None, *, json: JsonOption = False) -> None:
    """Show whether a node runs.

    Exits with 0 if the node responds, 3 if none runs or it does not respond.
    """
    with _report_errors():
        settings = settings_from_environment()
        if settings.opensearch_url:
            _print_cluster(settings, json=json)
            return
        running = node.status(root or node.default_root())
        if json:
            print_json(_node_report(running))
        else:
            typer.echo(_node_line(running))
        if running is None:
            raise typer.Exit(ENGINE_UNUSABLE)
        if running.health == "unresponsive":
            raise node.NodeError("The process runs but does not respond. Stop it with `akg node stop`.")


def _print_cluster(settings: Settings, *, json: bool) -> None:
    cluster, url = cluster_health(settings), shown_urls(settings)
    if json:
        print_json(
            NodeReport(
                running=True, url=url, health=cluster.status, version=cluster.version, nodes=cluster.nodes, local=None
            )
        )
        return
    details = f"OpenSearch {cluster.version}  cluster {cluster.name}, {pluralize(cluster.nodes, 'node')}"
    typer.echo(f"{cluster.status}  {url}  {details}")


def _node_report(running: NodeStatus | None) -> NodeReport:
    if running is None:
        return NodeReport(running=False, url=None, health=None, version=None, nodes=0, local=None)
    process = LocalNode(
        pid=running.pid,
        memory_bytes=running.memory,
        started=datetime.fromtimestamp(running.started, tz=UTC).isoformat(timespec="seconds"),
        data=str(running.data),
    )
    return NodeReport(
        running=True, url=running.url, health=running.health, version=running.version, nodes=1, local=process
    )


def _node_line(running: NodeStatus | None) -> str:
    if running is None:
        return "not running"
    started = datetime.fromtimestamp(running.started, tz=UTC).astimezone()
    return (
        f"{running.health}  {running.url or '-'}  OpenSearch {running.version}  pid {running.pid}  "
        f"{running.memory // 1024**2} MB  since {started:%Y-%m-%d %H:%M:%S}  data {running.data}"
    )


@contextmanager
def _report_errors() -> Iterator[Console]:
    with report_errors():
        try:
            yield Console(stderr=True, soft_wrap=True)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("Interrupted. Partial downloads and processes were removed.") from None


def _external_is_used(console: Console, consequence: str) -> bool:
    settings = settings_from_environment()
    if settings.opensearch_url:
        console.print(
            f"AKG_OPENSEARCH_URL is set, so the cluster at {shown_urls(settings)} is used and {consequence}.",
            markup=False,
            highlight=False,
        )
    return bool(settings.opensearch_url)
