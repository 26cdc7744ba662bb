"""What is paid once: starting, building beside a bare bulk of the same documents, memory, and room on the disk."""

from __future__ import annotations

import http.client
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import psutil

from akg import node
from akg.build import add_precomputed
from api.settings import Settings, content_folder, mappings_folder
from bench.latency.interleaved import spread
from bench.latency.report import Costs, Footprint
from bench.latency.services import AKG, CHECKOUT, MEGABYTE, SETTINGS, Engine, Memory, memory
from indexer.content.loader import load_content
from indexer.release.bulk import SENDERS, TIMEOUT_SECONDS, batches, encode_documents
from indexer.release.plan import make_plan, placement, with_placement
from indexer.synonyms.rules import read_rules
from schema.vocabulary import read_vocabulary
from tests.support.serving import free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from indexer.release.plan import ReleasePlan

INDEX = "akg-bench-bare"
FIRST = "/search?query=adhd"
OK = 200
STARTS = 300.0  # seconds that a start may take
LOOKS = 0.02  # seconds between two looks


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of it."""

    costs: Costs
    memory: list[Footprint]


def measure(engine: Engine, rounds: int, progress: Callable[[str, int], Callable[..., None]]) -> Measured:
    """Measure on an engine of this run's own: builds publish releases, and the node is stopped and started.

    The first build, and the first bare bulk, only warm the engine up.
    """
    step = progress("Costs", 5 * rounds + 3)
    builds, bulks, peaks, size, count = _builds(engine, rounds, step)
    rebuilds = []
    for _ in range(rounds):
        step("akg index build, where nothing changed")
        seconds, peak = _build(engine)
        rebuilds.append(seconds)
        peaks.append(peak)
    serving = [started(["serve"], engine.environ(), step) for _ in range(rounds)]
    cold = [_cold(engine, step) for _ in range(rounds)]
    costs = Costs(
        start_serve=spread(serving),
        start_up=spread(cold),
        build=spread(builds),
        bulk=spread(bulks),
        build_share=spread([bare / built for bare, built in zip(bulks, builds, strict=True)]),
        documents=count,
        bulk_mb=round(size / MEGABYTE, 1),
        index_mb=engine.graph().index_mb,
        rebuild=spread(rebuilds),
    )
    most = Memory(max(one.rss for one in peaks), max(one.uss for one in peaks))
    return Measured(costs, [Footprint("akg index build", "at most", *most.rounded)])


def _builds(
    engine: Engine, rounds: int, step: Callable[..., None]
) -> tuple[list[float], list[float], list[Memory], int, int]:
    """Builds and bare bulks in turns: seconds of each, memory of the builds, bytes and number of the documents."""
    builds, bulks, peaks = [], [], []
    with tempfile.TemporaryDirectory(prefix="akg-bench-") as folder:
        step("documents as they are sent")
        plan, batches, count = _dumped(Path(folder))
        size = sum(path.stat().st_size for path in batches)
        for number in range(rounds + 1):
            step("akg index build")
            seconds, peak = _build(engine, "--from-scratch")
            step("bare bulk")
            bare = _bulk(engine, plan.body, batches)
            if number:
                builds.append(seconds)
                bulks.append(bare)
                peaks.append(peak)
    return builds, bulks, peaks, size, count


def _dumped(folder: Path) -> tuple[ReleasePlan, list[Path], int]:
    """The documents of the shipped graph as bodies of bulk requests, as many in each as the indexer sends."""
    settings = Settings()
    mappings = mappings_folder(settings)
    vocabulary = read_vocabulary(mappings)
    body: dict[str, Any] = orjson.loads((mappings / "entities.json").read_bytes())
    content = load_content(content_folder(settings), vocabulary)
    plan, _ = make_plan(content, vocabulary, body, read_rules(mappings / "synonyms"))
    plan = with_placement(plan, placement(settings.index_shards, settings.index_replicas))
    paths: list[Path] = []
    count = 0
    for batch in batches(encode_documents(add_precomputed(plan.documents))):
        path = folder / f"{len(paths)}.ndjson"
        path.write_bytes(batch.lines)
        paths.append(path)
        count += batch.documents
    return plan, paths, count


def _build(engine: Engine, *options: str) -> tuple[float, Memory]:
    """Seconds of the whole command, and the most memory that it held."""
    most = Memory(0, 0)
    began = time.perf_counter()
    with subprocess.Popen(
        [*AKG, "index", "build", *options],
        cwd=CHECKOUT,
        env=engine.environ(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        while process.poll() is None:
            try:
                now = memory(process.pid)
            except psutil.Error:  # it has just ended
                break
            most = Memory(max(most.rss, now.rss), max(most.uss, now.uss))
            time.sleep(LOOKS * 10)
        _, said = process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, "akg index build", stderr=said)
    return time.perf_counter() - began, most


def _bulk(engine: Engine, body: Mapping[str, Any], batches: list[Path]) -> float:
    """Seconds to make an index of the same form, send all batches, as many at once, and merge as the indexer does."""
    with engine.client as client:
        client.indices.delete(index=INDEX, params={"ignore_unavailable": "true"})
        began = time.perf_counter()
        client.indices.create(index=INDEX, body=dict(body))
        with ThreadPoolExecutor(SENDERS) as senders:
            list(senders.map(lambda path: _sent(engine, path.read_bytes()), batches))
        client.indices.forcemerge(index=INDEX, params={"max_num_segments": 1, "request_timeout": TIMEOUT_SECONDS})
        client.indices.refresh(index=INDEX)
        client.indices.flush(index=INDEX)
        seconds = time.perf_counter() - began
        client.indices.delete(index=INDEX)
    return seconds


def _sent(engine: Engine, body: bytes) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", engine.port, timeout=TIMEOUT_SECONDS)
    connection.request("POST", f"/{INDEX}/_bulk?filter_path=errors", body, {"Content-Type": "application/x-ndjson"})
    answer = connection.getresponse().read()
    connection.close()
    if orjson.loads(answer)["errors"]:
        raise ValueError("The engine refused documents of the bare bulk.")


def started(words: list[str], environ: Mapping[str, str], step: Callable[..., None]) -> float:
    """Seconds from the command to its first answer; it is ended then."""
    step(f"akg {words[0]}")
    port = free_port()
    began = time.perf_counter()
    with ExitStack() as stack:
        process = stack.enter_context(
            subprocess.Popen(
                [*AKG, *words, "--port", str(port)],
                cwd=CHECKOUT,
                env={**environ, **SETTINGS},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        stack.callback(process.terminate)
        while not _answers(port):
            if process.poll() is not None or time.perf_counter() - began > STARTS:
                raise TimeoutError(f"akg {words[0]} gave no answer.")
            time.sleep(LOOKS)
        return time.perf_counter() - began


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", FIRST)
        return connection.getresponse().status == OK
    except OSError:
        return False
    finally:
        connection.close()


def _cold(engine: Engine, step: Callable[..., None]) -> float:
    """The same for `akg up` while the node does not run; afterwards the node runs again."""
    assert engine.folder is not None
    node.stop(engine.folder)
    environ = {name: value for name, value in engine.environ().items() if name != "AKG_OPENSEARCH_URL"}
    try:
        return started(["up"], environ, step)
    finally:
        node.start(engine.folder, cache=node.default_cache(), http_port=engine.port)
