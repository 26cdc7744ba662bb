"""One run: the OpenSearch node, the parts in their order, the machine, and the report of all results."""

from __future__ import annotations

import platform
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from bench.latency import costs, routes, versus
from bench.latency.interleaved import load_client
from bench.latency.report import LeftOut, Machine, Measured, Report
from bench.latency.services import Engine, own_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

    from bench.latency.interleaved import Pace

    Stage = Callable[[str, int], Callable[..., None]]

ROUTES, PEERS, COSTS = "routes", "peers", "costs"
PARTS = (ROUTES, PEERS, COSTS)  # starts come last: they stop the node, which would have to warm up again
GIGABYTE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be measured, how, and on which engine; an empty address is a node of this run's own."""

    parts: Sequence[str]
    routes: Sequence[str]
    pace: Pace
    engine: str
    alias: str


def measure(order: Order, console: Console, stage: Stage) -> Report:
    """Measure everything that was ordered."""
    began, load = datetime.now(UTC), psutil.getloadavg()[0]
    found: list[Measured] = []
    with _engine(order, console, stage) as engine, load_client() as client:
        if ROUTES in order.parts:
            found.append(routes.measure(engine, client, order.routes, order.pace, stage))
        if PEERS in order.parts:
            found.append(versus.measure(engine, client, order.pace, stage))
        if COSTS in order.parts and engine.folder is None:
            found.insert(0, Measured(left_out=[LeftOut("starting and building", "they need a node of the run's own")]))
        elif COSTS in order.parts:
            found.insert(0, costs.measure(engine, order.pace.rounds, stage))
        graph = engine.graph()
    footprints = {one.program: one for part in reversed(found) for one in part.memory}  # the first of each program
    return Report(
        machine=_machine(began, load),
        graph=graph,
        rounds=order.pace.rounds,
        turn_seconds=order.pace.seconds,
        in_flight=list(order.pace.levels),
        routes=[route for part in found for route in part.routes],
        peers=[peer for part in found for peer in part.peers],
        costs=next((part.costs for part in found if part.costs), None),
        memory=[footprints[name] for name in dict.fromkeys(one.program for part in found for one in part.memory)],
        left_out=[one for part in found for one in part.left_out],
    )


def _machine(began: datetime, load: float) -> Machine:
    """The machine, and the time and load since the beginning."""
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
def _engine(order: Order, console: Console, stage: Stage) -> Iterator[Engine]:
    if order.engine:
        yield Engine(order.engine, order.alias)
        return
    with own_engine(console) as engine:
        step = stage("Building the graph", 1)
        engine.build()
        step()
        yield engine
