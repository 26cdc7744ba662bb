"""One fault under load, or a soak: every response is judged all the while, and at the end nothing may be lost.

In a soak, releases come and go for half an hour; memory and handles may not grow.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import statistics
import time
from collections import Counter, defaultdict
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import psutil

from bench.faults.cluster import ClusterError
from bench.faults.load import Watch
from bench.faults.response_check import FAULTS, UntrueError, Verdict
from bench.faults.testbed import LAST
from bench.figures import percentile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bench.faults.cluster import Node
    from bench.faults.faults import Fault
    from bench.faults.testbed import Stage, Which
    from bench.processes import Ended, Service

BEFORE_SECONDS = 3.0  # of load before a fault
CALM_SECONDS = 3.0  # without any trouble: recovered
MAX_WAIT_SECONDS = 30.0  # until that
RECOVERY_SECONDS = 10.0  # the goal
MAX_COMPLAINTS = 12  # that a report repeats
LOOK_SECONDS = 5.0  # between two looks at the processes
HOUR_SECONDS = 3600.0
MEGABYTE = 1e6
WARM_UP_SHARE = 0.25  # of the looks at the beginning that are left out: caches fill, code gets compiled
FLAT_SHARE = 0.1  # growth over the rest of the time, as a share of where it began, that still counts as flat
FLAT = 8.0  # megabytes or handles of growth that count as flat in any case
Points = list[tuple[float, float]]  # seconds since the beginning, and the value
Growth = defaultdict[str, dict[str, Points]]  # process → kind of value → its values


async def run_trial(stage: Stage, fault: Fault, seed: int) -> dict[str, Any]:
    """Let one fault happen, wait until everything is as it was, and return the result."""
    stage.notes.clear()
    stage.failures.clear()
    watch = stage.load.watch = Watch()
    before = {one.index for one in await asyncio.to_thread(stage.releases.complete_releases)}
    await asyncio.sleep(BEFORE_SECONDS)
    stage.breaks("")
    stage.notes.clear()
    try:
        await fault.deed(stage)
        await asyncio.to_thread(stage.cluster.await_whole)
    except (ClusterError, UntrueError, AssertionError) as error:
        stage.failures.append(str(error)[-1000:])
    await _calm(watch)
    lost = await asyncio.to_thread(stage.lost, before if fault.keeps else set())
    causes = [stage.broken_at, stage.mended_at] if fault.from_the_start else [stage.mended_at]
    seconds = recovery(watch.troubles, causes, CALM_SECONDS)
    goals = {
        "0 reads failed after the retry": not fault.survived or not watch.failed,
        f"recovered within {RECOVERY_SECONDS:.0f} s": seconds <= RECOVERY_SECONDS,
    }
    about = {"name": fault.name, "says": fault.says, "seed": seed, "recovery_seconds": round(seconds, 2)}
    return {**about, "notes": [note for note in stage.notes if note], **_judged(stage, watch, lost, goals)}


async def _calm(watch: Watch) -> None:
    """Wait until nothing has gone wrong for a while."""
    since = time.monotonic()
    while time.monotonic() < since + MAX_WAIT_SECONDS:
        await asyncio.sleep(CALM_SECONDS / 4)
        last = watch.troubles[-1][1] if watch.troubles else since
        if time.monotonic() - max(last, since) > CALM_SECONDS:
            return


def recovery(troubles: Iterable[tuple[float, float]], causes: Sequence[float], calm: float) -> float:
    """The most seconds that something was wrong at a stretch after the first cause; 0 where nothing was.

    Each trouble is when a request began and when it ended. A stretch ends where nothing goes wrong for `calm` seconds.
    It is counted from the cause that came up to `calm` seconds before it, and else from its own beginning.
    """
    longest, start, well = 0.0, min(causes), -math.inf
    for began, ended in sorted(troubles):
        if ended <= min(causes):
            continue
        if began - well >= calm:
            start = max((cause for cause in causes if cause <= began < cause + calm), default=max(began, min(causes)))
        well = max(well, ended)
        longest = max(longest, well - start)
    return longest


async def run_soak(stage: Stage, minutes: float, say: Callable[[str], None]) -> dict[str, Any]:
    """Build, roll back, apply and undo under load for so long, and return the result."""
    stage.failures.clear()
    watch = stage.load.watch = Watch()
    growth: Growth = defaultdict(lambda: {"rss": [], "uss": [], "handles": []})
    done: Counter[str] = Counter()
    ends = time.monotonic() + 60 * minutes
    looking = asyncio.create_task(_look(stage, growth))
    try:
        for name, leads_to, deed in itertools.cycle(_operations(stage)):
            if time.monotonic() > ends:
                break
            left = (ends - time.monotonic()) / 60
            say(f"Soak: {name}, {left:.0f} min left, {watch.reads:,} reads, {watch.failed} failed")
            stage.expect_success(await stage.operate(leads_to, deed), name)
            done[name] += 1
    finally:
        looking.cancel()
    lost = await asyncio.to_thread(stage.lost, set())
    grew = {name: {kind: grown(points) for kind, points in kinds.items()} for name, kinds in growth.items()}
    goals = {
        "every read answered": not watch.failed,
        "memory and handles flat": all(one[kind]["flat"] for one in grew.values() for kind in ("uss", "handles")),
    }
    return {"minutes": minutes, "operations": dict(done), "growth": grew, **_judged(stage, watch, lost, goals)}


def _operations(stage: Stage) -> tuple[tuple[str, Which, Callable[[], Ended]], ...]:
    """The operator's commands in turn, and which release is live after each."""
    workspace, other = stage.workspace, 1 - LAST[0]
    return (
        ("build", (other, False), partial(workspace.build, other)),
        ("rollback", LAST, partial(workspace.run, "index", "rollback")),
        ("apply", (LAST[0], True), workspace.apply),
        ("undo", LAST, partial(workspace.run, "synonyms", "undo")),
    )


