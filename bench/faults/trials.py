"""Run one fault under load, or a soak test; check every response, and all releases at the end.

The soak test publishes releases for half an hour; memory and handles must not grow.
"""

import asyncio
import itertools
import math
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import psutil

from bench.faults.cluster import ClusterError, Node
from bench.faults.faults import Fault
from bench.faults.load import LoadResults
from bench.faults.response_check import WRONG_VERDICTS, BaselineError, Verdict
from bench.faults.testbed import BASE_RELEASE, ReleaseKey, Testbed
from bench.figures import percentile
from bench.processes import CommandResult, Service

BASELINE_SECONDS = 3.0  # of load before a fault
QUIET_SECONDS = 3.0  # without a failed request: recovered
MAX_WAIT_SECONDS = 30.0  # for the recovery
RECOVERY_SECONDS = 10.0  # the goal
MAX_REASONS = 12  # in a report
SAMPLE_SECONDS = 5.0  # between two samples of the processes
HOUR_SECONDS = 3600.0
MEGABYTE = 1e6
WARM_UP_SHARE = 0.25  # of the samples, excluded at the start: caches fill, code gets compiled
FLAT_SHARE = 0.1  # growth after the warm-up, as a share of the first value, that counts as flat
FLAT_GROWTH = 8.0  # growth in megabytes or handles that always counts as flat
Points = list[tuple[float, float]]  # seconds since the start, and the value
Samples = defaultdict[str, dict[str, Points]]  # process → kind of value → points


async def run_trial(testbed: Testbed, fault: Fault, seed: int) -> dict[str, Any]:
    """Run one fault, wait until the cluster and the service have recovered, and return the result."""
    testbed.notes.clear()
    testbed.failures.clear()
    results = testbed.load.results = LoadResults()
    before = {release.index for release in await asyncio.to_thread(testbed.releases.complete_releases)}
    await asyncio.sleep(BASELINE_SECONDS)
    testbed.begin_fault("")
    testbed.notes.clear()
    try:
        await fault.action(testbed)
        await asyncio.to_thread(testbed.cluster.await_green)
    except (ClusterError, BaselineError, AssertionError) as error:
        testbed.failures.append(str(error)[-1000:])
    await _await_quiet(results)
    losses = await asyncio.to_thread(testbed.find_losses, before if fault.keeps_releases else set())
    causes = [testbed.began_at, testbed.ended_at] if fault.counts_from_start else [testbed.ended_at]
    seconds = recovery(results.problems, causes, QUIET_SECONDS)
    goals = {
        "0 reads failed after the retry": not fault.survivable or not results.failed,
        f"recovered within {RECOVERY_SECONDS:.0f} s": seconds <= RECOVERY_SECONDS,
    }
    summary = {
        "name": fault.name,
        "description": fault.description,
        "seed": seed,
        "recovery_seconds": round(seconds, 2),
    }
    return {**summary, "notes": [note for note in testbed.notes if note], **_result(testbed, results, losses, goals)}


async def _await_quiet(results: LoadResults) -> None:
    since = time.monotonic()
    while time.monotonic() < since + MAX_WAIT_SECONDS:
        await asyncio.sleep(QUIET_SECONDS / 4)
        last_problem = results.problems[-1][1] if results.problems else since
        if time.monotonic() - max(last_problem, since) > QUIET_SECONDS:
            return


def recovery(problems: Iterable[tuple[float, float]], causes: Sequence[float], quiet: float) -> float:
    """Return the duration in seconds of the longest outage after the first cause; 0 without an outage.

    A problem is the start and end of a failed request. An outage ends when no request fails for `quiet` seconds. It
    starts at a cause up to `quiet` seconds before its first problem, else at its first problem.
    """
    longest, start, quiet_since = 0.0, min(causes), -math.inf
    for began, ended in sorted(problems):
        if ended <= min(causes):
            continue
        if began - quiet_since >= quiet:
            start = max((cause for cause in causes if cause <= began < cause + quiet), default=max(began, min(causes)))
        quiet_since = max(quiet_since, ended)
        longest = max(longest, quiet_since - start)
    return longest


