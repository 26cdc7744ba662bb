"""Start the programs to measure: OpenSearch, the service with and without its cache, the plain routes and others."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psutil
from opensearchpy import OpenSearch

from api.engine.client import FastSerializer
from bench.latency.report import Graph
from bench.processes import AKG, environment, scratch_node
from tests.support.fixture_graphs import CHECKOUT
from tests.support.serving import free_port, process

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from rich.console import Console

START_SECONDS = 60.0  # seconds
SETTINGS = {
    **dict.fromkeys(("AKG_RATE_LIMIT", "AKG_RATE_LIMIT_SUGGEST", "AKG_RATE_LIMIT_MCP"), "0"),
    "AKG_USAGE_MONTHS": "0",
    "AKG_DEADLINE_SECONDS": "10",
}
MEGABYTE = 1_000_000


class StartError(Exception):
    """A program that should be measured does not start; the message is the end of what it said."""


@dataclass(frozen=True, slots=True)
class Running:
    """A program that answers, by its port and its process."""

    port: int
    pid: int


@dataclass(frozen=True, slots=True)
class Memory:
    """Megabytes of a process and all it started: resident, and what it shares with nobody."""

    rss: float
    uss: float

    @property
    def rounded(self) -> tuple[float, float]:
        """Both, to a tenth."""
        return round(self.rss, 1), round(self.uss, 1)


def memory(pid: int) -> Memory:
    """What a program holds now."""
    one = psutil.Process(pid)
    infos = [each.memory_full_info() for each in (one, *one.children(recursive=True))]
    return Memory(sum(each.rss for each in infos) / MEGABYTE, sum(each.uss for each in infos) / MEGABYTE)


@contextmanager
def service(engine_url: str, alias: str, settings: Mapping[str, str]) -> Iterator[Running]:
    """The service as its own process, without limits and counts of usage."""
    with process({**SETTINGS, "AKG_OPENSEARCH_URL": engine_url, "AKG_ALIAS": alias, **settings}) as served:
        yield Running(served.port, served.process.pid)


@contextmanager
def plain(engine_url: str, index: str, *, cached: bool) -> Iterator[Running]:
    """The plain routes of `plain.py`."""
    port = free_port()
    words = ["-m", "bench.latency.plain", engine_url, index, str(port), *(["--cached"] if cached else [])]
    with program([sys.executable, *words], port, {}) as running:
        yield running


@contextmanager
def program(command: Sequence[str], port: int, environ: Mapping[str, str]) -> Iterator[Running]:
    """Any program that listens on this port; it ends with the block."""
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(
            command,
            cwd=CHECKOUT,
            env=environment(environ),
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for the run, which ends all it started
        ) as running,
    ):
        try:
            if not _listens(running, port):
                said.seek(0)
                raise StartError(said.read().decode(errors="replace")[-2000:])
            yield Running(port, running.pid)
        finally:
            running.terminate()
            try:
                running.wait(10)
            except subprocess.TimeoutExpired:
                running.kill()


def _listens(running: subprocess.Popen[bytes], port: int) -> bool:
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends and running.poll() is None:
        with socket.socket() as tried:
            if not tried.connect_ex(("127.0.0.1", port)):
                return True
        time.sleep(0.05)
    return False


@dataclass(frozen=True, slots=True)
class Engine:
    """The engine under all contenders, and the alias of the graph. `folder` is None where the node is not our own."""

    url: str
    alias: str
    folder: Path | None = None

    @property
    def port(self) -> int:
        """Where it listens."""
        return urlsplit(self.url).port or 80

    @property
    def client(self) -> OpenSearch:
        """For looking at what it holds."""
        return OpenSearch(hosts=[self.url], serializer=FastSerializer(), timeout=300)

    def environ(self) -> dict[str, str]:
        """What `akg` needs to work on this engine."""
        folder = {"AKG_DATA": str(self.folder)} if self.folder else {}
        return environment({"AKG_OPENSEARCH_URL": self.url, "AKG_ALIAS": self.alias, **folder})

    def build(self) -> None:
        """Build a release of the shipped graph."""
        command = [*AKG, "index", "build"]
        subprocess.run(command, cwd=CHECKOUT, env=self.environ(), check=True, capture_output=True)

    def graph(self) -> Graph:
        """What the live release holds."""
        with self.client as client:
            ((index, body),) = client.indices.get_mapping(index=self.alias).items()
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
def own_engine(console: Console) -> Iterator[Engine]:
    """A node with the shipped graph; node and folder are gone afterwards."""
    with scratch_node(console) as (folder, running):
        yield Engine(running.url, "akg-entities", folder)
