"""One run: the OpenSearch node, the parts in their order, the machine, and the report of all results."""

from __future__ import annotations

import platform
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from bench.latency import costs, routes, versus
from bench.latency.interleaved import load_client
from bench.latency.report import LeftOut, Machine, Report
from bench.latency.services import Engine, own_engine

GIGABYTE = 1_000_000_000


class Clock:
    """Started at the beginning of a run; tells of the machine at its end."""

    def __init__(self) -> None:
        self._began = datetime.now(UTC)
        self._ticks = time.perf_counter()
        self._load = psutil.getloadavg()[0]

    def machine(self) -> Machine:
        """The machine, and the time since the beginning."""
        return Machine(
            began=self._began.strftime("%Y-%m-%d %H:%M UTC"),
            seconds=round(time.perf_counter() - self._ticks, 1),
            processor=processor(),
            cores=psutil.cpu_count() or 1,
            memory_gb=round(psutil.virtual_memory().total / GIGABYTE, 1),
            system=f"{platform.system()} {platform.release()}",
            python=platform.python_version(),
            load=(round(self._load, 2), round(psutil.getloadavg()[0], 2)),
        )


def processor() -> str:
    """The model as the system names it, or the kind."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.console import Console

    from bench.latency.interleaved import Pace
    from bench.latency.report import Footprint

    Stage = Callable[[str, int], Callable[..., None]]

ROUTES, PEERS, COSTS = "routes", "peers", "costs"
PARTS = (ROUTES, PEERS, COSTS)  # starts come last: they stop the node, which would have to warm up again


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
    clock = Clock()
    found: list[routes.Measured | versus.Measured] = []
    paid, left_out = None, []
    with _engine(order, console, stage) as engine, load_client() as client:
        if ROUTES in order.parts:
            found.append(routes.measure(engine, client, order.routes, order.pace, stage))
        if PEERS in order.parts:
            found.append(versus.measure(engine, client, order.pace, stage))
        if COSTS in order.parts and engine.folder is None:
            left_out.append(LeftOut("starting and building", "they need a node of the run's own"))
        elif COSTS in order.parts:
            paid = costs.measure(engine, order.pace.rounds, stage)
        graph = engine.graph()
    return Report(
        machine=clock.machine(),
        graph=graph,
        rounds=order.pace.rounds,
        turn_seconds=order.pace.seconds,
        in_flight=list(order.pace.levels),
        routes=[route for one in found if isinstance(one, routes.Measured) for route in one.routes],
        peers=[peer for one in found if isinstance(one, versus.Measured) for peer in one.peers],
        costs=paid.costs if paid else None,
        memory=[*(paid.memory if paid else ()), *_once(one for part in found for one in part.memory)],
        left_out=[*left_out, *(one for part in found for one in part.left_out)],
    )


def _once(footprints: Iterable[Footprint]) -> list[Footprint]:
    """One of each program, the first."""
    kept: dict[str, Footprint] = {}
    for one in footprints:
        kept.setdefault(one.program, one)
    return list(kept.values())


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
