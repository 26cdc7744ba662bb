"""Measure latency and throughput with `python -m bench.latency run`; render the page with the command `page`."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from akg.console import stderr
from akg.interrupts import INTERRUPTED
from bench.latency.interleaved import Pace, StartStage, load_client
from bench.latency.load_client import encode_request
from bench.latency.page import render
from bench.latency.report import read, write
from bench.latency.route_requests import ROUTES
from bench.latency.run import PARTS, RunOptions, measure
from bench.processes import draw_plots

TEMPLATE = Path(__file__).with_name("page.md")
REPORT = Path(".akg/bench.json")
app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    help="Measure latency and throughput of the service, OpenSearch and alternative programs.",
)

ReportOption = Annotated[Path, typer.Option("--report", help="Report file.")]


@app.command()
def run(  # noqa: PLR0913, PLR0917 - one argument per option
    parts: Annotated[str, typer.Option(help=f"Comma-separated parts: {', '.join(PARTS)}.")] = ",".join(PARTS),
    routes: Annotated[str, typer.Option(help="Comma-separated substrings of the names of routes; default: all.")] = "",
    rounds: Annotated[int, typer.Option(min=1, max=50, help="Measured rounds, after one warm-up round.")] = 5,
    seconds: Annotated[float, typer.Option(min=0.05, max=30, help="Duration of one turn.")] = 1.0,
    engine: Annotated[
        str, typer.Option(help="URL of an OpenSearch node with a release; default: a temporary node.")
    ] = "",
    alias: Annotated[str, typer.Option(help="AKG_ALIAS of the release on that node.")] = "akg-entities",
    report: ReportOption = REPORT,
) -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    selected = [name for name in ROUTES if any(part in name for part in routes.split(","))]
    options = RunOptions(_parse_parts(parts), selected, Pace(rounds, seconds), engine, alias)
    try:
        with _progress() as stage:
            write(measure(options, stderr, stage), report)
    except KeyboardInterrupt:
        stderr.print("Interrupted; all processes have ended. No report was written.", style="yellow")
        raise typer.Exit(INTERRUPTED) from None
    stderr.print(f"Wrote {report}.")


def _parse_parts(parts: str) -> list[str]:
    selected = [part.strip() for part in parts.split(",") if part.strip()]
    if unknown := [part for part in selected if part not in PARTS]:
        raise typer.BadParameter(f"unknown part {unknown[0]!r}; valid: {', '.join(PARTS)}")
    return selected


@app.command()
def page(
    report: ReportOption = REPORT,
    folder: Annotated[Path, typer.Option(help="Folder of the page, its plots and its report.")] = Path(
        "docs/explanation"
    ),
) -> None:
    """Render the page of figures and its plots from a report, and copy the report next to them."""
    report_data, report_path, page_path = read(report), folder / "benchmarks.json", folder / "benchmarks.md"
    write(report_data, report_path)
    page_path.write_text(render(TEMPLATE.read_text("utf-8"), report_data), "utf-8")
    for path in (report_path, page_path, *draw_plots(report_path, folder)):
        stderr.print(f"Wrote {path}.")


@app.command()
def load(
    urls: Annotated[list[str], typer.Argument(help="URLs of one service on this machine.")],
    in_flight: Annotated[int, typer.Option(min=1, max=1000, help="Concurrent requests.")] = 8,
    seconds: Annotated[float, typer.Option(min=0.05, max=600, help="Duration.")] = 5.0,
) -> None:
    """Send requests to the same URLs repeatedly and print throughput and latency, for profiling."""
    parts = [urlsplit(url) for url in urls]
    paths = [f"{part.path}?{part.query}" if part.query else part.path for part in parts]
    with load_client() as client:
        contender = client.contender(parts[0].port or 80, [[encode_request("GET", path)] for path in paths])
        turn = contender.send(in_flight, seconds / 5, seconds)
    stderr.print(
        f"{turn.rate:,.0f} responses/s, p50 {turn.p50:.2f} ms, p99 {turn.p99:.2f} ms, {turn.failed} failed, "
        f"{turn.size / max(1, len(turn.micros)):,.0f} bytes each"
    )


@contextmanager
def _progress() -> Iterator[StartStage]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=stderr) as display:

        def stage(name: str, steps: int) -> Callable[..., None]:
            task = display.add_task(name, total=steps)

            def step(label: str = "") -> None:
                display.update(task, advance=1, description=f"{name}: {label}" if label else name)

            return step

        yield stage


if __name__ == "__main__":
    app()
