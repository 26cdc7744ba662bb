"""What the indexer itself holds in memory while it turns tables into documents, part by part; no engine is needed.

    PYTHONPATH=tests/bench:tests/engine python -m scale.holding 12000 120000

Each size is a process of its own. Collections are off, as they are while a release is built.
"""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from scale.stream import whole
from scale.tables import write_tables
from scale.world import World
from worlds import MAPPINGS

from indexer.documents import documents
from indexer.export import export_documents
from indexer.graph import build_graph
from indexer.ledger import Ledger
from indexer.sources import read
from indexer.vocabulary import read_vocabulary

MEGABYTE = 1_000_000
ONE = "--one"


def held(tables: Path) -> dict[str, Any]:
    """Megabytes after each part of a build that keeps something, the most that there ever were, and the seconds."""
    gc.disable()
    vocabulary = read_vocabulary(MAPPINGS)
    found: dict[str, Any] = {}
    began = time.perf_counter()

    def note(name: str) -> None:
        now = psutil.Process().memory_info().rss / MEGABYTE
        found[name] = {"mb": round(now), "seconds": round(time.perf_counter() - began, 1)}

    note("imports")
    content = read(tables, vocabulary)
    note("rows of the tables")
    graph = build_graph(content, vocabulary)
    note("graph")
    forward = vocabulary.forward
    ledger, count = Ledger(forward), 0
    for _, body in documents(graph, vocabulary):
        count += 1
        if count == 1:
            note("cards, likeness and heirs")
        ledger.enter(body)
    note("documents gone by, ledger")
    count += sum(1 for _ in export_documents(graph, vocabulary))
    note("export")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE
    return {"entities": len(graph.nodes), "documents": count, "parts": found, "peak_mb": round(peak)}


def main() -> None:
    """Sizes on the command line; prints one line of JSON for each."""
    if sys.argv[1] == ONE:
        print(json.dumps(held(Path(sys.argv[2]))))
        return
    for entities in map(int, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as name:
            write_tables(whole(World.of(entities)), Path(name) / "content")
            command = [sys.executable, "-m", "scale.holding", ONE, str(Path(name) / "content")]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