async def run_soak(testbed: Testbed, minutes: float, report_step: Callable[[str], None]) -> dict[str, Any]:
    """Build, roll back, apply and undo under load for the given time, and return the result."""
    testbed.failures.clear()
    results = testbed.load.results = LoadResults()
    samples: Samples = defaultdict(lambda: {"rss": [], "uss": [], "handles": []})
    completed: Counter[str] = Counter()
    deadline = time.monotonic() + 60 * minutes
    sampling = asyncio.create_task(_sample_processes(testbed, samples))
    try:
        for name, key, action in itertools.cycle(_operations(testbed)):
            if time.monotonic() > deadline:
                break
            left = (deadline - time.monotonic()) / 60
            report_step(f"Soak: {name}, {left:.0f} min left, {results.reads:,} reads, {results.failed} failed")
            testbed.expect_success(await testbed.operate(key, action), name)
            completed[name] += 1
    finally:
        sampling.cancel()
    losses = await asyncio.to_thread(testbed.find_losses, set())
    growth = {name: {kind: growth_of(points) for kind, points in kinds.items()} for name, kinds in samples.items()}
    goals = {
        "every read succeeded": not results.failed,
        "memory and handles flat": all(
            values[kind]["flat"] for values in growth.values() for kind in ("uss", "handles")
        ),
    }
    return {
        "minutes": minutes,
        "operations": dict(completed),
        "growth": growth,
        **_result(testbed, results, losses, goals),
    }


def _operations(testbed: Testbed) -> tuple[tuple[str, ReleaseKey, Callable[[], CommandResult]], ...]:
    """Return the operator commands of one cycle with the live release after each."""
    workspace, changed = testbed.workspace, 1 - BASE_RELEASE[0]
    return (
        ("build", (changed, False), partial(workspace.build, changed)),
        ("rollback", BASE_RELEASE, partial(workspace.run, "index", "rollback")),
        ("apply", (BASE_RELEASE[0], True), workspace.apply),
        ("undo", BASE_RELEASE, partial(workspace.run, "synonyms", "undo")),
    )


async def _sample_processes(testbed: Testbed, samples: Samples) -> None:
    """Sample the memory and the open files and sockets of all processes until cancelled."""
    programs: list[Service | Node] = [*testbed.services, *testbed.cluster.nodes]
    processes = {program.name: psutil.Process(program.process.pid) for program in programs if program.process}
    began = time.monotonic()
    while True:
        for name, process in processes.items():
            kinds, at = samples[name], time.monotonic() - began
            with suppress(psutil.Error):
                memory, handles = process.memory_full_info(), process.num_fds()
                kinds["rss"].append((at, memory.rss / MEGABYTE))
                kinds["uss"].append((at, memory.uss / MEGABYTE))
                kinds["handles"].append((at, float(handles)))
        await asyncio.sleep(SAMPLE_SECONDS)


def slope(points: Points) -> float:
    """Return the least-squares slope per hour; nan for fewer than two points."""
    try:
        fitted = statistics.linear_regression([at for at, _ in points], [value for _, value in points])
    except statistics.StatisticsError:
        return math.nan
    return HOUR_SECONDS * fitted.slope


def growth_of(points: Points) -> dict[str, float | bool]:
    """Return the growth of a value after the warm-up, and whether it counts as flat."""
    steady = points[int(len(points) * WARM_UP_SHARE) :]
    if not steady:
        return {"flat": False}
    first, per_hour = steady[0][1], slope(steady)
    over_all = per_hour * (steady[-1][0] - steady[0][0]) / HOUR_SECONDS
    flat = len(steady) > 1 and over_all <= max(FLAT_GROWTH, FLAT_SHARE * first)
    return {"first": round(first, 1), "last": round(steady[-1][1], 1), "per_hour": round(per_hour, 1), "flat": flat}


def _result(testbed: Testbed, results: LoadResults, losses: list[str], goals: dict[str, bool]) -> dict[str, Any]:
    """Return the part of a result that faults and soak tests share; `goals` are the specific goals."""
    all_goals = {
        "0 wrong, mixed, late or broken responses": not any(results.verdicts[verdict] for verdict in WRONG_VERDICTS),
        **goals,
        "no release was lost": not losses,
        "all commands ended as expected": not testbed.failures,
    }
    return {
        "verdicts": {verdict.value: results.verdicts[verdict] for verdict in Verdict},
        "reads": results.reads,
        "failed_reads": results.failed,
        "p50_ms": round(1000 * percentile(results.seconds, 0.5), 1),
        "p99_ms": round(1000 * percentile(results.seconds, 0.99), 1),
        "lost": losses,
        "failures": list(testbed.failures),
        "reasons": dict(results.reasons.most_common(MAX_REASONS)),
        "evidence": list(results.evidence),
        "goals": all_goals,
        "passed": all(all_goals.values()),
    }
