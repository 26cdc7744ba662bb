"""OpenSearch processes on this machine that form one cluster; each can be killed, paused and brought back.

Small heaps, loopback only, everything under one folder. Whatever ends the trial ends the processes: see `leash`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from akg.node.config import Java, NodeConfig, find_java, write_config
from akg.node.distribution import fetch
from akg.node.state import Folders
from tests.support.serving import free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from bench.processes import Leash

SIZE = 3
STARTS = 240.0  # seconds for all nodes to find each other, on a busy machine
LOOKS = 0.25  # seconds between two looks at what one waits for
PATIENCE = 5.0  # seconds for one question to a node


class ClusterError(Exception):
    """The cluster does not do what the trial needs."""


@dataclass(slots=True)
class Node:
    """One of the processes. Its ports stay the same when it is started again."""

    name: str
    folders: Folders
    http_port: int
    transport_port: int
    process: subprocess.Popen[bytes] | None = None
    paused: bool = False

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def runs(self) -> bool:
        """Whether there is a process that could answer."""
        return self.process is not None and self.process.poll() is None and not self.paused


class Cluster:
    """`size` nodes under `folder`; `close` it at the end."""

    def __init__(self, folder: Path, cache: Path, heap: str, leash: Leash, size: int = SIZE) -> None:
        self._home = fetch(cache)
        self._java: Java = find_java(os.environ)
        self._heap = heap
        self._leash = leash
        self._shared = folder / "snapshots"
        self._closed = False
        self.nodes = [
            Node(name, Folders((folder / name).absolute()), free_port(), free_port())
            for name in (f"node-{number}" for number in range(1, size + 1))
        ]

    @property
    def urls(self) -> tuple[str, ...]:
        """All addresses."""
        return tuple(node.url for node in self.nodes)

    def start(self) -> None:
        """Start all nodes and wait until they are one cluster."""
        for node in self.nodes:
            self.restart(node)
        self.await_whole()

    def restart(self, node: Node) -> None:
        """Start the process of a node, with the data it had."""
        config = NodeConfig(
            home=self._home,
            folders=node.folders,
            java=self._java,
            heap=self._heap,
            http_port=node.http_port,
            as_root=os.geteuid() == 0,
        )
        write_config(config)
        (node.folders.config / "opensearch.yml").write_text(_yml(self._settings(node)), "utf-8")
        with node.folders.printed.open("wb") as printed:
            node.process = subprocess.Popen(
                [config.java.command, f"@{node.folders.options}"],
                cwd=self._home,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        node.paused = False
        self._leash.hold(node.process.pid)

    def _settings(self, node: Node) -> dict[str, Any]:
        """As an operator would set up three nodes: everything else is the engine's own default."""
        return {
            "cluster.name": "akg-chaos",
            "node.name": node.name,
            "network.host": "127.0.0.1",
            "http.port": node.http_port,
            "transport.port": node.transport_port,
            "discovery.seed_hosts": [f"127.0.0.1:{one.transport_port}" for one in self.nodes],
            "cluster.initial_cluster_manager_nodes": [one.name for one in self.nodes],
            "path.data": str(node.folders.data),
            "path.logs": str(node.folders.logs),
            "path.repo": str(self._shared),
            "cluster.routing.allocation.disk.threshold_enabled": False,
        }

    def kill(self, node: Node) -> None:
        """End a process as the kernel does when memory runs out."""
        if node.process is not None:
            node.process.kill()
            node.process.wait()
            self._leash.let_go(node.process.pid)

    def pause(self, node: Node) -> None:
        """Stop a process in the middle of whatever it does; its connections stay open."""
        if node.process is not None:
            node.process.send_signal(signal.SIGSTOP)
            node.paused = True

    def resume(self, node: Node) -> None:
        """Let it go on."""
        if node.process is not None:
            node.process.send_signal(signal.SIGCONT)
            node.paused = False

    def close(self) -> None:
        """End all of them and delete their data; callers that wait for them return."""
        self._closed = True
        for node in self.nodes:
            self.kill(node)  # a stopped process can be killed too
            shutil.rmtree(node.folders.root, ignore_errors=True)

    def ask(self, path: str, *, method: str = "GET", body: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - JSON
        """Ask the first node that answers; ClusterError where none does."""
        said = "no node runs"
        for node in self.nodes:
            if not node.runs:
                continue
            try:
                answer = httpx.request(method, node.url + path, json=body, timeout=PATIENCE)
            except httpx.HTTPError as error:
                said = f"{node.name}: {type(error).__name__}"
                continue
            if answer.is_success:
                return answer.json()
            said = f"{node.name}: {answer.status_code} {answer.text[:200]}"
        raise ClusterError(f"{method} {path}: {said}")

    def manager(self) -> Node:
        """The node that leads the cluster."""
        (row,) = self.ask("/_cat/cluster_manager?format=json")
        return self._named(row["node"])

    def holders(self, index: str) -> list[Node]:
        """The nodes that hold a started shard of an index, its primary first."""
        rows = self.ask(f"/_cat/shards/{index}?format=json&h=prirep,state,node")
        started = [row for row in rows if row["state"] == "STARTED"]
        started.sort(key=lambda row: row["prirep"] != "p")
        return [self._named(row["node"]) for row in started]

    def _named(self, name: str) -> Node:
        return next(node for node in self.nodes if node.name == name)

    def settings(self, values: Mapping[str, Any]) -> None:
        """Change settings of the whole cluster; None takes one back."""
        self.ask("/_cluster/settings", method="PUT", body={"transient": dict(values)})

    def await_whole(self) -> float:
        """Wait until all nodes are in the cluster and every shard is where it belongs; the seconds that took."""
        return self.wait_for(self._is_whole, f"{len(self.nodes)} nodes and green")

    def _is_whole(self) -> bool:
        health = self.ask("/_cluster/health")
        return bool(health["number_of_nodes"] == len(self.nodes) and health["status"] == "green")

    def wait_for(self, condition: Callable[[], bool], what: str, seconds: float = STARTS) -> float:
        """Wait for a condition, which may ask a cluster that does not answer yet."""
        began = time.monotonic()
        said = ""
        while time.monotonic() - began < seconds and not self._closed:
            try:
                if condition():
                    return time.monotonic() - began
            except (ClusterError, ValueError) as error:
                said = f" ({error})"
            if dead := [node.name for node in self.nodes if node.process and node.process.poll() is not None]:
                said = f" ({', '.join(dead)} ended)"
            time.sleep(LOOKS)
        raise ClusterError(f"after {seconds:.0f} s there is still no cluster with {what}{said}")


def _yml(settings: Mapping[str, str | int | bool | Sequence[str]]) -> str:
    """A JSON value is a YAML value."""
    return "".join(f"{name}: {json.dumps(value)}\n" for name, value in settings.items())
