"""The history of measurements: a file with one JSON object per line, in the data folder.

It has versions and figures, and no queries. Commands append to it and never rewrite it.
"""

import shutil
import subprocess
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib import metadata
from itertools import groupby
from os import SEEK_END
from pathlib import Path

from pydantic import ValidationError

from akg.evaluation.metrics import Scores
from akg.reports.evaluation_history import EvalRun, EvalRunRow
from api.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "accommodation-knowledge-graph"
MAX_RUNS = 1000  # of all commands; earlier lines stay in the file
DIGITS = 6  # of changes; scores have four, and one name of all is 0.00002
INPUT_DIGITS = 12  # of the SHA-256 of a table

Figures = Mapping[str, int | float]


def history_file(settings: Settings) -> Path:
    """Return the file: with the default settings it is beside the reports of `akg eval`."""
    return settings.data / "eval" / "history.jsonl"


def append_run(path: Path, run: EvalRun) -> None:
    """Append a line in one write, so that lines of two processes do not mix. Raise OSError if that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b", buffering=0) as file:
        file.seek(max(0, file.seek(0, SEEK_END) - 1))
        is_torn = file.read() not in (b"", b"\n")  # the disk was full when the last line was written
        file.write(b"\n" * is_torn + f"{run.model_dump_json()}\n".encode())


def read_runs(path: Path, alias: str) -> tuple[list[EvalRun], list[int]]:
    """Return the last MAX_RUNS runs on an alias, the oldest first, and the numbers of lines that are not runs."""
    runs, damaged = [], []
    lines = path.read_bytes().splitlines() if path.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            run = EvalRun.model_validate_json(line)
        except ValidationError:
            damaged.append(number)
            continue
        if run.alias == alias:
            runs.append(run)
    return runs[-MAX_RUNS:], damaged


def with_changes(runs: Iterable[EvalRun]) -> list[EvalRunRow]:
    """Return the runs, each with its differences from the run before of the same command with the same inputs."""
    scores: dict[tuple[str, str | None], Figures] = {}
    rows = []
    for run in runs:
        before = scores.get((run.command, run.inputs), {})
        changes = {name: round(score - before[name], DIGITS) for name, score in run.scores.items() if name in before}
        rows.append(EvalRunRow(**run.model_dump(), changes=changes))
        scores[run.command, run.inputs] = run.scores
    return rows


def last_by_command(rows: Iterable[EvalRunRow], limit: int) -> dict[str, list[EvalRunRow]]:
    """Return the last rows of each command, by command."""
    by_command = groupby(sorted(rows, key=lambda row: row.command), key=lambda row: row.command)
    return {command: list(group)[-limit:] for command, group in by_command}


def search_figures(by_kind: Mapping[str, Scores], by_half: Mapping[str, Scores]) -> dict[str, float]:
    """Return the figures of judged queries that the history has: fewer for each kind, which has few queries."""
    figures: dict[str, float] = {}
    if every := by_kind.get("all"):
        figures |= {"nDCG@10": every.ndcg, "MRR": every.mrr}
        figures |= {"success@1": every.success1, "success@3": every.success3}
    for half, means in by_half.items():
        figures |= {f"{half} nDCG@10": means.ndcg, f"{half} success@1": means.success1}
    return figures | {f"{kind} nDCG@10": means.ndcg for kind, means in by_kind.items() if kind != "all"}


def table_inputs(path: Path) -> str:
    """Return what names the content of a judged table: figures of different tables cannot be compared."""
    return sha256(path.read_bytes()).hexdigest()[:INPUT_DIGITS]


def code_version(root: Path = ROOT) -> str | None:
    """Return the commit of a checkout, with "-dirty" if files differ from it, else the version of the program."""
    git = shutil.which("git")
    if git and (root / ".git").exists():
        command = [git, "-C", str(root), "describe", "--always", "--dirty"]
        described = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
        if described.returncode == 0:
            return described.stdout.strip()
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return None
