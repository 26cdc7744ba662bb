"""`akg node fetch | start | stop | status`: the local OpenSearch node at the command line.

What a script would read (a path, an address, the status) goes to standard output, everything else to standard error.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from akg import node
from akg.node.cluster import ExternalCluster, cluster_health, external_cluster
from akg.node.fetch import Repository

NOT_RUNNING = 3
INTERRUPTED = 130

node_app = typer.Typer(help="The local OpenSearch node: fetched once, started and stopped here.", no_args_is_help=True)

Root = Annotated[Path | None, typer.Option(help="The node's own folder.", show_default="AKG_DATA, or ./.akg")]
Cache = Annotated[
    Path | None, typer.Option(help="Where OpenSearch is unpacked.", show_default="AKG_CACHE, or ~/.cache/akg")
]
Port = Annotated[
    int | None,
    typer.Option(min=0, max=65535, help="HTTP port; 0 takes any free one.", show_default="the first free from 9200"),
]
Mirror = Annotated[str | None, typer.Option(help="Address of another Maven repository.", show_default="Maven Central")]
Heap = Annotated[str, typer.Option(help="Memory of the Java heap, such as 512m or 2g.")]


@node_app.command()
def fetch(cache: Cache = None, repository: Mirror = None) -> None:
    """Download and unpack OpenSearch, unless the cache holds it already. Prints its folder."""
    with _explained() as console:
        if _external_is_used(console, "nothing is fetched"):
            return
        typer.echo(node.fetch(cache or node.default_cache(), console=console, repository=Repository(url=repository)))


@node_app.command()
def start(root: Root = None, cache: Cache = None, port: Port = None, heap: Heap = "1g") -> None:
    """Start the node, or find it running. Prints its address once it answers."""
    with _explained() as console:
        if _external_is_used(console, "nothing is started"):
            return
        running = node.start(
            root or node.default_root(), cache=cache or node.default_cache(), http_port=port, heap=heap, console=console
        )
        manner = "was already running" if running.reused else "is running"
        console.print(f"OpenSearch {manner} (pid {running.pid}).", highlight=False)
        typer.echo(running.url)


@node_app.command()
def stop(root: Root = None) -> None:
    """Stop the node of this folder. Its data stays."""
    with _explained() as console:
        stopped = node.stop(root or node.default_root())
        console.print("OpenSearch was stopped." if stopped else "No node was running here.")


@node_app.command()
def status(root: Root = None) -> None:
    """Say what runs: exit code 0 when a node answers, 3 when none runs here, 1 when it should answer and does not."""
    with _explained():
        if cluster := external_cluster(os.environ):
            _print_external(cluster)
            return
        found = node.status(root or node.default_root())
        if found is None:
            typer.echo("not running")
            raise typer.Exit(NOT_RUNNING)
        typer.echo(
            f"{found.health}  {found.url or '-'}  OpenSearch {found.version}  pid {found.pid}  "
            f"{found.memory // 1024**2} MB  since {_moment(found.started)}  data {found.data}"
        )
        if found.health == "silent":
            raise node.NodeError("the process lives but does not answer; 'akg node stop' ends it")


@contextmanager
def _explained() -> Iterator[Console]:
    console = Console(stderr=True, soft_wrap=True)
    try:
        yield console
    except (node.NodeError, OSError) as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(1) from error
    except KeyboardInterrupt as interrupt:
        console.print("Interrupted; nothing that was begun is left behind.", style="yellow")
        raise typer.Exit(INTERRUPTED) from interrupt


def _external_is_used(console: Console, consequence: str) -> bool:
    cluster = external_cluster(os.environ)
    if cluster:
        console.print(
            f"AKG_OPENSEARCH_URL names an existing cluster, {cluster.shown}: it is used, {consequence}.",
            markup=False,
            highlight=False,
        )
    return cluster is not None


def _print_external(cluster: ExternalCluster) -> None:
    found = cluster_health(cluster)
    count = f"{found.nodes} node" if found.nodes == 1 else f"{found.nodes} nodes"
    typer.echo(f"{found.status}  {cluster.shown}  OpenSearch {found.version}  cluster {found.name}, {count}")


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
