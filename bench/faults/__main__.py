"""Break things under load, and count what was lost: `make chaos`.

    python -m bench.faults --only manager-killed --seed 7

tries one thing. It starts everything it needs on this machine, on free ports of loopback, and leaves nothing behind,
however it ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from akg.node import default_cache
from bench.faults.faults import LINES, PROCESSES, Fault
from bench.faults.load import CLIENTS
from bench.faults.operators import (
    MISSING,
    archive_corrupted,
    at_another_time,
    clock_jumped,
    disk_full,
    library,
    manager_killed_in_swap,
    releases_swapped,
)
from bench.faults.report import markdown, page
from bench.faults.services import leash
from bench.faults.soak import soaked
from bench.faults.steps import indexer_killed
from bench.faults.testbed import Plan, set_up
from bench.faults.trials import tried
from tests.support.fixture_graphs import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.faults.services import Leash
    from bench.faults.soak import Soaked
    from bench.faults.testbed import Stage
    from bench.faults.trials import Result

TEMPLATE = Path(__file__).with_name("page.md")
SOAK = "soak"
MINUTES = 30.0
INTERRUPTED = 130
ALL_STEPS = 10_000

out = Console(highlight=False)
notes = Console(stderr=True, highlight=False)


def operators(steps: int, held: Leash) -> tuple[Fault, ...]:
    """What goes wrong around commands."""
    return (
        Fault("manager-killed-in-swap", "kill -9 of the manager during a build", manager_killed_in_swap, keeps=False),
        Fault("indexer-killed", "kill -9 of the indexer at each step", partial(indexer_killed, most=steps, leash=held)),
        Fault("disk-full", "no disk has room: writes are blocked", disk_full, keeps=False),
        Fault("releases-swapped", "another release live several times a second", releases_swapped, keeps=False),
        Fault("archive-corrupted", "downloads that arrive damaged", archive_corrupted),
        Fault("clock-jumped", "clocks jump months ahead and back", clock_jumped, keeps=False),
    )


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the run."""

    only: tuple[str, ...]
    seed: int
    rounds: int
    seconds: float
    soak: float
    content: Path
    heap: str
    clients: int
    steps: int
    folder: Path


def main(  # noqa: PLR0913, PLR0917 - one argument per option
    only: Annotated[list[str] | None, typer.Option(help="Try this one only; may be given several times.")] = None,
    seed: Annotated[int, typer.Option(help="Decides what is hit, and when.")] = 1,
    rounds: Annotated[int, typer.Option(min=1, help="How often each fault is tried.")] = 1,
    seconds: Annotated[float, typer.Option(min=1, help="How long each fault lasts.")] = 15.0,
    soak: Annotated[float | None, typer.Option(min=0, help="Minutes of soak; 30, or none with --only.")] = None,
    content: Annotated[Path, typer.Option(help="Tables to publish.")] = CHECKOUT / "content",
    heap: Annotated[str, typer.Option(help="Heap of each node.")] = "400m",
    clients: Annotated[int, typer.Option(min=1, help="Clients that ask all the while.")] = CLIENTS,
    steps: Annotated[
        int, typer.Option(min=1, help="Moments at which the indexer is killed; all unless given.")
    ] = ALL_STEPS,
    folder: Annotated[Path, typer.Option("--out", help="Where the report goes.")] = CHECKOUT / "build" / "chaos",
    drawn: Annotated[Path | None, typer.Option("--page", help="Page to draw of it.")] = None,
) -> None:
    """Break a cluster of three nodes in many ways under load, and tell what was lost."""
    chosen = tuple(only or ())
    minutes = soak if soak is not None else (MINUTES if not chosen or SOAK in chosen else 0.0)
    options = Options(chosen, seed, rounds, seconds, minutes, content, heap, clients, steps, folder)
    try:
        report = asyncio.run(chaos(options))
    except KeyboardInterrupt:
        notes.print("Interrupted; nothing that was begun is left behind.", style="yellow")
        raise typer.Exit(INTERRUPTED) from None
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (folder / "report.md").write_text(markdown(report), "utf-8")
    if drawn:
        drawn.write_text(page(TEMPLATE.read_text("utf-8"), report), "utf-8")
    out.print(Markdown(markdown(report)))
    passed = all(one["passed"] for one in (*report["trials"], *filter(None, [report["soak"]])))
    raise typer.Exit(0 if passed else 1)


