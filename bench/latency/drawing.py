"""Puts a report, its page and its plots in a folder. Plots need an environment that has a plotter."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from bench.latency.page import render
from bench.latency.peer_environment import PYTHON
from bench.latency.report import write

if TYPE_CHECKING:
    from bench.latency.report import Report

TEMPLATE = Path(__file__).with_name("page.md")
PAGE, DATA = "benchmarks.md", "benchmarks.json"


def draw(report: Report, folder: Path) -> list[Path]:
    """Write all; what was written."""
    data, page = folder / DATA, folder / PAGE
    write(report, data)
    page.write_text(render(TEMPLATE.read_text("utf-8"), report), "utf-8")
    return [data, page, *_plots(data, folder)]


def _plots(data: Path, folder: Path) -> list[Path]:
    if not PYTHON.exists():
        return []
    script = Path(__file__).parent / "peers" / "plots.py"
    command = [str(PYTHON), str(script), str(data), str(folder)]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return [Path(line) for line in result.stdout.splitlines()]
