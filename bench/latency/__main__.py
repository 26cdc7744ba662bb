"""Measure latency and throughput: `python -m bench.latency run`, then `python -m bench.latency page` draws the page."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from bench.latency.client import request
from bench.latency.interleaved import Pace, load_client
from bench.latency.page import render
from bench.latency.questions import ROUTES
from bench.latency.report import read, write
from bench.latency.running import PARTS, Order, measure
from bench.processes import draw_plots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEMPLATE = Path(__file__).with_name("page.md")
REPORT = Path(".akg/bench.json")
INTERRUPTED = 130
app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    help="How fast the service is, beside the engine and beside others.",
)
console = Console(stderr=True, highlight=False)

ReportOption = Annotated[Path, typer.Option("--report", help="File of the report.")]


@app.command()
def run(  # noqa: PLR0913, PLR0917 - one argument per option
    parts: Annotated[str, typer.Option(help=f"Which parts, with commas between: {', '.join(PARTS)}.")] = ",".join(
        PARTS
    ),
    routes: Annotated[str, typer.Option(help="Only routes whose name holds one of these, with commas between.")] = "",
    rounds: Annotated[int, typer.Option(min=1, max=50, help="Rounds that count; one more warms up.")] = 5,
    seconds: Annotated[float, typer.Option(min=0.05, max=30, help="Seconds of one turn.")] = 1.0,
    engine: Annotated[str, typer.Option(help="A running engine with a release. Empty: a node of this run's own.")] = "",
    alias: Annotated[str, typer.Option(help="The release in that engine.")] = "akg-entities",
    report: ReportOption = REPORT,
) -> None:
    """Measure, and write a report."""
    signal.signal(signal.SIGTERM, _end_gently)
    wanted = [name for name in ROUTES if any(part in name for part in routes.split(","))]
    order = Order(_chosen(parts), wanted, Pace(rounds, seconds), engine, alias)
    try:
        with _progress() as stage:
            write(measure(order, console, stage), report)
    except KeyboardInterrupt:
        console.print("Interrupted; what was started has ended, and no report was written.", style="yellow")
        raise typer.Exit(INTERRUPTED) from None
    console.print(f"Wrote {report}.")


def _chosen(parts: str) -> list[str]:
    chosen = [part.strip() for part in parts.split(",") if part.strip()]
    if unknown := [part for part in chosen if part not in PARTS]:
        raise typer.BadParameter(f"unknown part {unknown[0]!r}; valid: {', '.join(PARTS)}")
    return chosen


@app.command()
def page(
    report: ReportOption = REPORT,
    folder: Annotated[Path, typer.Option(help="Where the page, its figures and their report are put.")] = Path("docs"),
) -> None:
    """Draw the page of figures and its plots from a report, and put the report beside them."""
    found, data, drawn = read(report), folder / "benchmarks.json", folder / "benchmarks.md"
    write(found, data)
    drawn.write_text(render(TEMPLATE.read_text("utf-8"), found), "utf-8")
    for path in (data, drawn, *draw_plots(data, folder)):
        console.print(f"Wrote {path}.")


@app.command()
def ask(
    urls: Annotated[list[str], typer.Argument(help="Addresses on this machine, all of one service.")],
    in_flight: Annotated[int, typer.Option(min=1, max=1000, help="Concurrent requests.")] = 8,
    seconds: Annotated[float, typer.Option(min=0.05, max=600, help="For how long.")] = 5.0,
) -> None:
    """Ask the same addresses over and over, and say how fast they were answered: for profiles, and for a quick look."""
    parts = [urlsplit(url) for url in urls]
    paths = [f"{part.path}?{part.query}" if part.query else part.path for part in parts]
    with load_client() as client:
        contender = client.asking(parts[0].port or 80, [[request("GET", path)] for path in paths])
        turn = contender.ask(in_flight, seconds / 5, seconds)
    console.print(
        f"{turn.rate:,.0f} answers/s, p50 {turn.p50:.2f} ms, p99 {turn.p99:.2f} ms, {turn.failed} failed, "
        f"{turn.size / max(1, len(turn.micros)):,.0f} bytes each"
    )


@contextmanager
def _progress() -> Iterator[Callable[[str, int], Callable[..., None]]]:
    """Gives what begins a stage of so many steps, which gives what is called before each step."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as shown:

        def stage(name: str, steps: int) -> Callable[..., None]:
            task = shown.add_task(name, total=steps)

            def step(what: str = "") -> None:
                shown.update(task, advance=1, description=f"{name}: {what}" if what else name)

            return step

        yield stage


def _end_gently(*_: object) -> None:
    """SIGTERM ends a run as Ctrl-C does."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    app()
