"""`akg eval history`, and the line that each measurement on the live release appends to it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, TypeVar

import typer

from akg.connection import command_settings
from akg.console import JsonOption, grid, os_message, print_json, print_notice, stdout
from akg.evaluation.history import (
    MAX_RUNS,
    Figures,
    append_run,
    code_version,
    history_file,
    last_by_command,
    read_runs,
    with_changes,
)
from akg.evaluation.search_eval import run_with_service
from akg.reports.evaluation_history import EvalHistory, EvalRun, EvalRunRow
from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.service import GraphService
from api.settings import Settings
from schema.errors import UsageError

Result = TypeVar("Result")

MEASURED = ("search", "names", "typos", "spellings", "questions", "scenarios", "readings", "precision")
RUNS_PER_TABLE = 3  # 80 columns; rich cuts what does not fit


@dataclass(frozen=True, slots=True)
class Versions:
    """What a run measures: the release, and the commit or version of the program."""

    release: Release
    code: str | None


def run_on_release(
    settings: Settings, run: Callable[[GraphService, SearchEngine], Awaitable[Result]]
) -> tuple[Result, Versions]:
    """Run a coroutine function on the live release; return the result, and the versions when it began."""
    code = code_version()

    async def run_and_name(service: GraphService, engine: SearchEngine) -> tuple[Result, Versions]:
        versions = Versions(await engine.refresh_live_release(), code)
        return await run(service, engine), versions

    return run_with_service(settings, run_and_name)


def record(settings: Settings, versions: Versions, command: str, scores: Figures, inputs: str | None = None) -> None:
    """Append a run to the history. If that fails, print a notice: the figures took minutes and are still printed."""
    run = EvalRun(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        command=command,
        alias=settings.alias,
        data_version=versions.release.data_version,
        synonyms_version=versions.release.synonyms_version,
        code_version=versions.code,
        inputs=inputs,
        scores=dict(scores),
    )
    try:
        append_run(history_file(settings), run)
    except OSError as error:
        print_notice(f"The run is not in the history. {os_message(error) or error}")


def history(
    command: Annotated[str | None, typer.Argument(help=f"{', '.join(MEASURED)}. Default: all.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=MAX_RUNS, help="Runs of each command, the newest.")] = 3,
    *,
    json: JsonOption = False,
) -> None:
    """Show the figures of the last measurements, and how they changed.

    A change is the difference from the run before of the same command with the same inputs. Does not need OpenSearch.
    """
    with command_settings() as settings:
        if command is not None and command not in MEASURED:
            raise UsageError(f"{command!r} is not a measurement with a history. Valid: {', '.join(MEASURED)}.")
        path = history_file(settings)
        runs, damaged = read_runs(path, settings.alias)
        for line in damaged:
            print_notice(f"{path}:{line}: this line is not a run, and is left out. Delete it.")
        tables = last_by_command((row for row in with_changes(runs) if command in (None, row.command)), limit)
        if json:
            rows = sorted((row for rows in tables.values() for row in rows), key=lambda row: row.at)
            print_json(EvalHistory(runs=rows, damaged=damaged))
            return
        if not tables:
            stdout.print(f"There are no runs yet. `akg eval {command or 'search'}` adds one.", markup=False)
        for name, rows in tables.items():
            for start in range(0, len(rows), RUNS_PER_TABLE):
                print_runs(name, rows[start : start + RUNS_PER_TABLE])


def print_runs(command: str, rows: Sequence[EvalRunRow]) -> None:
    """Print runs of a command side by side: a column for each, a line for each figure. `data` is the hash alone."""
    table = grid((command, *(row.at[:16].replace("T", " ") for row in rows)))
    table.add_row("data", *(row.data_version.rpartition("+")[2] for row in rows))
    table.add_row("rules", *(row.synonyms_version for row in rows))
    table.add_row("code", *(row.code_version or "unknown" for row in rows))
    if any(row.inputs for row in rows):
        table.add_row("inputs", *(row.inputs or "" for row in rows))
    figures = dict.fromkeys(name for row in reversed(rows) for name in row.scores)  # in the order of the newest
    for name in figures:
        table.add_row(name, *(cell(row, name) for row in rows))
    stdout.print(table)


def cell(row: EvalRunRow, figure: str) -> str:
    """Return a figure and its change: "0.9376 +0.0012", or "0.9376 =" if it is the same."""
    if figure not in row.scores:
        return ""
    score, change = row.scores[figure], row.changes.get(figure)
    value = f"{score:,}" if isinstance(score, int) else f"{score:.4f}"
    if change is None:
        return value
    difference = f"{change:+,}" if isinstance(change, int) else f"{change:+.4f}"
    return f"{value} {difference if change else '='}"
