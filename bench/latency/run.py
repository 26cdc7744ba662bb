"""Run the benchmark: start OpenSearch, measure the parts in order, and return the report."""

import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil
from rich.console import Console

from akg.console import GIGABYTE
from bench.latency import costs, peer_races, routes
from bench.latency.interleaved import Pace, StartStage, load_client
from bench.latency.report import Machine, PartResult, Report, Skipped
from bench.latency.services import Engine, scratch_engine

ROUTES, PEERS, COSTS = "routes", "peers", "costs"
PARTS = (ROUTES, PEERS, COSTS)  # costs come last: they restart the node, which loses its caches


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run; an empty `engine` means a temporary node."""

    parts: Sequence[str]
    routes: Sequence[str]
    pace: Pace
    engine: str
    alias: str


def measure(options: RunOptions, console: Console, stage: StartStage) -> Report:
    began, load = datetime.now(UTC), psutil.getloadavg()[0]
    results: list[PartResult] = []
    with _engine(options, console, stage) as engine, load_client() as client:
        if ROUTES in options.parts:
            results.append(routes.measure(engine, client, options.routes, options.pace, stage))
        if PEERS in options.parts:
            results.append(peer_races.measure(engine, client, options.pace, stage))
        if COSTS in options.parts and engine.folder is None:
            results.insert(0, PartResult(skipped=[Skipped("start-up and builds", "they need a temporary node")]))
        elif COSTS in options.parts:
            results.insert(0, costs.measure(engine, options.pace.rounds, stage))
        graph = engine.graph()
    # the first value of each program
    footprints = {item.program: item for part in reversed(results) for item in part.memory}
    return Report(
        machine=_machine(began, load),
        graph=graph,
        rounds=options.pace.rounds,
        turn_seconds=options.pace.seconds,
        in_flight=list(options.pace.levels),
        routes=[route for part in results for route in part.routes],
        peers=[peer for part in results for peer in part.peers],
        costs=next((part.costs for part in results if part.costs), None),
        memory=[footprints[name] for name in dict.fromkeys(item.program for part in results for item in part.memory)],
        skipped=[item for part in results for item in part.skipped],
    )


def _machine(began: datetime, load: float) -> Machine:
    """Return the machine, the duration and the load averages."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text("utf-8").splitlines() if cpuinfo.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return Machine(
        began=began.strftime("%Y-%m-%d %H:%M UTC"),
        seconds=round((datetime.now(UTC) - began).total_seconds(), 1),
        processor=next(models, platform.machine()),
        cores=psutil.cpu_count() or 1,
        memory_gb=round(psutil.virtual_memory().total / GIGABYTE, 1),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        load=(round(load, 2), round(psutil.getloadavg()[0], 2)),
    )


@contextmanager
def _engine(options: RunOptions, console: Console, stage: StartStage) -> Iterator[Engine]:
    if options.engine:
        yield Engine(options.engine, options.alias)
        return
    with scratch_engine(console) as engine:
        step = stage("Building the graph", 1)
        engine.build()
        step()
        yield engine
