"""One fault, tried under load: all the while every answer is judged, and at the end nothing may be lost."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from bench.faults.cluster import ClusterError
from bench.faults.figures import quantile, recovery
from bench.faults.load import Watch
from bench.faults.response_check import FAULTS, UntrueError, Verdict

if TYPE_CHECKING:
    from bench.faults.faults import Fault
    from bench.faults.testbed import Stage

BEFORE = 3.0  # seconds of load before a fault
CALM = 3.0  # seconds without any trouble: recovered
AFTER = 30.0  # seconds at most until that
RECOVERS = 10.0  # seconds, the goal
COMPLAINTS = 12  # that a report repeats


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one trial. `held` says whether each goal was."""

    name: str
    says: str
    seed: int
    notes: list[str]
    verdicts: dict[str, int]
    reads: int
    failed_reads: int
    recovery_seconds: float
    p50_ms: float
    p99_ms: float
    lost: list[str]
    failures: list[str]
    complaints: dict[str, int]
    evidence: list[str]
    held: dict[str, bool]

    @property
    def passed(self) -> bool:
        """Whether all goals were held."""
        return all(self.held.values())

    def summary(self) -> dict[str, object]:
        """As the report has it."""
        return {**asdict(self), "passed": self.passed}


async def tried(stage: Stage, fault: Fault, seed: int) -> Result:
    """Let one fault happen, and wait until everything is as it was."""
    stage.notes.clear()
    stage.failures.clear()
    watch = stage.load.watch = Watch()
    before = {one.index for one in await asyncio.to_thread(stage.releases.complete_releases)}
    await asyncio.sleep(BEFORE)
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
    return judged(fault, seed, stage, watch, recovery(watch.troubles, causes, CALM), lost)


async def _calm(watch: Watch) -> None:
    """Wait until nothing has gone wrong for a while."""
    ends = time.monotonic() + AFTER
    since = time.monotonic()
    while time.monotonic() < ends:
        await asyncio.sleep(CALM / 4)
        last = watch.troubles[-1][1] if watch.troubles else since
        if time.monotonic() - max(last, since) > CALM:
            return


def judged(fault: Fault, seed: int, stage: Stage, watch: Watch, seconds: float, lost: list[str]) -> Result:
    """The result of a trial, held against the goals."""
    verdicts = {one.value: watch.verdicts[one] for one in Verdict}
    held = {
        "0 wrong, mixed, late or broken answers": not any(watch.verdicts[one] for one in FAULTS),
        "0 reads failed after the retry": not fault.survived or not watch.failed,
        f"recovered within {RECOVERS:.0f} s": seconds <= RECOVERS,
        "nothing published was lost": not lost,
        "commands ended as they must": not stage.failures,
    }
    return Result(
        name=fault.name,
        says=fault.says,
        seed=seed,
        notes=[note for note in stage.notes if note],
        verdicts=verdicts,
        reads=watch.reads,
        failed_reads=watch.failed,
        recovery_seconds=round(seconds, 2),
        p50_ms=round(1000 * quantile(watch.seconds, 0.5), 1),
        p99_ms=round(1000 * quantile(watch.seconds, 0.99), 1),
        lost=lost,
        failures=list(stage.failures),
        complaints=dict(watch.complaints.most_common(COMPLAINTS)),
        evidence=list(watch.evidence),
        held=held,
    )
