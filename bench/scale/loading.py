"""Load a world into OpenSearch, as a streamed release or as plain `_bulk` requests with the same documents.

The input is written to disk beforehand: the rows of the world, or encoded bulk requests. Each runs as a separate
process, so that its peak memory is measured separately: `python -m bench.scale.loading stream …`.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from opensearchpy import OpenSearch

from akg.build import gc_disabled
from akg.console import MEGABYTE
from api.engine.client import FastSerializer
from bench.bulk import StoredBatches, plain_bulk
from bench.scale.stream import Counts, Part, parts, read_parts, stream, write_parts
from bench.scale.synthetic_graph import World, source
from indexer.documents.facts import source_line
from indexer.release.plan import DOCUMENTS_VERSION, ReleasePlan, Versions, placement, with_placement, with_rules
from indexer.release.publish import publish_release
from indexer.release.releases import Releases
from indexer.synonyms.lint import require_valid_rules
from indexer.synonyms.rules import rules_and_problems
from schema.synonyms import rule_lines
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS, index_body

TIMEOUT_SECONDS = 600


def plan_of(world: World, stored_parts: Iterable[Part] | None = None) -> tuple[ReleasePlan, Counts]:
    vocabulary = read_vocabulary(MAPPINGS)
    rules = require_valid_rules(*rules_and_problems(MAPPINGS / "synonyms"))
    counted, body = Counts(), index_body()
    versions = Versions.from_inputs(world.version, rules, body)
    meta = {  # the counts are filled later
        "data_version": world.version,
        "counts": {"types": counted.types, "edges": counted.edges},
        "sources": [source_line(source())],
        "core_sources": [source().id],
        "groupings": [],
        "sides": {},
        "side_words": [],
        "body_parts": [],
        "hidden_names": {},
        "examples": counted.examples,
        "synonyms_version": versions.synonyms_version,
        "form": versions.form,
        "documents_version": DOCUMENTS_VERSION,
        "rules": rule_lines(rules),
        "replaced": [],
        "rules_since": None,
    }
    documents = stream(world, vocabulary, counted, stored_parts)
    plan = ReleasePlan(with_rules(body, rules), documents, counted.expected(vocabulary), meta)
    return with_placement(plan, placement(1, "0")), counted


def streamed(client: OpenSearch, alias: str, world: World) -> dict[str, Any]:
    """Build, verify and publish a release of the world; return the durations and the peak memory.

    `documents_per_second` counts the time of sending only; `seconds` includes the merge.
    """
    sent = 0.0

    def on_documents(documents: int) -> None:
        nonlocal sent
        if documents:  # 0 during the merge
            sent = time.perf_counter() - began

    with tempfile.TemporaryFile() as ready:
        write_parts(parts(world), ready)
        plan, counted = plan_of(world, read_parts(ready))
        began = time.perf_counter()
        index = publish_release(Releases(client, alias), plan, datetime.now(UTC), on_documents)
        total_seconds = time.perf_counter() - began
    return {
        "index": index,
        "documents": counted.documents,
        "edges": sum(counted.edges.values()),
        "sent_seconds": round(sent, 1),
        "seconds": round(total_seconds, 1),
        "documents_per_second": round(counted.documents / sent),
        "peak_mb": peak(),
    }


def bare(client: OpenSearch, alias: str, world: World) -> dict[str, Any]:
    """Send all encoded documents from disk; return the durations.

    The merge into one segment, as in a release, is measured separately.
    """
    with tempfile.TemporaryFile() as rows, tempfile.TemporaryFile() as ready:
        write_parts(parts(world), rows)
        plan, counted = plan_of(world, read_parts(rows))
        began = time.perf_counter()
        stored = StoredBatches.write(plan.documents, ready)
        created = time.perf_counter() - began
        times = plain_bulk(client, f"{alias}-bare", plan.body, stored)
    sent = times.sent - times.created
    return {
        "documents": counted.documents,
        "megabytes": round(stored.megabytes),
        "made_per_second": round(counted.documents / created),
        "sent_seconds": round(sent, 1),
        "seconds": round(times.merged - times.created, 1),
        "documents_per_second": round(counted.documents / sent),
    }


def peak() -> float:
    """Return the peak memory of this process in MB.

    `ru_maxrss` is not used, because it includes the memory of the parent process before `exec`.
    """
    (line,) = [one for one in Path("/proc/self/status").read_text("utf-8").splitlines() if one.startswith("VmHWM")]
    return round(int(line.split()[1]) * 1024 / MEGABYTE)


def main() -> None:
    """Load a world and print JSON. Arguments: `stream` or `bare`, URL, alias, entities, seed."""
    what, url, alias, entities, seed = sys.argv[1:]
    world = World.from_size(int(entities), int(seed))
    client = OpenSearch(hosts=[url], timeout=TIMEOUT_SECONDS, serializer=FastSerializer())
    actions: dict[str, Callable[[], dict[str, Any]]] = {
        "stream": partial(streamed, client, alias, world),
        "bare": partial(bare, client, alias, world),
    }
    with gc_disabled():  # as `akg index build` does it
        print(json.dumps(actions[what]()))


if __name__ == "__main__":
    main()
