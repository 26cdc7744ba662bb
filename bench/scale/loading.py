"""A world into the engine: by the release's own streaming path, and as a bare `_bulk` of the same documents.

What each begins with lies ready on the disk: the rows of the world, or the lines of bulk requests. Each runs as a
process of its own, so that the peak of its memory is its own: `python -m bench.scale.loading stream …`.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opensearchpy import OpenSearch

from akg.build import add_precomputed, gc_disabled
from api.engine.client import FastSerializer
from bench.bulk import MEGABYTE, StoredBatches, bare_bulk
from bench.scale.stream import Counted, keep, kept, parts, stream
from bench.scale.synthetic_graph import World, source
from indexer.documents.record import source_line
from indexer.release.plan import DOCUMENTS_VERSION, ReleasePlan, Versions, placement, with_placement, with_rules
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from indexer.synonyms.rules import read_rules
from schema.synonyms import rule_lines
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS, index_body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bench.scale.stream import Part

PATIENCE = 600


def plan_of(world: World, made_of: Iterable[Part] | None = None) -> tuple[ReleasePlan, Counted]:
    """The plan of a release of this world. What must be true of it is counted while it is written."""
    vocabulary, rules = read_vocabulary(MAPPINGS), read_rules(MAPPINGS / "synonyms")
    counted, body = Counted(), index_body()
    versions = Versions.from_inputs(world.version, rules, body)
    meta = {  # the counts fill while the documents are written
        "data_version": world.version,
        "counts": {"types": counted.types, "edges": counted.edges},
        "sources": [source_line(source())],
        "core_sources": [source().id],
        "examples": counted.examples,
        "synonyms_version": versions.synonyms_version,
        "form": versions.form,
        "documents_version": DOCUMENTS_VERSION,
        "rules": rule_lines(rules),
        "replaced": [],
        "rules_since": None,
    }
    written = add_precomputed(stream(world, vocabulary, counted, made_of))
    plan = ReleasePlan(with_rules(body, rules), written, counted.expected(vocabulary), meta)
    return with_placement(plan, placement(1, "0")), counted


def streamed(client: OpenSearch, alias: str, world: World) -> dict[str, Any]:
    """Build, verify and publish a release of the world; how fast that was, and how much memory it took.

    Documents a second while they are sent; the seconds are of all, the merge among it.
    """
    sent = 0.0

    def on_documents(documents: int) -> None:
        nonlocal sent
        if documents:  # of 0 it hears while the merge runs
            sent = time.perf_counter() - began

    with tempfile.TemporaryFile() as ready:
        keep(parts(world), ready)
        plan, counted = plan_of(world, kept(ready))
        began = time.perf_counter()
        index = publish_release(Releases(client, alias), plan, datetime.now(UTC), on_documents)
        whole = time.perf_counter() - began
    return {
        "index": index,
        "documents": counted.documents,
        "edges": sum(counted.edges.values()),
        "sent_seconds": round(sent, 1),
        "seconds": round(whole, 1),
        "documents_per_second": round(counted.documents / sent),
        "peak_mb": peak(),
    }


def bare(client: OpenSearch, alias: str, world: World) -> dict[str, Any]:
    """Send all documents, which lie ready on the disk as `_bulk` takes them; how fast that was.

    They are merged into one segment then, timed apart, for a release is one segment too.
    """
    with tempfile.TemporaryFile() as rows, tempfile.TemporaryFile() as ready:
        keep(parts(world), rows)
        plan, counted = plan_of(world, kept(rows))
        began = time.perf_counter()
        stored = StoredBatches.write(plan.documents, ready)
        made = time.perf_counter() - began
        took = bare_bulk(client, f"{alias}-bare", plan.body, stored)
    sent = took.sent - took.made
    return {
        "documents": counted.documents,
        "megabytes": round(stored.megabytes),
        "made_per_second": round(counted.documents / made),
        "sent_seconds": round(sent, 1),
        "seconds": round(took.merged - took.made, 1),
        "documents_per_second": round(counted.documents / sent),
    }


def peak() -> float:
    """The most memory that this program ever held, in MB.

    The system's own count of that (`ru_maxrss`) begins with what the program held that started it.
    """
    (line,) = [one for one in Path("/proc/self/status").read_text("utf-8").splitlines() if one.startswith("VmHWM")]
    return round(int(line.split()[1]) * 1024 / MEGABYTE)


def main() -> None:
    """`stream` or `bare`, then address, alias, entities and seed; prints JSON."""
    what, url, alias, entities, seed = sys.argv[1:]
    world = World.of(int(entities), int(seed))
    client = OpenSearch(hosts=[url], timeout=PATIENCE, serializer=FastSerializer())
    deeds: dict[str, Callable[[], dict[str, Any]]] = {
        "stream": partial(streamed, client, alias, world),
        "bare": partial(bare, client, alias, world),
    }
    with gc_disabled():  # as `akg index build` does it
        print(json.dumps(deeds[what]()))


if __name__ == "__main__":
    main()