async def chaos(options: Options) -> dict[str, Any]:
    """Set everything up, try every chosen fault, soak, and clear up."""
    with leash() as held, tempfile.TemporaryDirectory() as name, _progress() as progress:
        faults = _chosen(options.only, (*PROCESSES, *LINES, *operators(options.steps, held)))
        clocked, skipped = _clock(faults, Path(name))
        todo = [(turn, fault) for turn in range(options.rounds) for fault in faults if fault.name not in skipped]
        task = progress.add_task("", total=len(todo) + bool(options.soak))

        def say(what: str) -> None:
            progress.update(task, description=what)
            if not notes.is_terminal:
                notes.print(what, markup=False)

        plan = Plan(
            *(Path(name), options.content, default_cache(), options.heap),
            *(options.clients, options.seconds, clocked, say),
        )
        async with AsyncExitStack() as undo:
            stage = await set_up(plan, options.seed, held, undo)
            async with asyncio.TaskGroup() as group:
                group.create_task(stage.load.run())
                trials = []
                for turn, fault in todo:
                    say(f"{fault.name}: {fault.says}")
                    stage.chance.seed(f"{options.seed}/{turn}/{fault.name}")
                    trials.append(await tried(stage, fault, options.seed))
                    progress.advance(task)
                    _tell(progress, trials[-1])
                soak = await soaked(stage, options.soak, say) if options.soak else None
                stage.load.ended = True
            return _report(options, stage, trials, soak, skipped)


def _clock(faults: Sequence[Fault], folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The settings of the service whose clock can be moved; and why a fault cannot be tried."""
    wanted = [fault.name for fault in faults if fault.deed is clock_jumped]
    if not wanted:
        return {}, {}
    if library() is None:
        return {}, dict.fromkeys(wanted, MISSING)
    return at_another_time(folder).settings, {}


def _chosen(only: Sequence[str], faults: Sequence[Fault]) -> list[Fault]:
    """The requested faults; all of them by default."""
    names = [fault.name for fault in faults]
    for name in only:
        if name not in (*names, SOAK):
            raise typer.BadParameter(f"there is no fault {name!r}; there are {', '.join((*names, SOAK))}")
    return [fault for fault in faults if not only or fault.name in only]


def _tell(progress: Progress, result: Result) -> None:
    verdict_counts = ", ".join(f"{number:,} {name}" for name, number in result.verdicts.items() if number)
    manner = "held" if result.passed else "NOT HELD"
    progress.console.print(
        f"{result.name}: {manner}; {verdict_counts}; {result.failed_reads} of {result.reads:,} reads failed; "
        f"recovered in {result.recovery_seconds:.1f} s. {'; '.join(result.notes)}",
        markup=False,
        highlight=False,
    )
    for line in (*result.lost, *result.failures):
        progress.console.print(f"  {line}", markup=False, highlight=False)
    for line in result.evidence:
        progress.console.print(f"  {line}", markup=False, highlight=False)
    for what, number in result.complaints.items():
        progress.console.print(f"  {number} × {what}", markup=False, highlight=False)


def _report(
    options: Options, stage: Stage, trials: Sequence[Result], soak: Soaked | None, skipped: dict[str, str]
) -> dict[str, Any]:
    live = next(one for one in stage.releases.complete_releases() if one.live)
    return {
        "seed": options.seed,
        "ended": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "rounds": options.rounds,
        "seconds": options.seconds,
        "heap": options.heap,
        "processors": os.cpu_count(),
        "entities": live.entities,
        "trials": [trial.summary() for trial in trials],
        "soak": soak.summary() if soak else None,
        "skipped": skipped,
    }


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=notes)


if __name__ == "__main__":
    typer.run(main)
