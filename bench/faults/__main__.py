"""Inject faults into a cluster under load, and count wrong and lost responses: `make chaos`.

    python -m bench.faults --only manager-killed --seed 7

runs one fault. The program starts all processes on free loopback ports of this machine, and always ends them.
"""

import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from akg.console import stderr
from akg.interrupts import INTERRUPTED
from bench.faults.faults import CONNECTIONS, PROCESSES, Fault
from bench.faults.operators import MISSING, OPERATORS, clock_jumped, library, movable_clock
from bench.faults.report import markdown, page
from bench.faults.testbed import Options, Testbed, set_up
from bench.faults.trials import run_soak, run_trial
from bench.processes import process_guard
from tests.support.fixture_graphs import CHECKOUT

TEMPLATE = Path(__file__).with_name("page.md")
SOAK = "soak"
MINUTES = 30.0
ALL_STEPS = 10_000

console = Console(highlight=False)


def main(  # noqa: PLR0913, PLR0917 - one argument per option
    only: Annotated[list[str] | None, typer.Option(help="Run this fault only; repeatable.")] = None,
    seed: Annotated[int, typer.Option(help="Seed that selects the targets and the moments.")] = 1,
    rounds: Annotated[int, typer.Option(min=1, help="How often each fault runs.")] = 1,
    seconds: Annotated[float, typer.Option(min=1, help="Duration of each fault.")] = 15.0,
    soak: Annotated[float | None, typer.Option(min=0, help="Minutes of the soak test; 30, or 0 with --only.")] = None,
    content: Annotated[Path, typer.Option(help="Tables to publish.")] = CHECKOUT / "content",
    heap: Annotated[str, typer.Option(help="Heap of each node.")] = "400m",
    steps: Annotated[
        int, typer.Option(min=1, help="Moments at which the indexer is killed; default: all.")
    ] = ALL_STEPS,
    output_folder: Annotated[Path, typer.Option("--out", help="Folder of the report.")] = CHECKOUT / "build" / "chaos",
    page_path: Annotated[Path | None, typer.Option("--page", help="Page to render from the report.")] = None,
) -> None:
    """Inject faults into a cluster of three nodes under load, and report wrong and lost responses."""
    selected = tuple(only or ())
    minutes = soak if soak is not None else (MINUTES if not selected or SOAK in selected else 0.0)
    options = Options(selected, seed, rounds, seconds, minutes, content, heap, steps)
    try:
        report = asyncio.run(chaos(options))
    except KeyboardInterrupt:
        stderr.print("Interrupted; all processes have ended.", style="yellow")
        raise typer.Exit(INTERRUPTED) from None
    output_folder.mkdir(parents=True, exist_ok=True)
    (output_folder / "report.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (output_folder / "report.md").write_text(markdown(report), "utf-8")
    if page_path:
        page_path.write_text(page(TEMPLATE.read_text("utf-8"), report), "utf-8")
    console.print(Markdown(markdown(report)))
    passed = all(result["passed"] for result in (*report["trials"], *filter(None, [report["soak"]])))
    raise typer.Exit(0 if passed else 1)


async def chaos(options: Options) -> dict[str, Any]:
    """Set up the testbed, run the selected faults and the soak test, and clean up."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        process_guard() as guard,
        tempfile.TemporaryDirectory() as name,
        Progress(*columns, console=stderr) as progress,
    ):
        faults = _selected(options.only, (*PROCESSES, *CONNECTIONS, *OPERATORS))
        clock_settings, skipped = _clock_settings(faults, Path(name))
        planned = [(turn, fault) for turn in range(options.rounds) for fault in faults if fault.name not in skipped]
        task = progress.add_task("", total=len(planned) + bool(options.soak))

        def report_step(text: str) -> None:
            progress.update(task, description=text)
            if not stderr.is_terminal:
                stderr.print(text, markup=False)

        async with AsyncExitStack() as exit_stack:
            testbed = await set_up(options, Path(name), clock_settings, report_step, guard, exit_stack)
            async with asyncio.TaskGroup() as group:
                group.create_task(testbed.load.run())
                trials = []
                for turn, fault in planned:
                    report_step(f"{fault.name}: {fault.description}")
                    testbed.rng.seed(f"{options.seed}/{turn}/{fault.name}")
                    trials.append(await run_trial(testbed, fault, options.seed))
                    progress.advance(task)
                    _print_result(trials[-1])
                soak = await run_soak(testbed, options.soak, report_step) if options.soak else None
                testbed.load.ended = True
            return _report(options, testbed, trials, soak, skipped)


def _clock_settings(faults: Sequence[Fault], folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the environment of the service with the movable clock, and the reason for each fault that is skipped."""
    names = [fault.name for fault in faults if fault.action is clock_jumped]
    if not names:
        return {}, {}
    if library() is None:
        return {}, dict.fromkeys(names, MISSING)
    return movable_clock(folder).settings, {}


def _selected(only: Sequence[str], faults: Sequence[Fault]) -> list[Fault]:
    names = (*(fault.name for fault in faults), SOAK)
    for name in only:
        if name not in names:
            raise typer.BadParameter(f"unknown fault {name!r}; valid: {', '.join(names)}")
    return [fault for fault in faults if not only or fault.name in only]


def _print_result(result: dict[str, Any]) -> None:
    verdicts = ", ".join(f"{number:,} {name}" for name, number in result["verdicts"].items() if number)
    outcome = "passed" if result["passed"] else "FAILED"
    summary = (
        f"{result['name']}: {outcome}; {verdicts}; {result['failed_reads']} of {result['reads']:,} reads failed; "
        f"recovered in {result['recovery_seconds']:.1f} s. {'; '.join(result['notes'])}"
    )
    lines = [
        summary,
        *(f"  {line}" for line in (*result["lost"], *result["failures"], *result["evidence"])),
        *(f"  {number} × {reason}" for reason, number in result["reasons"].items()),
    ]
    stderr.print("\n".join(lines), markup=False)


def _report(
    options: Options,
    testbed: Testbed,
    trials: list[dict[str, Any]],
    soak: dict[str, Any] | None,
    skipped: dict[str, str],
) -> dict[str, Any]:
    live = next(release for release in testbed.releases.complete_releases() if release.live)
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
