"""Where a run takes place."""

from __future__ import annotations

import platform
import time
from datetime import UTC, datetime
from pathlib import Path

import psutil

from bench.latency.report import Machine

GIGABYTE = 1_000_000_000


class Clock:
    """Started at the beginning of a run; tells of the machine at its end."""

    def __init__(self) -> None:
        self._began = datetime.now(UTC)
        self._ticks = time.perf_counter()
        self._load = psutil.getloadavg()[0]

    def machine(self) -> Machine:
        """The machine, and the time since the beginning."""
        return Machine(
            began=self._began.strftime("%Y-%m-%d %H:%M UTC"),
            seconds=round(time.perf_counter() - self._ticks, 1),
            processor=processor(),
            cores=psutil.cpu_count() or 1,
            memory_gb=round(psutil.virtual_memory().total / GIGABYTE, 1),
            system=f"{platform.system()} {platform.release()}",
            python=platform.python_version(),
            load=(round(self._load, 2), round(psutil.getloadavg()[0], 2)),
        )


def processor() -> str:
    """The model as the system names it, or the kind."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
