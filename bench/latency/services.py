"""Start the programs to measure: OpenSearch, the service with and without its cache, the plain routes and others."""

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from opensearchpy import OpenSearch
from rich.console import Console

from akg.console import MEGABYTE
from api.engine.client import FastSerializer
from bench.latency.report import Graph
from bench.processes import scratch_node
from schema.release_names import index_alias
from tests.support.fixture_graphs import CHECKOUT
from tests.support.serving import AKG, environment, free_port, process

START_SECONDS = 60.0
SETTINGS = {
    **dict.fromkeys(("AKG_RATE_LIMIT", "AKG_RATE_LIMIT_SUGGEST", "AKG_RATE_LIMIT_MCP"), "0"),
    "AKG_USAGE_MONTHS": "0",
    "AKG_DEADLINE_SECONDS": "10",
}


@dataclass(frozen=True, slots=True)
class Running:
    """The port and process id of a running program."""

    port: int
    pid: int


@dataclass(frozen=True, slots=True)
class Memory:
    """Megabytes of a process and its children: resident and unshared."""

    rss: float
    uss: float

    @property
    def rounded(self) -> tuple[float, float]:
        return round(self.rss, 1), round(self.uss, 1)


def memory(pid: int) -> Memory:
    """Return the current memory of a process and its children."""
    parent = psutil.Process(pid)
    infos = [child.memory_full_info() for child in (parent, *parent.children(recursive=True))]
    return Memory(sum(child.rss for child in infos) / MEGABYTE, sum(child.uss for child in infos) / MEGABYTE)


@contextmanager
def service(engine_url: str, alias: str, settings: Mapping[str, str]) -> Iterator[Running]:
    """Run the service without rate limits and usage counts."""
    with process({**SETTINGS, "AKG_OPENSEARCH_URL": engine_url, "AKG_ALIAS": alias, **settings}) as served:
        yield Running(served.port, served.process.pid)


@contextmanager
def plain(engine_url: str, index: str, *, cached: bool) -> Iterator[Running]:
    """Run the plain routes of `plain.py`."""
    port = free_port()
    arguments = ["-m", "bench.latency.plain", engine_url, index, str(port), *(["--cached"] if cached else [])]
    with program([sys.executable, *arguments], port, {}) as running:
        yield running


@contextmanager
def program(command: Sequence[str], port: int, environ: Mapping[str, str]) -> Iterator[Running]:
    """Run a program that listens on this port until the end of the block."""
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(
            command,
            cwd=CHECKOUT,
            env=environment(environ),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C goes to the run, which ends its programs
        ) as running,
    ):
        try:
            if not _listens(running, port):
                output.seek(0)
                raise SystemExit(output.read().decode(errors="replace")[-2000:])
            yield Running(port, running.pid)
        finally:
            running.terminate()
            try:
                running.wait(10)
            except subprocess.TimeoutExpired:
                running.kill()


def _listens(running: subprocess.Popen[bytes], port: int) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and running.poll() is None:
        with socket.socket() as connection:
            if not connection.connect_ex(("127.0.0.1", port)):
                return True
        time.sleep(0.05)
    return False


@dataclass(frozen=True, slots=True)
class Engine:
    """The OpenSearch node and AKG_ALIAS. `folder` is None if the node is not temporary."""

    url: str
    alias: str
    folder: Path | None = None

    @property
    def index_alias(self) -> str:
        return index_alias(self.alias)

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 80

    @property
    def client(self) -> OpenSearch:
        return OpenSearch(hosts=[self.url], serializer=FastSerializer(), timeout=300)

    def environ(self) -> dict[str, str]:
        """Return the environment of `akg` commands for this node."""
        folder = {"AKG_DATA": str(self.folder)} if self.folder else {}
        return environment({"AKG_OPENSEARCH_URL": self.url, "AKG_ALIAS": self.alias, **folder})

    def build(self) -> None:
        """Build and publish the shipped graph."""
        command = [*AKG, "index", "build"]
        subprocess.run(command, cwd=CHECKOUT, env=self.environ(), check=True, capture_output=True)

    def graph(self) -> Graph:
        """Return the counts and the size of the live release."""
        with self.client as client:
            ((index, body),) = client.indices.get_mapping(index=self.index_alias).items()
            stats = client.indices.stats(index=index, metric="store,docs")["indices"][index]["primaries"]
        meta = body["mappings"]["_meta"]
        return Graph(
            data_version=meta["data_version"],
            entities=sum(meta["counts"]["types"].values()),
            edges=sum(meta["counts"]["edges"].values()) // 2,
            documents=stats["docs"]["count"],
            index_mb=round(stats["store"]["size_in_bytes"] / MEGABYTE, 1),
        )


@contextmanager
def scratch_engine(console: Console) -> Iterator[Engine]:
    """Start a temporary node; stop it and delete its folder at the end of the block."""
    with scratch_node(console) as (folder, running):
        yield Engine(running.url, "akg-entities", folder)
