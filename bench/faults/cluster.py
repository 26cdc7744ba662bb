"""A cluster of OpenSearch processes on this machine that can be killed, paused and restarted.

The nodes have small heaps, listen on loopback only, and keep all files in one folder. `ProcessGuard` ends them with the
run.
"""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from akg.node.config import Java, NodeConfig, find_java, write_config
from akg.node.distribution import fetch
from akg.node.state import Folders
from bench.processes import ProcessGuard
from tests.support.serving import free_port

NODE_COUNT = 3
START_SECONDS = 240.0  # until all nodes have joined the cluster, on a busy machine
POLL_SECONDS = 0.25  # between two checks of a condition
REQUEST_TIMEOUT_SECONDS = 5.0  # for one request to a node


class ClusterError(Exception):
    """The cluster does not respond or does not reach an expected state."""


@dataclass(slots=True)
class Node:
    """An OpenSearch process whose ports stay the same across restarts."""

    name: str
    folders: Folders
    http_port: int
    transport_port: int
    process: subprocess.Popen[bytes] | None = None
    paused: bool = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def is_running(self) -> bool:
        """Whether the process exists and is not paused."""
        return self.process is not None and self.process.poll() is None and not self.paused


class Cluster:
    """`size` nodes with their files in `folder`; call `close` at the end."""

    def __init__(self, folder: Path, cache: Path, heap: str, guard: ProcessGuard, size: int = NODE_COUNT) -> None:
        self._home = fetch(cache)
        self._java: Java = find_java(os.environ)
        self._heap = heap
        self._guard = guard
        self._shared = folder / "snapshots"
        self._closed = False
        self.nodes = [
            Node(name, Folders((folder / name).absolute()), free_port(), free_port())
            for name in (f"node-{number}" for number in range(1, size + 1))
        ]

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(node.url for node in self.nodes)

    def start(self) -> None:
        """Start all nodes and wait until the cluster is green."""
        for node in self.nodes:
            self.restart(node)
        self.await_green()

    def restart(self, node: Node) -> None:
        """Start the process of a node with its existing data."""
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
        self._guard.add(node.process.pid)

    def _settings(self, node: Node) -> dict[str, Any]:
        """Return the settings that an operator would set; all others have the default of OpenSearch."""
        return {
            "cluster.name": "akg-chaos",
            "node.name": node.name,
            "network.host": "127.0.0.1",
            "http.port": node.http_port,
            "transport.port": node.transport_port,
            "discovery.seed_hosts": [f"127.0.0.1:{peer.transport_port}" for peer in self.nodes],
            "cluster.initial_cluster_manager_nodes": [peer.name for peer in self.nodes],
            "path.data": str(node.folders.data),
            "path.logs": str(node.folders.logs),
            "path.repo": str(self._shared),
            "cluster.routing.allocation.disk.threshold_enabled": False,
        }

    def kill(self, node: Node) -> None:
        """Send SIGKILL, as the kernel does when memory runs out."""
        if node.process is not None:
            node.process.kill()
            node.process.wait()
            self._guard.remove(node.process.pid)

    def pause(self, node: Node) -> None:
        """Send SIGSTOP; the connections of the process stay open."""
        if node.process is not None:
            node.process.send_signal(signal.SIGSTOP)
            node.paused = True

    def resume(self, node: Node) -> None:
        """Send SIGCONT."""
        if node.process is not None:
            node.process.send_signal(signal.SIGCONT)
            node.paused = False

    def close(self) -> None:
        """Kill all nodes and delete their data; pending `wait_for` calls return."""
        self._closed = True
        for node in self.nodes:
            self.kill(node)  # also ends a paused process
            shutil.rmtree(node.folders.root, ignore_errors=True)

    def request(self, path: str, *, method: str = "GET", body: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - JSON
        """Return the JSON response of the first node that succeeds; raise ClusterError if none does."""
        problem = "no node is running"
        for node in self.nodes:
            if not node.is_running:
                continue
            try:
                response = httpx.request(method, node.url + path, json=body, timeout=REQUEST_TIMEOUT_SECONDS)
            except httpx.HTTPError as error:
                problem = f"{node.name}: {type(error).__name__}"
                continue
            if response.is_success:
                return response.json()
            problem = f"{node.name}: {response.status_code} {response.text[:200]}"
        raise ClusterError(f"{method} {path}: {problem}")

    def manager(self) -> Node:
        (row,) = self.request("/_cat/cluster_manager?format=json")
        return self._node(row["node"])

    def nodes_with_shards(self, index: str) -> list[Node]:
        """Return the nodes with a started shard of an index, the primary first."""
        rows = self.request(f"/_cat/shards/{index}?format=json&h=prirep,state,node")
        started = [row for row in rows if row["state"] == "STARTED"]
        started.sort(key=lambda row: row["prirep"] != "p")
        return [self._node(row["node"]) for row in started]

    def _node(self, name: str) -> Node:
        return next(node for node in self.nodes if node.name == name)

    def update_settings(self, values: Mapping[str, Any]) -> None:
        """Update transient cluster settings; None resets a setting."""
        self.request("/_cluster/settings", method="PUT", body={"transient": dict(values)})

    def await_green(self) -> float:
        """Wait until all nodes have joined and the status is green; return the seconds that this took."""
        return self.wait_for(self._is_green, f"{len(self.nodes)} nodes and green")

    def _is_green(self) -> bool:
        health = self.request("/_cluster/health")
        return bool(health["number_of_nodes"] == len(self.nodes) and health["status"] == "green")

    def wait_for(self, condition: Callable[[], bool], what: str, seconds: float = START_SECONDS) -> float:
        """Wait for a condition; ClusterError in the condition counts as false. Return the seconds that this took."""
        began = time.monotonic()
        problem = ""
        while time.monotonic() - began < seconds and not self._closed:
            try:
                if condition():
                    return time.monotonic() - began
            except (ClusterError, ValueError) as error:
                problem = f" ({error})"
            if dead := [node.name for node in self.nodes if node.process and node.process.poll() is not None]:
                problem = f" ({', '.join(dead)} ended)"
            time.sleep(POLL_SECONDS)
        raise ClusterError(f"the cluster did not reach this state within {seconds:.0f} s: {what}{problem}")


def _yml(settings: Mapping[str, str | int | bool | Sequence[str]]) -> str:
    """Return the settings as YAML; a JSON value is a YAML value."""
    return "".join(f"{name}: {json.dumps(value)}\n" for name, value in settings.items())
