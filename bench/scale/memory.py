"""What the indexer itself holds in memory while it turns tables into documents, part by part; no engine is needed.

    python -m bench.scale.memory 12000 120000

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

from bench.scale.stream import whole
from bench.scale.synthetic_graph import World
from bench.scale.tables import write_tables
from indexer.content.loader import load_content
from indexer.documents.builder import build_documents
from indexer.export.documents import export_documents
from indexer.graph.build import build_graph
from indexer.release.changes import Fingerprints
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS

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
    content = load_content(tables, vocabulary)
    note("rows of the tables")
    graph = build_graph(content, vocabulary)
    note("graph")
    forward = frozenset(vocabulary.forward)
    ledger, count = Fingerprints(forward), 0
    for _, body in build_documents(graph, vocabulary):
        count += 1
        if count == 1:
            note("cards, likeness and heirs")
        ledger.add_document(body)
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
            command = [sys.executable, "-m", "bench.scale.memory", ONE, str(Path(name) / "content")]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
