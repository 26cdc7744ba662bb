"""What is paid once: starting, building beside a bare bulk of the same documents, memory, and room on the disk."""

from __future__ import annotations

import subprocess
import tempfile
import time
from typing import TYPE_CHECKING

import httpx
import psutil

from akg import node
from api.settings import Settings
from bench.bulk import StoredBatches, bare_bulk
from bench.latency.interleaved import spread
from bench.latency.report import Costs, Footprint, Measured
from bench.latency.services import SETTINGS, Engine, Memory, memory
from bench.processes import AKG
from indexer.release.plan import placement, with_placement
from tests.support.fixture_graphs import CHECKOUT, plan_of
from tests.support.serving import free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FIRST = "/search?query=adhd"
START_SECONDS = 300.0
LOOK_SECONDS = 0.02  # between two looks whether a program responds
MEMORY_LOOK_SECONDS = 0.2


def measure(engine: Engine, rounds: int, progress: Callable[[str, int], Callable[..., None]]) -> Measured:
    """Measure on a node of this run's own: builds publish releases, and the node is stopped and started.

    Builds and bare bulks take turns. The first of each only warms OpenSearch up.
    """
    step = progress("Costs", 5 * rounds + 3)
    builds, bulks, peaks = [], [], []
    step("documents as they are sent")
    settings = Settings()
    plan = with_placement(plan_of(CHECKOUT / "content"), placement(settings.index_shards, settings.index_replicas))
    with tempfile.TemporaryFile() as file, engine.client as client:
        stored = StoredBatches.write(plan.documents, file)
        for number in range(rounds + 1):
            step("akg index build")
            seconds, peak = _build(engine, "--from-scratch")
            step("bare bulk")
            bare = bare_bulk(client, "akg-bench-bare", plan.body, stored).merged
            if number:
                builds.append(seconds)
                bulks.append(bare)
                peaks.append(peak)
    rebuilds = []
    for _ in range(rounds):
        step("akg index build, where nothing changed")
        seconds, peak = _build(engine)
        rebuilds.append(seconds)
        peaks.append(peak)
    serving = [started("serve", engine.environ(), step) for _ in range(rounds)]
    cold = [_cold(engine, step) for _ in range(rounds)]
    costs = Costs(
        start_serve=spread(serving),
        start_up=spread(cold),
        build=spread(builds),
        bulk=spread(bulks),
        build_share=spread([bare / built for bare, built in zip(bulks, builds, strict=True)]),
        documents=sum(documents for documents, _ in stored.sizes),
        bulk_mb=round(stored.megabytes, 1),
        index_mb=engine.graph().index_mb,
        rebuild=spread(rebuilds),
    )
    most = Memory(max(one.rss for one in peaks), max(one.uss for one in peaks))
    return Measured(costs=costs, memory=[Footprint("akg index build", "at most", *most.rounded)])


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
            time.sleep(MEMORY_LOOK_SECONDS)
        _, said = process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, "akg index build", stderr=said)
    return time.perf_counter() - began, most


def started(command: str, environ: Mapping[str, str], step: Callable[..., None]) -> float:
    """Seconds from `akg serve` or `akg up` to its first response; it is ended then."""
    step(f"akg {command}")
    port = free_port()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=10) as client:
        began = time.perf_counter()
        with subprocess.Popen(
            [*AKG, command, "--port", str(port)],
            cwd=CHECKOUT,
            env={**environ, **SETTINGS},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                while not _responds(client):
                    if process.poll() is not None or time.perf_counter() - began > START_SECONDS:
                        raise TimeoutError(f"akg {command} gave no answer.")
                    time.sleep(LOOK_SECONDS)
                return time.perf_counter() - began
            finally:
                process.terminate()


def _responds(client: httpx.Client) -> bool:
    try:
        return client.get(FIRST).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def _cold(engine: Engine, step: Callable[..., None]) -> float:
    """The same for `akg up` while the node does not run; afterwards the node runs again."""
    assert engine.folder is not None
    node.stop(engine.folder)
    environ = {name: value for name, value in engine.environ().items() if name != "AKG_OPENSEARCH_URL"}
    try:
        return started("up", environ, step)
    finally:
        node.start(engine.folder, cache=node.default_cache(), http_port=engine.port)