async def _look(stage: Stage, growth: Growth) -> None:
    """Note the memory and the open files and sockets of all processes now and then."""
    running: list[Service | Node] = [*stage.services, *stage.cluster.nodes]
    watched = {one.name: psutil.Process(one.process.pid) for one in running if one.process}
    began = time.monotonic()
    while True:
        for name, process in watched.items():
            kinds, at = growth[name], time.monotonic() - began
            with suppress(psutil.Error):
                memory, handles = process.memory_full_info(), process.num_fds()
                kinds["rss"].append((at, memory.rss / MEGABYTE))
                kinds["uss"].append((at, memory.uss / MEGABYTE))
                kinds["handles"].append((at, float(handles)))
        await asyncio.sleep(LOOK_SECONDS)


def slope(points: Points) -> float:
    """The least-squares growth per hour; nan for fewer than two moments."""
    try:
        fitted = statistics.linear_regression([at for at, _ in points], [value for _, value in points])
    except statistics.StatisticsError:
        return math.nan
    return HOUR_SECONDS * fitted.slope


def grown(points: Points) -> dict[str, float | bool]:
    """How a value changed after the warm-up, and whether that is flat."""
    steady = points[int(len(points) * WARM_UP_SHARE) :]
    if not steady:
        return {"flat": False}
    first, per_hour = steady[0][1], slope(steady)
    over_all = per_hour * (steady[-1][0] - steady[0][0]) / HOUR_SECONDS
    flat = len(steady) > 1 and over_all <= max(FLAT, FLAT_SHARE * first)
    return {"first": round(first, 1), "last": round(steady[-1][1], 1), "per_hour": round(per_hour, 1), "flat": flat}


def _judged(stage: Stage, watch: Watch, lost: list[str], goals: dict[str, bool]) -> dict[str, Any]:
    """The part of a result that trials and soaks share; `goals` are those of one kind."""
    held = {
        "0 wrong, mixed, late or broken answers": not any(watch.verdicts[one] for one in FAULTS),
        **goals,
        "nothing published was lost": not lost,
        "commands ended as they must": not stage.failures,
    }
    return {
        "verdicts": {one.value: watch.verdicts[one] for one in Verdict},
        "reads": watch.reads,
        "failed_reads": watch.failed,
        "p50_ms": round(1000 * percentile(watch.seconds, 0.5), 1),
        "p99_ms": round(1000 * percentile(watch.seconds, 0.99), 1),
        "lost": lost,
        "failures": list(stage.failures),
        "complaints": dict(watch.complaints.most_common(MAX_COMPLAINTS)),
        "evidence": list(watch.evidence),
        "held": held,
        "passed": all(held.values()),
    }
