"""The service at 12,000, 120,000 and 1.2 million entities: building, asking, new rules; and how each grows.

    python -m bench.scale --entities 12000 --entities 120000

It starts a node and services of its own on this machine and ends them. All three sizes take three quarters of an hour
and 30 GB of disk.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer
from rich.console import Console

from akg.node import default_cache, start, stop
from bench.faults.process_guard import leash
from bench.faults.services import environment
from bench.latency.peer_environment import PYTHON
from bench.scale.answering import answered, applied, settings
from bench.scale.growth import markdown
from bench.scale.stream import whole
from bench.scale.synthetic_graph import World
from bench.scale.tables import write_tables
from tests.support.fixture_graphs import CHECKOUT

SIZES = (12_000, 120_000, 1_200_000)
MOST_WHOLE = 120_000  # entities that the indexer itself builds from tables, which it holds in memory
MEGABYTE = 1_000_000
# Rounds, and how many questions of each route do not count. The engine compiles what it often runs while it runs it,
# which takes it some thousands of searches; until then a search for a common word takes three times as long.
ROUNDS = {"routes_first_time": 20, "routes": 1_000}
RULE = "zork => zork, reader\n"
notes = Console(stderr=True, highlight=False)


def main(
    entities: Annotated[list[int] | None, typer.Option(help="Sizes; 12000, 120000 and 1200000 unless given.")] = None,
    seed: Annotated[int, typer.Option(help="Of the graph and of the questions.")] = 1,
    times: Annotated[int, typer.Option(min=1, help="Questions of each route that are counted.")] = 200,
    heap: Annotated[str, typer.Option(help="Heap of the node.")] = "2g",
    folder: Annotated[Path, typer.Option("--out", help="Where the report goes.")] = CHECKOUT / "build" / "scale",
    *,
    whole_too: Annotated[bool, typer.Option("--whole/--no-whole", help="Let `akg index build` read tables.")] = True,
) -> None:
    """Load all sizes into one node, then ask them in turns, so that each meets the engine in the same state."""
    worlds = [World.of(size, seed) for size in entities or SIZES]
    sizes: list[dict[str, Any]] = [{"entities": world.entities} for world in worlds]
    report = {"seed": seed, "heap": heap, "processors": os.cpu_count(), "sizes": sizes}
    folder.mkdir(parents=True, exist_ok=True)
    with leash() as held, tempfile.TemporaryDirectory() as name:
        node = start(Path(name) / "node", cache=default_cache(), http_port=0, heap=heap, console=notes)
        held.hold(node.pid)
        try:
            _loaded("bare", node.url, worlds[0])  # warms the engine
            for world, found in zip(worlds, sizes, strict=True):
                _load(world, node.url, Path(name), found, whole_too=whole_too)
                _keep(report, folder)
            report["node_mb"] = round(psutil.Process(node.pid).memory_info().rss / MEGABYTE)
            of_all = [(world, _settings(node.url, Path(name), world)) for world in worlds]
            for which, warm in ROUNDS.items():
                notes.print(f"asking, {which}")
                for found, measured in zip(sizes, answered(of_all, Path(name), times, warm, held), strict=True):
                    found[which] = measured
                _keep(report, folder)
            for world, found in zip(worlds, sizes, strict=True):
                found["apply_seconds"] = applied(_settings(node.url, Path(name), world), Path(name) / "rules", RULE)
        finally:
            stop(Path(name) / "node")
    _keep(report, folder)
    (folder / "report.md").write_text(markdown(report), "utf-8")
    _draw(folder)
    print(markdown(report))


def _keep(report: dict[str, Any], folder: Path) -> None:
    """The results so far, for runs that end early."""
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")


def _load(world: World, url: str, folder: Path, found: dict[str, Any], *, whole_too: bool) -> None:
    """Every way to load a world; its release stays."""
    for what in ("bare", "stream"):
        notes.print(f"{world.entities:,} entities: {what}")
        found[what] = _loaded(what, url, world)
    if whole_too and world.entities <= MOST_WHOLE:
        notes.print(f"{world.entities:,} entities: akg index build")
        found["whole"] = _whole(world, url, folder / str(world.blocks))


def _settings(url: str, folder: Path, world: World) -> dict[str, str]:
    return settings(url, folder, _alias(world))


def _alias(world: World) -> str:
    return f"akg-scale-of-{world.blocks}"


def _draw(folder: Path) -> None:
    """The growth as a picture, where the environment of the benchmarks has what draws."""
    if PYTHON.exists():
        paths = (str(folder / "report.json"), str(folder / "growth.svg"))
        subprocess.run([str(PYTHON), "-m", "bench.latency.peers.growth", *paths], env=_paths(), check=True)


def _loaded(what: str, url: str, world: World) -> dict[str, Any]:
    """One way to load it, in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "bench.scale.loading",
        what,
        url,
        _alias(world),
        str(world.entities),
        str(world.seed),
    ]
    done = subprocess.run(command, env={**environment({}), **_paths()}, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _paths() -> dict[str, str]:
    return {"PYTHONPATH": str(CHECKOUT)}


def _whole(world: World, url: str, folder: Path) -> dict[str, Any]:
    """`akg index build` of the same graph as tables: seconds, and the most memory it held."""
    folder.mkdir()
    write_tables(whole(world), folder / "content")
    own = settings(url, folder, f"akg-whole-of-{world.blocks}")
    code = "import atexit; from bench.scale.loading import peak; from akg.cli import app; "
    code += "atexit.register(lambda: print('PEAK', peak())); app()"
    command = [sys.executable, "-c", code, "index", "build", "--content", str(folder / "content")]
    began = time.perf_counter()
    done = subprocess.run(command, env={**environment(own), **_paths()}, stdout=subprocess.PIPE, check=True, cwd=folder)
    most = float(done.stdout.decode().rpartition("PEAK ")[2])
    return {"seconds": round(time.perf_counter() - began, 1), "peak_mb": round(most)}


if __name__ == "__main__":
    typer.run(main)
