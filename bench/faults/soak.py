"""Half an hour of questions while releases come and go: nothing may be wrong, memory and handles may not grow."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import psutil

from bench.faults.figures import MEGABYTE, grown, quantile
from bench.faults.load import Watch
from bench.faults.response_check import FAULTS, Verdict
from bench.faults.testbed import LAST

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.faults.services import Ended
    from bench.faults.testbed import Stage, Which

EVERY = 5.0  # seconds between two looks at the processes
COMPLAINTS = 12


@dataclass(slots=True)
class Growth:
    """What one process held at each look: megabytes, and open files and sockets."""

    rss: list[tuple[float, float]] = field(default_factory=list)
    uss: list[tuple[float, float]] = field(default_factory=list)
    handles: list[tuple[float, float]] = field(default_factory=list)

    def look(self, process: psutil.Process, at: float) -> None:
        """Read it once more."""
        try:
            memory = process.memory_full_info()
            handles = process.num_fds()
        except psutil.Error:
            return
        self.rss.append((at, memory.rss / MEGABYTE))
        self.uss.append((at, memory.uss / MEGABYTE))
        self.handles.append((at, float(handles)))

    def summary(self) -> dict[str, dict[str, float | bool]]:
        """First, last and growth per hour of each, after the warm-up."""
        return {
            name: grown(points) for name, points in (("rss", self.rss), ("uss", self.uss), ("handles", self.handles))
        }


@dataclass(frozen=True, slots=True)
class Soaked:
    """What came of it."""

    minutes: float
    operations: dict[str, int]
    verdicts: dict[str, int]
    reads: int
    failed_reads: int
    p50_ms: float
    p99_ms: float
    lost: list[str]
    failures: list[str]
    complaints: dict[str, int]
    evidence: list[str]
    growth: dict[str, dict[str, dict[str, float | bool]]]
    held: dict[str, bool]

    def summary(self) -> dict[str, object]:
        """As the report has it."""
        return {**asdict(self), "passed": all(self.held.values())}


async def soaked(stage: Stage, minutes: float, say: Callable[[str], None]) -> Soaked:
    """Ask, build, roll back, apply and undo for so long."""
    stage.failures.clear()
    watch = stage.load.watch = Watch()
    growth: defaultdict[str, Growth] = defaultdict(Growth)
    done: Counter[str] = Counter()
    ends = time.monotonic() + 60 * minutes
    looking = asyncio.create_task(_look(stage, growth))
    try:
        for name, leads_to, deed in itertools.cycle(_operations(stage)):
            if time.monotonic() > ends:
                break
            left = (ends - time.monotonic()) / 60
            say(f"Soak: {name}, {left:.0f} min left, {watch.reads:,} reads, {watch.failed} failed")
            ended = await stage.operate(leads_to, deed)
            done[name] += 1
            stage.insist(not ended.code, f"{name} fails: {ended.said[-300:]}")
    finally:
        looking.cancel()
    lost = await asyncio.to_thread(stage.lost, set())
    return _report(stage, watch, growth, done, minutes, lost)


def _operations(stage: Stage) -> tuple[tuple[str, Which, Callable[[], Ended]], ...]:
    """What the operator does in turn, and which release is live after it."""
    workspace, other = stage.workspace, 1 - LAST[0]
    return (
        ("build", (other, False), partial(workspace.build, other)),
        ("rollback", LAST, partial(workspace.run, "index", "rollback")),
        ("apply", (LAST[0], True), workspace.apply),
        ("undo", LAST, partial(workspace.run, "synonyms", "undo")),
    )


async def _look(stage: Stage, growth: dict[str, Growth]) -> None:
    """Read all processes now and then."""
    running = [(one.name, one.process) for one in stage.services]
    running += [(one.name, one.process) for one in stage.cluster.nodes]
    watched = {name: psutil.Process(process.pid) for name, process in running if process}
    began = time.monotonic()
    while True:
        for name, process in watched.items():
            growth[name].look(process, time.monotonic() - began)
        await asyncio.sleep(EVERY)


def _report(
    stage: Stage, watch: Watch, growth: dict[str, Growth], done: Counter[str], minutes: float, lost: list[str]
) -> Soaked:
    grew = {name: one.summary() for name, one in growth.items()}
    memory = all(one[kind]["flat"] for one in grew.values() for kind in ("uss", "handles"))
    held = {
        "0 wrong, mixed, late or broken answers": not any(watch.verdicts[one] for one in FAULTS),
        "every read answered": not watch.failed,
        "memory and handles flat": memory,
        "nothing published was lost": not lost,
        "commands ended as they must": not stage.failures,
    }
    return Soaked(
        minutes=minutes,
        operations=dict(done),
        verdicts={one.value: watch.verdicts[one] for one in Verdict},
        reads=watch.reads,
        failed_reads=watch.failed,
        p50_ms=round(1000 * quantile(watch.seconds, 0.5), 1),
        p99_ms=round(1000 * quantile(watch.seconds, 0.99), 1),
        lost=lost,
        failures=list(stage.failures),
        complaints=dict(watch.complaints.most_common(COMPLAINTS)),
        evidence=list(watch.evidence),
        growth=grew,
        held=held,
    )
