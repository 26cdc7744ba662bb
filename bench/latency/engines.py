"""The engine of a run: a node of its own in a folder of its own, gone with the run, or one that runs already."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from opensearchpy import OpenSearch

from akg import node
from api.engine.client import FastSerializer
from bench.latency.report import Graph
from bench.latency.services import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

MEGABYTE = 1_000_000
AKG = (sys.executable, "-c", "from akg.cli import app; app()")


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
        others = {name: value for name, value in os.environ.items() if not name.startswith("AKG_")}
        folder = {"AKG_DATA": str(self.folder)} if self.folder else {}
        return {**others, "AKG_OPENSEARCH_URL": self.url, "AKG_ALIAS": self.alias, **folder}

    def build(self) -> None:
        """Build a release of the shipped graph."""
        command = [*AKG, "index", "build"]
        subprocess.run(command, cwd=CHECKOUT, env=self.environ(), check=True, capture_output=True)

    def graph(self) -> Graph:
        """What the live release holds."""
        with self.client as client:
            ((index, body),) = client.indices.get_mapping(index=self.alias).items()
            stats: dict[str, Any] = client.indices.stats(index=index, metric="store,docs")["indices"][index][
                "primaries"
            ]
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
    with tempfile.TemporaryDirectory(prefix="akg-bench-") as name:
        folder = Path(name)
        try:
            running = node.start(folder, cache=node.default_cache(), http_port=0, console=console)
            yield Engine(str(running.url), "akg-entities", folder)
        finally:
            node.stop(folder)
