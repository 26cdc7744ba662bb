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
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench.faults.faults import LINES, PROCESSES, Fault
from bench.faults.operators import MISSING, OPERATORS, clock_jumped, library, movable_clock
from bench.faults.report import markdown, page
from bench.faults.testbed import Options, Stage, set_up
from bench.faults.trials import run_soak, run_trial
from bench.processes import leash
from tests.support.fixture_graphs import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Sequence

TEMPLATE = Path(__file__).with_name("page.md")
SOAK = "soak"
MINUTES = 30.0
INTERRUPTED = 130
ALL_STEPS = 10_000

out = Console(highlight=False)
notes = Console(stderr=True, highlight=False)


def main(  # noqa: PLR0913, PLR0917 - one argument per option
    only: Annotated[list[str] | None, typer.Option(help="Try this one only; may be given several times.")] = None,
    seed: Annotated[int, typer.Option(help="Decides what is hit, and when.")] = 1,
    rounds: Annotated[int, typer.Option(min=1, help="How often each fault is tried.")] = 1,
    seconds: Annotated[float, typer.Option(min=1, help="How long each fault lasts.")] = 15.0,
    soak: Annotated[float | None, typer.Option(min=0, help="Minutes of soak; 30, or none with --only.")] = None,
    content: Annotated[Path, typer.Option(help="Tables to publish.")] = CHECKOUT / "content",
    heap: Annotated[str, typer.Option(help="Heap of each node.")] = "400m",
    steps: Annotated[
        int, typer.Option(min=1, help="Moments at which the indexer is killed; all unless given.")
    ] = ALL_STEPS,
    folder: Annotated[Path, typer.Option("--out", help="Where the report goes.")] = CHECKOUT / "build" / "chaos",
    drawn: Annotated[Path | None, typer.Option("--page", help="Page to draw of it.")] = None,
) -> None:
    """Break a cluster of three nodes in many ways under load, and report what was lost."""
    chosen = tuple(only or ())
    minutes = soak if soak is not None else (MINUTES if not chosen or SOAK in chosen else 0.0)
    options = Options(chosen, seed, rounds, seconds, minutes, content, heap, steps)
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
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with leash() as held, tempfile.TemporaryDirectory() as name, Progress(*columns, console=notes) as progress:
        faults = _chosen(options.only, (*PROCESSES, *LINES, *OPERATORS))
        clocked, skipped = _clock(faults, Path(name))
        todo = [(turn, fault) for turn in range(options.rounds) for fault in faults if fault.name not in skipped]
        task = progress.add_task("", total=len(todo) + bool(options.soak))

        def say(what: str) -> None:
            progress.update(task, description=what)
            if not notes.is_terminal:
                notes.print(what, markup=False)

        async with AsyncExitStack() as undo:
            stage = await set_up(options, Path(name), clocked, say, held, undo)
            async with asyncio.TaskGroup() as group:
                group.create_task(stage.load.run())
                trials = []
                for turn, fault in todo:
                    say(f"{fault.name}: {fault.says}")
                    stage.chance.seed(f"{options.seed}/{turn}/{fault.name}")
                    trials.append(await run_trial(stage, fault, options.seed))
                    progress.advance(task)
                    _print_result(trials[-1])
                soak = await run_soak(stage, options.soak, say) if options.soak else None
                stage.load.ended = True
            return _report(options, stage, trials, soak, skipped)


def _clock(faults: Sequence[Fault], folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The settings of the service whose clock can be moved; and why a fault cannot be tried."""
    names = [fault.name for fault in faults if fault.deed is clock_jumped]
    if not names:
        return {}, {}
    if library() is None:
        return {}, dict.fromkeys(names, MISSING)
    return movable_clock(folder).settings, {}


def _chosen(only: Sequence[str], faults: Sequence[Fault]) -> list[Fault]:
    names = (*(fault.name for fault in faults), SOAK)
    for name in only:
        if name not in names:
            raise typer.BadParameter(f"there is no fault {name!r}; there are {', '.join(names)}")
    return [fault for fault in faults if not only or fault.name in only]


def _print_result(result: dict[str, Any]) -> None:
    verdicts = ", ".join(f"{number:,} {name}" for name, number in result["verdicts"].items() if number)
    manner = "held" if result["passed"] else "NOT HELD"
    summary = (
        f"{result['name']}: {manner}; {verdicts}; {result['failed_reads']} of {result['reads']:,} reads failed; "
        f"recovered in {result['recovery_seconds']:.1f} s. {'; '.join(result['notes'])}"
    )
    lines = [
        summary,
        *(f"  {line}" for line in (*result["lost"], *result["failures"], *result["evidence"])),
        *(f"  {number} × {complaint}" for complaint, number in result["complaints"].items()),
    ]
    notes.print("\n".join(lines), markup=False)


def _report(
    options: Options, stage: Stage, trials: list[dict[str, Any]], soak: dict[str, Any] | None, skipped: dict[str, str]
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
        "trials": trials,
        "soak": soak,
        "skipped": skipped,
    }


if __name__ == "__main__":
    typer.run(main)
