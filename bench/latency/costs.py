"""One-time costs: start-up, builds compared with plain `_bulk` requests of the same documents, memory and disk."""

import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping

import httpx
import psutil

from akg import node
from api.settings import Settings
from bench.bulk import StoredBatches, plain_bulk
from bench.latency.interleaved import StartStage, spread
from bench.latency.report import Costs, Footprint, PartResult
from bench.latency.services import SETTINGS, Engine, Memory, memory
from indexer.release.plan import placement, with_placement
from tests.support.fixture_graphs import CHECKOUT, plan_of
from tests.support.serving import AKG, free_port

FIRST_REQUEST = "/search?query=adhd"
START_SECONDS = 300.0
POLL_SECONDS = 0.02  # between two checks whether a program responds
MEMORY_POLL_SECONDS = 0.2


def measure(engine: Engine, rounds: int, progress: StartStage) -> PartResult:
    """Measure on a temporary node, because builds publish releases and the node is restarted.

    Builds and plain bulk requests take turns. The first of each only warms up OpenSearch.
    """
    step = progress("Costs", 5 * rounds + 3)
    builds, bulks, peaks = [], [], []
    step("encoding documents")
    settings = Settings()
    plan = with_placement(plan_of(CHECKOUT / "content"), placement(settings.index_shards, settings.index_replicas))
    with tempfile.TemporaryFile() as file, engine.client as client:
        stored = StoredBatches.write(plan.documents, file)
        for number in range(rounds + 1):
            step("akg index build")
            seconds, peak = _build(engine, "--from-scratch")
            step("plain bulk")
            bulk = plain_bulk(client, "akg-bench-bare", plan.body, stored).merged
            if number:
                builds.append(seconds)
                bulks.append(bulk)
                peaks.append(peak)
    rebuilds = []
    for _ in range(rounds):
        step("akg index build without changes")
        seconds, peak = _build(engine)
        rebuilds.append(seconds)
        peaks.append(peak)
    warm_starts = [start_seconds("serve", engine.environ(), step) for _ in range(rounds)]
    cold_starts = [_cold_start_seconds(engine, step) for _ in range(rounds)]
    costs = Costs(
        start_serve=spread(warm_starts),
        start_up=spread(cold_starts),
        build=spread(builds),
        bulk=spread(bulks),
        build_share=spread([bulk / built for bulk, built in zip(bulks, builds, strict=True)]),
        documents=sum(documents for documents, _ in stored.sizes),
        bulk_mb=round(stored.megabytes, 1),
        index_mb=engine.graph().index_mb,
        rebuild=spread(rebuilds),
    )
    peak = Memory(max(peak.rss for peak in peaks), max(peak.uss for peak in peaks))
    return PartResult(costs=costs, memory=[Footprint("akg index build", "at most", *peak.rounded)])


def _build(engine: Engine, *options: str) -> tuple[float, Memory]:
    peak = Memory(0, 0)
    began = time.perf_counter()
    with subprocess.Popen(
        [*AKG, "index", "build", "--force", *options],
        cwd=CHECKOUT,
        env=engine.environ(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        while process.poll() is None:
            try:
                now = memory(process.pid)
            except psutil.Error:  # the process has ended
                break
            peak = Memory(max(peak.rss, now.rss), max(peak.uss, now.uss))
            time.sleep(MEMORY_POLL_SECONDS)
        _, stderr = process.communicate()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, "akg index build", stderr=stderr)
    return time.perf_counter() - began, peak


def start_seconds(command: str, environ: Mapping[str, str], step: Callable[..., None]) -> float:
    """Start `akg serve` or `akg up`; return the seconds until its first response."""
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
                        raise TimeoutError(f"akg {command} did not respond.")
                    time.sleep(POLL_SECONDS)
                return time.perf_counter() - began
            finally:
                process.terminate()


def _responds(client: httpx.Client) -> bool:
    try:
        return client.get(FIRST_REQUEST).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def _cold_start_seconds(engine: Engine, step: Callable[..., None]) -> float:
    """Return the start time of `akg up` with the node stopped; the node runs again afterwards."""
    assert engine.folder is not None
    node.stop(engine.folder)
    environ = {name: value for name, value in engine.environ().items() if name != "AKG_OPENSEARCH_URL"}
    try:
        return start_seconds("up", environ, step)
    finally:
        node.start(engine.folder, cache=node.default_cache(), http_port=engine.port)
